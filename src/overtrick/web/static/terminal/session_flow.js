// The flow of a session outside the entry of boards: log-on, screens between boards, hand records, calls, log-off.

import { writeDeal } from "./bridge.js";
import { pages } from "./listing.js";
import { command } from "./machine.js";
import { Stage } from "./stages.js";
import { BLANK, CARDS, CallStatus, HandSource, ScoreRecap, SEATS, ShowRanking } from "./vocabulary.js";

// Choose a table: log on there, or ask first if another terminal has it.
export function choose(machine, { section, table }, at) {
  const chosen = machine.lobby.find((each) => each.section === section && each.table === table);
  if (!chosen) {
    machine.tell("no-such-table", { table: `${section}${table}` });
    return;
  }
  machine.choice = [section, table];
  if (chosen.terminal !== "" && chosen.terminal !== machine.device) machine.go(Stage.TAKE_OVER);
  else logOn(machine, at, false);
}

export const takeOver = (machine, _key, at) => logOn(machine, at, true);

function logOn(machine, at, takesOver) {
  if (!machine.choice || !machine.session) {
    machine.go(Stage.LOG_ON);
    return;
  }
  const [section, table] = machine.choice;
  machine.emit(
    command("log-on", {
      session: machine.session,
      section,
      table,
      terminal: machine.device,
      at,
      takes_over: takesOver,
    }),
  );
  machine.go(Stage.CONNECTING);
}

export function toLobby(machine) {
  machine.choice = null;
  machine.go(Stage.LOG_ON);
}

export const goOn = (machine) => machine.nextStep();

export function more(machine) {
  if (machine.page + 1 < pages(machine, machine.shown_board)) machine.page += 1;
}

// Show the list from its first page again, if the rules allow it.
export function repeat(machine) {
  if (machine.rules.repeat_results) machine.page = 0;
  else machine.tell("not-allowed");
}

// Show the hand record of the board whose results are shown.
export function showHand(machine) {
  if (!machine.rules.view_hand_record) machine.tell("not-allowed");
  else if (!machine.dealOf(machine.shown_board))
    machine.tell("no-hand-record", { board: machine.shown_board });
  else machine.go(Stage.HAND);
}

export const toResults = (machine) => machine.go(Stage.RESULTS);

// Add a hand to the hand record; three hands determine the fourth, and the deal is sent.
export function enterHandCards(machine, { cards }) {
  const dealt = new Set(machine.hands.flat());
  const hand = [...new Set(cards)].sort();
  if (cards.length !== 13 || hand.length !== 13) {
    machine.tell("not-thirteen");
    return;
  }
  const twice = hand.find((card) => dealt.has(card));
  if (twice) {
    machine.tell("card-twice", { card: twice });
    return;
  }
  machine.hands = [...machine.hands, hand];
  if (machine.hands.length < 3) return;
  const used = new Set(machine.hands.flat());
  const hands = [...machine.hands, CARDS.filter((card) => !used.has(card))];
  const deal = writeDeal(Object.fromEntries(SEATS.map((seat, place) => [seat, new Set(hands[place])])));
  const { session, group } = machine.tableSnapshot;
  const record = { ...BLANK.hand_record, group, board: machine.shown_board, deal };
  machine.emit(command("put-hand-records", { session, records: [record], source: HandSource.TERMINAL }));
  machine.nextStep();
}

// Go back to the previous hand, or skip the hand record.
export function leaveCards(machine) {
  if (machine.hands.length) machine.hands = machine.hands.slice(0, -1);
  else machine.nextStep();
}

// Show the scores of this round, if the rules always allow it.
export function showScores(machine) {
  if (machine.rules.score_recap !== ScoreRecap.ALWAYS) {
    machine.tell("not-allowed");
    return;
  }
  machine.steps = [];
  machine.go(Stage.RECAP);
}

// Show the current ranking, if the rules always allow it.
export function showRanking(machine) {
  if (machine.rules.ranking !== ShowRanking.ALWAYS) {
    machine.tell("not-allowed");
  } else if (!machine.ranks().length) {
    machine.tell("no-ranking");
  } else {
    machine.steps = [];
    machine.go(Stage.RANKING);
  }
}

// Log off after the end of the session.
export function logOff(machine, _key, at) {
  const { session, section, table } = machine.tableSnapshot;
  machine.emit(command("log-off", { session, section, table, at }));
  machine.snapshot = null;
  machine.choice = null;
  machine.go(Stage.LOG_ON);
}

// Call the director; a table has one open call at a time.
export function callDirector(machine, _key, at) {
  const { session, section, table } = machine.tableSnapshot;
  if (!machine.rules.director_calls) {
    machine.tell("not-allowed");
    return;
  }
  if (callOf(machine).status === null) {
    const id = machine.nextId();
    machine.emit(
      command("call-director", {
        session,
        call: id,
        section,
        table,
        at,
        round: machine.round,
        board: machine.draft.board,
      }),
      id,
    );
  }
  machine.tell("director-is-called");
}

// Take back the table's call for the director.
export function withdrawCall(machine, _key, at) {
  const { session, section, table } = machine.tableSnapshot;
  const { id } = callOf(machine);
  machine.emit(command("withdraw-call", { session, call: id, section, table, at }));
  machine.tell("call.withdrawn");
}

// Return status and id of the table's open call for the director, as far as this terminal knows: null and an empty text
// if there is none. What waits in the outbox is newer than the snapshot.
export function callOf(machine) {
  const unsent = machine.outbox
    .map((entry) => entry.command)
    .filter(({ kind }) => kind === "call-director" || kind === "withdraw-call")
    .at(-1);
  if (unsent?.kind === "withdraw-call") return { status: null, id: "" };
  const status = machine.snapshot?.call ?? null;
  if (status !== null) return { status, id: machine.snapshot.call_id ?? "" };
  return unsent ? { status: CallStatus.LAUNCHED, id: unsent.call } : { status: null, id: "" };
}

export function chooseLanguage(machine, { language }) {
  machine.language = language;
}
