// The director's menu, which the PIN opens: adjusted scores, not played, erase, view, status, players, wrong direction.

import { parseOutcome } from "./bridge.js";
import { verifyNotPlayed } from "./entry.js";
import { command, ENTERING } from "./machine.js";
import { askNumbers, seatNumber } from "./players.js";
import { Purpose, Stage } from "./stages.js";
import { Origin } from "./vocabulary.js";

// Ask for the director's PIN; leaving the menu returns to this stage.
export function openMenu(machine) {
  machine.back = machine.stage;
  machine.purpose = Purpose.MENU;
  machine.go(Stage.PIN);
}

// Handle the server's answer to the PIN: a permission, `wrong`, `often` (too many attempts), or none without the
// network. Without a permission the menu opens too, but its entries wait until the director confirms them.
export function receivePinCheck(machine, { answer = "", permission = "" }) {
  if (answer === "wrong") return machine.tell("wrong-pin");
  if (answer === "often") return machine.tell("pin-too-often");
  machine.permission = permission;
  if (!permission) machine.tell("unconfirmed");
  if (machine.purpose === Purpose.NOT_PLAYED) verifyNotPlayed(machine);
  else machine.go(Stage.MENU);
}

export const leaveMenu = (machine) => machine.go(machine.back);
export const toMenu = (machine) => machine.go(Stage.MENU);

// Return whether this table plays the board in this or an earlier round; show a notice if not.
function isPlayedHere(machine, round, board) {
  const tableRound = machine.roundOf(round);
  if (!tableRound?.is_played || !tableRound.boards.includes(board) || round > Math.max(machine.round, 1)) {
    machine.tell("no-such-board", { round, board });
    return false;
  }
  return true;
}

// Assign an adjusted score, a pending ruling, not played, or cancelled.
export function assign(machine, { round, board, outcome }, at) {
  if (!["award", "undecided", "not played", "cancelled"].includes(parseOutcome(outcome).kind)) {
    machine.tell("no-such-award");
  } else if (isPlayedHere(machine, round, board)) {
    machine.enter({ round, board, outcome, lead: "", is_wrong_direction: false }, at);
    machine.tell("done");
    dropDraftOf(machine, round, board);
  }
}

// Erase a result, so that the board can be entered again.
export function erase(machine, { round, board }) {
  if (!isPlayedHere(machine, round, board)) return;
  if (!machine.resultOf(round, board)) {
    machine.tell("no-result", { board });
    return;
  }
  const { session, section, table, incarnation } = machine.tableSnapshot;
  const entry = machine.emit(
    command("erase-result", { session, section, table, round, board, origin: Origin.TERMINAL, incarnation }),
  );
  machine.keep(entry, round, board, null);
  machine.tell("done");
  dropDraftOf(machine, round, board);
}

// Drop the half-entered draft of a board for which the director has just made an entry.
function dropDraftOf(machine, round, board) {
  if (round === machine.round && board === machine.draft.board) machine.dropDraft();
  if (ENTERING.includes(machine.back) && !machine.draft.board) machine.back = Stage.ROUND;
}

export function viewBoard(machine, { board }) {
  if (!machine.tableSnapshot.rounds.some((tableRound) => tableRound.boards.includes(board)))
    machine.tell("no-such-board", { round: machine.round, board });
  else machine.go(Stage.VIEW_BOARD, board);
}

export const status = (machine) => machine.go(Stage.STATUS);

// Swap the seats of two partners, from this round on.
export function swap(machine, { side }) {
  if (!machine.currentRound()) {
    machine.tell("no-such-board", { round: machine.round, board: 0 });
    return;
  }
  const { session, section, table } = machine.tableSnapshot;
  machine.emit(command("swap-players", { session, section, table, round: machine.round, side }));
  machine.tell("done");
}

// Ask everyone at the table for their number; it counts from this round on.
export function changePlayers(machine) {
  const tableRound = machine.currentRound();
  const seats = machine.tableSnapshot.first_seats.filter(
    (seat) => !tableRound || seatNumber(tableRound, seat),
  );
  if (!seats.length || !tableRound) machine.tell("nobody-there");
  else askNumbers(machine, seats, machine.round, true);
}

// Mark a board as played in the wrong direction, or remove that mark.
export function wrongDirection(machine, { round, board }, at) {
  if (!isPlayedHere(machine, round, board)) return;
  const standing = machine.resultOf(round, board);
  if (!standing?.outcome) {
    machine.tell("no-result", { board });
  } else if (!["played", "passed"].includes(parseOutcome(standing.outcome).kind)) {
    machine.tell("no-such-award");
  } else {
    machine.enter({ ...standing, is_wrong_direction: !standing.is_wrong_direction }, at);
    machine.tell("done");
  }
}

// Return to the first screen and report it to the server. No entry is lost.
export function reset(machine, _key, at) {
  const { session, section, table } = machine.tableSnapshot;
  machine.emit(command("reset-table", { session, section, table, at }));
  startAgain(machine);
}

// Return to the first screen.
export function startAgain(machine) {
  machine.dropDraft();
  machine.steps = [];
  machine.choice = null;
  machine.go(Stage.LOG_ON);
}
