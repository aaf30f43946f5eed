// The players at the table: starting positions, and player numbers before play, in each round or at a change.

import { SEATS_BY_SIDE } from "./bridge.js";
import { command } from "./machine.js";
import { findName, isPossible, stripped } from "./numbers.js";
import { Stage } from "./stages.js";
import { BLANK, NameSource, NumberEntry, Source } from "./vocabulary.js";

// Return the number of the pair at a seat in a round, or of the player in an individual event.
export function seatNumber(round, seat) {
  if (seat === "N") return round.ns;
  if (seat === "E") return round.ew;
  if (seat === "S") return round.south || round.ns;
  return round.west || round.ew;
}

// Return the player at a seat in a round, null if unknown. Round 0 (before play) counts as round 1.
export function knownPlayer(machine, seat, number) {
  const round = Math.max(number, 1);
  return (
    machine.tableSnapshot.players.find((player) => player.round === round && player.seat === seat) ?? null
  );
}

// Begin at a table after the log-on: confirm the seats, ask for player numbers, or go on with the play.
export function begin(machine) {
  machine.dropDraft();
  machine.steps = [];
  machine.has_ended = false;
  machine.resets = machine.tableSnapshot.resets;
  if (machine.rules.confirm_starting_positions && !machine.results().size)
    machine.go(Stage.STARTING_POSITIONS);
  else afterPositions(machine);
}

// Ask for player numbers before play if the rules want them, else go on.
export function afterPositions(machine) {
  const { rules, tableSnapshot } = machine;
  const missing = tableSnapshot.first_seats.filter((seat) => !numberOf(machine, seat, 0));
  const isAsked = rules.number_entry !== NumberEntry.NEVER && machine.numbers_asked < 0;
  // A table without boards asks too: its pair sits out now and plays elsewhere later.
  const seats = rules.number_entry === NumberEntry.EVERY_ROUND ? tableSnapshot.first_seats : missing;
  if (isAsked && seats.length && !machine.results().size) askNumbers(machine, seats, 0);
  else machine.goOn();
}

export const confirmPositions = (machine) => afterPositions(machine);

// Ask the players at these seats for their numbers, which count from round `number` on.
export function askNumbers(machine, seats, number, byDirector = false) {
  machine.is_directors_change = byDirector;
  machine.seats = seats;
  machine.typed = [];
  machine.numbers_round = number;
  machine.numbers_asked = Math.max(machine.numbers_asked, number);
  machine.go(Stage.NUMBERS);
}

// Return the number that the field proposes for a seat.
export function preloaded(machine, seat) {
  const isFirst = machine.numbers_round === 0;
  return machine.rules.preload_numbers || isFirst ? numberOf(machine, seat, machine.numbers_round) : "";
}

const numberOf = (machine, seat, number) => knownPlayer(machine, seat, number)?.number ?? "";

// Accept a number for the seat that is asked, if the federation's rules allow it.
export function enterNumber(machine, key) {
  const { rules } = machine;
  const seat = machine.seats[machine.typed.length];
  const number = stripped(key.number) || preloaded(machine, seat);
  if (!number && rules.numbers_required) {
    machine.tell("number-required");
  } else if (number && !isPossible(number, rules.number_rules)) {
    machine.tell("number-impossible", { number });
  } else if (number && machine.typed.includes(number)) {
    machine.tell("number-twice", { number });
  } else {
    machine.typed = [...machine.typed, number];
    if (machine.typed.length === machine.seats.length) machine.go(Stage.PLAYERS);
  }
}

// Go back to the previous seat, or skip the numbers if they are not required.
export function leaveNumber(machine) {
  if (machine.typed.length) machine.typed = machine.typed.slice(0, -1);
  else if (!machine.rules.numbers_required) afterNumbers(machine);
}

// Ask again, from the first seat.
export function numbersAgain(machine) {
  machine.typed = [];
  machine.go(Stage.NUMBERS);
}

// Send the confirmed players.
export function confirmNumbers(machine) {
  const { session, section, table, names } = machine.tableSnapshot;
  const participations = [];
  machine.seats.forEach((seat, place) => {
    const number = machine.typed[place];
    if (!number) return;
    // The server has the names of the session's own players; for others, send the name that this device found.
    const isOwn = machine.rules.name_source === NameSource.SESSION && Object.hasOwn(names ?? {}, number);
    const name = isOwn ? "" : nameOf(machine, number);
    const lastSpace = name.lastIndexOf(" ");
    participations.push({
      ...BLANK.participation,
      section,
      table,
      seat,
      number,
      first_name: lastSpace < 0 ? "" : name.slice(0, lastSpace),
      last_name: name.slice(lastSpace + 1),
      round: machine.numbers_round,
    });
  });
  if (participations.length) {
    machine.emit(
      command("put-participations", {
        session,
        participations,
        source: Source.TERMINAL,
        must_be_known: false,
      }),
    );
  }
  afterNumbers(machine);
}

// Return the name for a player number, empty if unknown.
export const nameOf = (machine, number) =>
  findName(number, machine.tableSnapshot.names ?? {}, machine.rules.numbers_as_text);

// Go on after the numbers: with the board that is being played, or with the round.
export function afterNumbers(machine) {
  machine.seats = [];
  machine.typed = [];
  const wasPlaying = machine.back === Stage.BOARD || machine.back === Stage.CONTRACT;
  if (machine.numbers_round === 0) machine.goOn();
  else if (wasPlaying && machine.openBoards().length) machine.startBoard();
  else machine.go(Stage.ROUND);
}

// Change the player at a seat, from this round on.
export function changePlayer(machine, key) {
  const { rules } = machine;
  const tableRound = machine.currentRound();
  if (!tableRound || !seatNumber(tableRound, key.seat)) {
    machine.tell("nobody-there");
    return;
  }
  const isBefore = machine.stage === Stage.ROUND && machine.openBoards().length === tableRound.boards.length;
  const isRound =
    rules.number_entry === NumberEntry.EVERY_ROUND ||
    (rules.number_entry === NumberEntry.FIRST_ROUND && machine.round === 1);
  if (!rules.numbers_during_play && !(isBefore && isRound)) {
    machine.tell("not-allowed");
    return;
  }
  machine.back = machine.stage;
  askNumbers(machine, [key.seat], machine.round);
}

// Start the round: with player numbers if every round asks for them, else with its first board.
export function startRound(machine) {
  const tableRound = machine.currentRound();
  if (!tableRound) {
    machine.goOn();
    return;
  }
  const open = machine.openBoards();
  const asksEveryRound = machine.rules.number_entry === NumberEntry.EVERY_ROUND;
  if (
    asksEveryRound &&
    machine.numbers_asked < machine.round &&
    machine.round > 1 &&
    open.length === tableRound.boards.length
  ) {
    machine.back = Stage.BOARD;
    askNumbers(
      machine,
      SEATS_BY_SIDE.filter((seat) => seatNumber(tableRound, seat)),
      machine.round,
    );
  } else if (open.length) {
    machine.startBoard();
  } else {
    machine.goOn();
  }
}
