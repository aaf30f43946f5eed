// The entry of a board: number, contract, declarer, lead, result, and the opponents' confirmation. Impossible entries
// are rejected: a result must be one of the contract, and a checked lead a card that the leader held.

import {
  isSmall,
  NOT_PLAYED,
  next,
  PASSED_OUT,
  parseDeal,
  partner,
  previous,
  suitOf,
  target,
  UNDECIDED,
  writeContract,
  writePlayed,
} from "./bridge.js";
import { checksLead, command, NO_DRAFT } from "./machine.js";
import { seatNumber } from "./players.js";
import { Purpose, Stage } from "./stages.js";
import { LeadEntry, PairNumberEntry, ResultEntryMethod } from "./vocabulary.js";

const change = (machine, changes) => {
  machine.draft = { ...machine.draft, ...changes };
};

// Accept a board number: of this round, without a result, and in order if the rules verify the order.
export function enterBoard(machine, key) {
  const tableRound = machine.currentRound();
  const [expected] = machine.openBoards();
  if (!tableRound?.boards.includes(key.board)) {
    machine.tell("board-not-in-round", { board: key.board });
  } else if (machine.resultOf(tableRound.number, key.board)) {
    machine.tell("board-has-result", { board: key.board });
  } else if (machine.rules.verify_board_order && key.board !== expected) {
    machine.odd_board = key.board;
    machine.tell("board-out-of-order", { board: key.board, expected });
  } else {
    machine.beginBoard(key.board);
  }
}

// Confirm a board out of order, or begin the next board.
export function confirmBoard(machine) {
  const open = machine.openBoards();
  if (open.includes(machine.odd_board)) machine.beginBoard(machine.odd_board);
  else if (machine.rules.auto_board_number && !machine.rules.first_board_manually)
    machine.beginBoard(open[0]);
}

export function leaveBoard(machine) {
  machine.odd_board = 0;
  machine.go(Stage.ROUND);
}

// Leave the contract: choose another board, or give up the correction.
export function leaveContract(machine) {
  const wasCorrection = machine.draft.is_correction;
  machine.dropDraft();
  if (wasCorrection) machine.nextStep();
  else machine.go(Stage.BOARD);
}

export function enterBid(machine, key) {
  if (!(key.level >= 1 && key.level <= 7)) {
    machine.tell("no-such-contract");
    return;
  }
  machine.draft = {
    ...emptyDraft(machine.draft),
    level: key.level,
    strain: key.strain,
    doubling: machine.draft.doubling,
  };
  machine.go(Stage.DECLARER);
}

export function enterDoubling(machine, key) {
  change(machine, { doubling: key.doubling });
}

export function passOut(machine) {
  machine.draft = { ...emptyDraft(machine.draft), outcome: PASSED_OUT };
  machine.go(Stage.VERIFY);
}

// Mark the board not played; ask for the director's PIN first if the rules require it.
export function noPlay(machine) {
  if (machine.rules.confirm_not_played) {
    machine.back = Stage.CONTRACT;
    machine.purpose = Purpose.NOT_PLAYED;
    machine.go(Stage.PIN);
  } else {
    verifyNotPlayed(machine);
  }
}

// Mark the board as waiting for the director's ruling, which is given at the desk.
export function pendRuling(machine) {
  machine.draft = { ...emptyDraft(machine.draft), outcome: UNDECIDED };
  machine.go(Stage.VERIFY);
}

// Ask the opponents to confirm that the board is not played.
export function verifyNotPlayed(machine) {
  machine.draft = { ...emptyDraft(machine.draft), outcome: NOT_PLAYED };
  machine.go(Stage.VERIFY);
}

export function enterDeclarer(machine, key, at) {
  change(machine, { declarer: key.seat, is_wrong_direction: false });
  if (machine.rules.pair_number_entry === PairNumberEntry.NEVER) toLead(machine, at);
  else machine.go(Stage.PAIR);
}

// Accept the declaring pair's number. The other pair's number means that the pairs sat in the wrong direction.
export function enterPair(machine, key, at) {
  const tableRound = machine.currentRound();
  const { declarer } = machine.draft;
  if (!tableRound || !declarer) return;
  const isAt = (seat) => seatNumber(tableRound, seat) === key.pair;
  if (isAt(declarer) || isAt(partner(declarer))) {
    change(machine, { is_wrong_direction: false });
  } else if (isAt(next(declarer)) || isAt(previous(declarer))) {
    change(machine, { is_wrong_direction: true });
    machine.tell("wrong-direction");
  } else {
    machine.tell("pair-not-here", { pair: key.pair });
    return;
  }
  toLead(machine, at);
}

// Skip the pair number, if it is not required.
export function skipPair(machine, _key, at) {
  if (machine.rules.pair_number_entry === PairNumberEntry.REQUIRED) machine.tell("pair-required");
  else toLead(machine, at);
}

// Ask for the lead, if the rules want it. If the play is recorded, its first card is the lead.
export function toLead(machine, at) {
  if (machine.rules.record_play) {
    sendContract(machine, at);
    machine.go(Stage.PLAY);
  } else if (machine.rules.lead_entry === LeadEntry.NEVER) {
    toResult(machine, at);
  } else {
    machine.go(Stage.LEAD);
  }
}

// Accept a lead. If leads are checked and the deal is known, the player to declarer's left must hold the card; the
// rules may let the players confirm another card.
export function enterLead(machine, key, at) {
  const { card } = key;
  if (leaderHas(machine, card)) {
    acceptLead(machine, card, at);
  } else if (machine.rules.lead_entry === LeadEntry.CHECKED_WITH_EXCEPTIONS) {
    change(machine, { odd_lead: card });
    machine.tell("lead-not-held-sure", { card });
  } else {
    machine.tell("lead-not-held", { card });
  }
}

// Confirm a lead that the leader does not hold by the deal.
export function confirmLead(machine, _key, at) {
  if (machine.draft.odd_lead && machine.rules.lead_entry === LeadEntry.CHECKED_WITH_EXCEPTIONS) {
    acceptLead(machine, machine.draft.odd_lead, at);
  }
}

// Leave the lead open. If leads are checked without exception, the key is not offered.
export const skipLead = (machine, _key, at) => acceptLead(machine, "", at);

function acceptLead(machine, card, at) {
  change(machine, { lead: card, odd_lead: "" });
  toResult(machine, at);
}

// Return whether the lead is possible.
export function leaderHas(machine, card) {
  const deal = machine.dealOf(machine.draft.board);
  const { declarer } = machine.draft;
  if (!checksLead(machine.rules) || !deal || !declarer) return true;
  // If the pairs sat in the wrong direction, the leader held the cards of this seat all the same.
  const hand = parseDeal(deal)[next(declarer)];
  return isSmall(card) ? [...hand].some((each) => suitOf(each) === suitOf(card)) : hand.has(card);
}

function toResult(machine, at) {
  sendContract(machine, at);
  machine.go(Stage.RESULT);
}

// Send the contract before the result, if the rules want it.
function sendContract(machine, at) {
  const { draft } = machine;
  if (!machine.rules.send_contracts || draft.is_correction) return;
  const { session, section, table, incarnation } = machine.tableSnapshot;
  machine.emit(
    command("enter-contract", {
      session,
      section,
      table,
      round: machine.round,
      board: draft.board,
      contract: writeContract(contractOf(draft)),
      at,
      lead: draft.lead || null,
      incarnation,
    }),
  );
}

// Return the contract of a draft.
export const contractOf = ({ level, strain, doubling, declarer }) => ({
  level,
  strain,
  doubling,
  declarer: declarer ?? "N",
});

// Return the number of tricks for an entered value, null if the contract cannot have that result.
export function tricksOf(contract, value, method) {
  let tricks;
  if (method === ResultEntryMethod.TOTAL) tricks = value;
  else if (method === ResultEntryMethod.RELATIVE || value < 0) tricks = target(contract) + value;
  // American entry: the level that was made. A lower level than the contract's is not a result.
  else tricks = value >= contract.level ? value + 6 : -1;
  return tricks >= 0 && tricks <= 13 ? tricks : null;
}

// Accept a result that the contract can have.
export function enterResult(machine, key) {
  const contract = contractOf(machine.draft);
  const tricks = tricksOf(contract, key.value, machine.rules.result_entry);
  if (tricks === null) {
    machine.tell("impossible-result");
    return;
  }
  change(machine, { outcome: writePlayed(contract, tricks) });
  machine.go(Stage.VERIFY);
}

// Enter the same board again, from its contract.
export function enterAgain(machine) {
  machine.draft = emptyDraft(machine.draft);
  machine.go(Stage.CONTRACT);
}

// Enter the result that the opponents have confirmed.
export function confirmResult(machine, _key, at) {
  const { board, outcome, lead, is_wrong_direction } = machine.draft;
  machine.enter({ round: machine.round, board, outcome, lead, is_wrong_direction }, at);
  machine.dropDraft();
  machine.afterBoard(board);
}

// Correct a result of this round.
export function correct(machine, key) {
  const standing = machine.resultOf(machine.round, key.board);
  if (!standing) {
    machine.tell("no-result", { board: key.board });
    return;
  }
  machine.steps = [];
  machine.draft = { ...NO_DRAFT, board: key.board, was: standing.outcome, is_correction: true };
  machine.go(Stage.CONTRACT);
}

// Return an empty draft of the same board.
export const emptyDraft = ({ board, was, is_correction }) => ({ ...NO_DRAFT, board, was, is_correction });
