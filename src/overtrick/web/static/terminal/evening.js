// The course of an evening at a terminal: logging on, what is shown between boards, hand records, the end.

import { writeDeal } from "./bridge.js";
import { pages } from "./listing.js";
import { command } from "./machine.js";
import { Stage } from "./stages.js";
import { BLANK, CARDS, HandSource, ScoreRecap, SEATS, ShowRanking } from "./vocabulary.js";

// A table: one that another terminal serves asks first.
export function choose(machine, { section, table }, at) {
  const found = machine.lobby.find((each) => each.section === section && each.table === table);
  if (!found) {
    machine.tell("no-such-table", { table: `${section}${table}` });
    return;
  }
  machine.choice = [section, table];
  if (found.terminal !== "" && found.terminal !== machine.device) machine.go(Stage.TAKE_OVER);
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

// The list again, where that is allowed.
export function repeat(machine) {
  if (machine.rules.repeat_results) machine.page = 0;
  else machine.tell("not-allowed");
}

// The hand record of the board just played.
export function showHand(machine) {
  if (!machine.rules.view_hand_record) machine.tell("not-allowed");
  else if (!machine.dealOf(machine.shown_board))
    machine.tell("no-hand-record", { board: machine.shown_board });
  else machine.go(Stage.HAND);
}

export const toResults = (machine) => machine.go(Stage.RESULTS);

// A hand of the deal that is entered; after three the fourth follows.
export function giveCards(machine, { cards }) {
  const taken = new Set(machine.hands.flat());
  const given = [...new Set(cards)].sort();
  if (cards.length !== 13 || given.length !== 13) {
    machine.tell("not-thirteen");
    return;
  }
  const twice = given.find((card) => taken.has(card));
  if (twice) {
    machine.tell("card-twice", { card: twice });
    return;
  }
  machine.hands = [...machine.hands, given];
  if (machine.hands.length < 3) return;
  const used = new Set(machine.hands.flat());
  const hands = [...machine.hands, CARDS.filter((card) => !used.has(card))];
  const deal = writeDeal(Object.fromEntries(SEATS.map((seat, place) => [seat, new Set(hands[place])])));
  const { session, group } = machine.known;
  const record = { ...BLANK.hand_record, group, board: machine.shown_board, deal };
  machine.emit(command("put-hand-records", { session, records: [record], source: HandSource.TERMINAL }));
  machine.nextStep();
}

// The hand before, or no deal at all.
export function leaveCards(machine) {
  if (machine.hands.length) machine.hands = machine.hands.slice(0, -1);
  else machine.nextStep();
}

// The scores of this round, where they can be looked at.
export function showScores(machine) {
  if (machine.rules.score_recap !== ScoreRecap.ALWAYS) {
    machine.tell("not-allowed");
    return;
  }
  machine.steps = [];
  machine.go(Stage.RECAP);
}

// The running ranking, where it is always shown.
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

// The session is over for this terminal.
export function logOff(machine, _key, at) {
  const { session, section, table } = machine.known;
  machine.emit(command("log-off", { session, section, table, at }));
  machine.snapshot = null;
  machine.choice = null;
  machine.go(Stage.LOG_ON);
}

// The director, please: one call at a time.
export function callDirector(machine, _key, at) {
  const { session, section, table, call } = machine.known;
  if (!machine.rules.director_calls) {
    machine.tell("not-allowed");
    return;
  }
  if (call === null && !isCalling(machine)) {
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

// Whether a call is still in the outbox.
export const isCalling = (machine) => machine.outbox.some((entry) => entry.command.kind === "call-director");

export function chooseLanguage(machine, { language }) {
  machine.language = language;
}
