// The screen for each stage of a terminal (screens.js). Only reads the machine.

import { dealer, isVulnerable, parseOutcome, partner } from "./bridge.js";
import {
  outcomeText,
  ownLine,
  pages,
  percentText,
  points,
  resultLines,
  scores,
  strainName,
} from "./listing.js";
import { knownPlayer, nameOf, preloaded, seatNumber } from "./players.js";
import { auctionOf, playOf } from "./recorder.js";
import { screen } from "./screens.js";
import { PairNumberEntry, SEATS, ShowNames, SIGNS } from "./vocabulary.js";

const tableOf = ({ tableSnapshot }) => `${tableSnapshot.section}${tableSnapshot.table}`;
const chosen = ({ choice }) => (choice ? `${choice[0]}${choice[1]}` : "");

export const logOn = (machine) =>
  screen("LogOnScreen", { tables: machine.lobby.map(({ section, table }) => [section, table]) });
export const takeOver = (machine) => screen("TakeOverScreen", { table: chosen(machine) });
export const connecting = (machine) => screen("ConnectingScreen", { table: chosen(machine) });

// Return the players of a round, if the rules show names in it.
function people(machine, number) {
  const names = machine.rules.show_names;
  if (names === ShowNames.NEVER || (names === ShowNames.FIRST_ROUND && number > 1)) return [];
  const tableRound = machine.roundOf(Math.max(number, 1));
  return SEATS.filter((seat) => tableRound && seatNumber(tableRound, seat)).map((seat) => {
    const sitting = knownPlayer(machine, seat, number);
    return { seat, number: sitting?.number ?? "", name: sitting?.name ?? "" };
  });
}

export function startingPositions(machine) {
  const first = machine.roundOf(1);
  return screen("StartingPositionsScreen", {
    table: tableOf(machine),
    ns: first?.ns ?? 0,
    ew: first?.ew ?? 0,
    players: people(machine, 1),
    north_at_bottom: machine.rules.north_at_bottom,
  });
}

const typed = (machine) =>
  machine.typed.map((number, place) => ({
    seat: machine.seats[place],
    number,
    name: number ? nameOf(machine, number) : "",
  }));

export function numbers(machine) {
  const seat = machine.seats[machine.typed.length];
  return screen("NumberScreen", {
    seat,
    preloaded: preloaded(machine, seat),
    is_required: machine.rules.numbers_required,
    typed: typed(machine),
  });
}

export const players = (machine) => screen("PlayersScreen", { players: typed(machine) });

// Return the rounds after `first` and before `last` in which a pair sits here without opponents: the round, the pair,
// and its next seat with opponents, null if it has none or the rules hide it.
function sitOuts(machine, first, last) {
  const { rounds, onward } = machine.tableSnapshot;
  return rounds
    .filter(({ number, ns, ew }) => number > first && number < last && Boolean(ns) !== Boolean(ew))
    .map(({ number, ns, ew }) => {
      const next = onward.find(({ round, side }) => round === number && side === (ns ? "NS" : "EW"));
      const seat = next?.is_sit_out ? next.after && { ...next.after, next_round: next.after.round } : next;
      const after = seat ? { table: `${seat.section}${seat.table}`, round: seat.next_round } : null;
      return { round: number, pair: ns || ew, after };
    });
}

const lastPlayed = (machine) => Math.max(0, ...[...machine.results().values()].map(({ round }) => round));

export function roundInformation(machine) {
  const tableRound = machine.currentRound();
  const shows = machine.rules.show_pair_numbers;
  return screen("RoundScreen", {
    table: tableOf(machine),
    round: machine.round,
    ns: tableRound && shows ? tableRound.ns : null,
    ew: tableRound && shows ? tableRound.ew : null,
    boards: tableRound?.boards ?? [],
    sit_outs: sitOuts(machine, lastPlayed(machine), machine.round),
    players: people(machine, machine.round),
    north_at_bottom: machine.rules.north_at_bottom,
  });
}

// Return the two sides of this round: the numbers and names of their players, as far as the rules show them.
function sides(machine) {
  const tableRound = machine.currentRound();
  const known = people(machine, machine.round);
  return ["N", "E"].map((first) => {
    const seats = [first, partner(first)];
    const numbers =
      tableRound && machine.rules.show_pair_numbers ? seats.map((seat) => seatNumber(tableRound, seat)) : [];
    return {
      side: first === "N" ? "NS" : "EW",
      numbers: [...new Set(numbers)],
      names: known.filter(({ seat }) => seats.includes(seat)).map(({ name, number }) => name || number),
    };
  });
}

const remaining = (machine) => (machine.rules.show_remaining_boards ? machine.openBoards().length : null);

export const board = (machine) =>
  screen("BoardScreen", {
    round: machine.round,
    remaining: remaining(machine),
    sides: sides(machine),
    asked: machine.odd_board,
  });

// Return a screen of a half-entered board: the fields that all of them have, and these.
function entry(name, machine, fields = {}) {
  const { draft, rules } = machine;
  const declarer = draft.declarer ? ` ${draft.declarer}` : "";
  const contract = draft.level
    ? `${draft.level}${strainName(draft.strain, rules)}${SIGNS[draft.doubling]}${declarer}`
    : "";
  return screen(name, {
    board: draft.board,
    remaining: remaining(machine),
    contract,
    lead: draft.lead,
    dealer: dealer(draft.board),
    vulnerable: ["NS", "EW"].filter((side) => isVulnerable(draft.board, side)),
    sides: sides(machine),
    is_correction: draft.is_correction,
    ...fields,
  });
}

export const contract = (machine) => entry("ContractScreen", machine);
export const declarer = (machine) => entry("DeclarerScreen", machine);
export const pair = (machine) =>
  entry("PairScreen", machine, { is_required: machine.rules.pair_number_entry === PairNumberEntry.REQUIRED });
export const lead = (machine) => entry("LeadScreen", machine, { asked: machine.draft.odd_lead });

const seenDeal = (machine) =>
  machine.rules.show_hands_while_recording ? machine.dealOf(machine.draft.board) : "";

export const auction = (machine) =>
  entry("AuctionScreen", machine, {
    calls: machine.draft.calls,
    turn: auctionOf(machine).turn,
    deal: seenDeal(machine),
  });
export const play = (machine) =>
  entry("PlayScreen", machine, {
    cards: machine.draft.cards,
    turn: playOf(machine).turn,
    deal: seenDeal(machine),
  });
export const result = (machine) => entry("ResultScreen", machine, { method: machine.rules.result_entry });

export function verify(machine) {
  const { draft, rules } = machine;
  const outcome = parseOutcome(draft.outcome);
  return entry("VerifyScreen", machine, {
    result: outcomeText(outcome, rules),
    scores: scores(outcome, draft.board, rules),
    is_wrong_direction: draft.is_wrong_direction,
    seconds: rules.verification_seconds,
  });
}

export function results(machine) {
  const { rules, shown_board: board, page } = machine;
  const start = page * rules.lines;
  return screen("ResultsScreen", {
    board,
    lines: resultLines(machine, board).slice(start, start + rules.lines),
    page,
    pages: pages(machine, board),
    is_frequency: rules.is_frequency,
    points: ownPoints(machine, board),
    can_repeat: rules.repeat_results,
    has_hand: rules.view_hand_record && Boolean(machine.dealOf(board)),
  });
}

// Return the percentages or points of the two pairs on a board; null if there are none yet, or the rules hide them.
function ownPoints(machine, board) {
  const { rules } = machine;
  const own = ownLine(machine, board);
  if (!own || own.ns_points === null || own.ew_points === null) return null;
  if (rules.show_percentage && own.ns_percentage !== null && own.ew_percentage !== null) {
    return [percentText(own.ns_percentage), percentText(own.ew_percentage)];
  }
  return rules.show_points ? [points(own.ns_points), points(own.ew_points)] : null;
}

export const hand = (machine) =>
  screen("HandScreen", { board: machine.shown_board, deal: machine.dealOf(machine.shown_board) });
export const enterHand = (machine) =>
  screen("EnterHandScreen", { board: machine.shown_board, seat: SEATS[machine.hands.length] });

export function recap(machine) {
  const { rules } = machine;
  const lines = [...machine.results().values()]
    .filter((own) => own.round === machine.round && own.outcome)
    .sort((one, other) => one.board - other.board)
    .map((own) => {
      const outcome = parseOutcome(own.outcome);
      return [own.board, outcomeText(outcome, rules), scores(outcome, own.board, rules)];
    });
  return screen("RecapScreen", { round: machine.round, lines, can_correct: rules.correction });
}

export const ranking = (machine) => screen("RankingScreen", { lines: machine.ranks() });

export const nextSeating = (machine) =>
  screen("NextScreen", {
    places: machine.tableSnapshot.onward
      .filter((onward) => onward.round === machine.round)
      .map((onward) => ({
        side: onward.side,
        table: `${onward.section}${onward.table}`,
        round: onward.next_round,
        next_side: onward.next_side,
        is_sit_out: onward.is_sit_out,
        after: onward.after
          ? {
              table: `${onward.after.section}${onward.after.table}`,
              round: onward.after.round,
              side: onward.after.side,
            }
          : null,
      })),
  });

export const waiting = () => screen("WaitingScreen");
export const summary = (machine) =>
  screen("SummaryScreen", {
    lines: machine.tableSnapshot.summary.map((line) => [line.side, line.board, line.outcome, line.points]),
  });
// Return the end of the session; at a table where nobody plays, the sit-outs.
export function end(machine) {
  const { rounds, finals = [] } = machine.tableSnapshot;
  const isUsed = rounds.some((tableRound) => tableRound.is_played);
  const sits = isUsed ? [] : sitOuts(machine, 0, Number.POSITIVE_INFINITY);
  const shown = screen("EndScreen", { finals, sit_outs: sits });
  return sits.length ? { ...shown, key: "label.sit-out" } : shown;
}
export const pin = (machine) => screen("PinScreen", { purpose: machine.purpose });
export const menu = (machine) => screen("MenuScreen", { table: tableOf(machine), round: machine.round });

export const status = (machine) =>
  screen("StatusScreen", {
    table: tableOf(machine),
    round: machine.round,
    played: machine.results().size,
    unsent: machine.outbox.length,
    refused: machine.refused.map((conflict) => conflict.sentence),
  });

export const viewBoard = (machine) =>
  screen("ViewBoardScreen", {
    board: machine.shown_board,
    deal: machine.dealOf(machine.shown_board),
    lines: resultLines(machine, machine.shown_board),
  });

// Return the screen of the first refused entry: what it meant, and the result on record.
export function conflict(machine) {
  const [{ entry: refused, reason, sentence }] = machine.conflicts;
  const { kind, entry: result, round = 0, board: erased = 0 } = refused.command;
  let [meant, place] = ["", [0, 0]];
  if (kind === "enter-result" || kind === "correct-result")
    [meant, place] = [result.outcome, [result.round, result.board]];
  else if (kind === "erase-result") place = [round, erased];
  const stands = (machine.snapshot && machine.resultOf(...place)?.outcome) || "";
  return screen("ConflictScreen", { meant, stands, reason, sentence });
}
