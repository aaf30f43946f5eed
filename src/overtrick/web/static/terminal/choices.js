// The values that a screen can offer as keys instead of typing. Only reads the machine.

import { SEATS_BY_SIDE, SKIPPED } from "./bridge.js";
import { seatNumber } from "./players.js";
import { auctionOf, playOf } from "./recorder.js";
import { Stage } from "./stages.js";
import { CARDS, STRAINS, SUITS } from "./vocabulary.js";

const CALLS = [
  "Pass",
  "X",
  "XX",
  SKIPPED,
  ...[1, 2, 3, 4, 5, 6, 7].flatMap((level) => STRAINS.map((strain) => `${level}${strain.letter}`)),
];
const PLAYED = [...CARDS, ...SUITS.map(({ letter }) => `${letter}x`)];

// Return the choices for the current screen.
export function choicesOf(machine) {
  if (!machine.snapshot) return { boards: [], pairs: [], rounds: [] };
  const tableRound = machine.currentRound();
  const choices = {
    level: machine.draft.level,
    doubling: machine.draft.doubling,
    boards: machine.openBoards(),
    pairs: tableRound
      ? [...new Set(SEATS_BY_SIDE.map((seat) => seatNumber(tableRound, seat)))].filter(Boolean)
      : [],
    rounds: machine.tableSnapshot.rounds.filter(
      (each) => each.is_played && each.number <= Math.max(machine.round, 1),
    ),
    round: machine.round,
    board: machine.draft.board,
    taken: new Set(machine.hands.flat()),
  };
  if (machine.stage === Stage.AUCTION) {
    const auction = auctionOf(machine);
    choices.first = auction.first;
    choices.calls = new Set(CALLS.filter((call) => auction.isLegal(call)));
  }
  if (machine.stage === Stage.PLAY) {
    const play = playOf(machine);
    choices.cards = new Set(PLAYED.filter((card) => play.isLegal(card)));
    choices.trick = play.current;
    choices.won = play.won;
    choices.method = machine.rules.result_entry;
  }
  return choices;
}
