// Recording a board while it is played: the auction call by call, the play card by card. Every call and card is sent at
// once; one that is taken back is sent again as erased.

import { Auction, dealer, isSmall, PASSED_OUT, Play, parseDeal, sideOf, writePlayed } from "./bridge.js";
import { contractOf, enterResult, leaderHas, toLead } from "./entry.js";
import { command } from "./machine.js";
import { Stage } from "./stages.js";
import { LeadEntry } from "./vocabulary.js";

export const auctionOf = ({ draft }) => new Auction(dealer(draft.board), draft.calls);

// Return the recorded play so far. It has the hands only if the rules check cards against them.
export function playOf(machine) {
  const { draft, rules } = machine;
  const deal = rules.validate_recording ? machine.dealOf(draft.board) : "";
  return new Play(deal ? parseDeal(deal) : null, contractOf(draft), draft.cards);
}

function placeOf(machine) {
  const { session, section, table } = machine.tableSnapshot;
  return { session, section, table, round: machine.round, board: machine.draft.board };
}

// Record the next call; the last one of the auction decides the contract.
export function enterCall(machine, key, at) {
  const auction = auctionOf(machine);
  const seat = auction.turn;
  if (seat === null || !auction.isLegal(key.call)) {
    machine.tell("illegal-call");
    return;
  }
  machine.emit(
    command("record-call", {
      ...placeOf(machine),
      counter: auction.calls.length + 1,
      seat,
      call: key.call,
      at,
    }),
  );
  auction.add(key.call);
  machine.draft = { ...machine.draft, calls: [...machine.draft.calls, key.call] };
  if (!auction.isOver) return;
  const { contract } = auction;
  if (auction.hasSkipped) {
    machine.go(Stage.CONTRACT); // a skipped call may have been a bid, so ask for the contract
    return;
  }
  if (contract === null) {
    machine.draft = { ...machine.draft, outcome: PASSED_OUT };
    machine.go(Stage.VERIFY);
    return;
  }
  machine.draft = { ...machine.draft, ...contract };
  toLead(machine, at);
}

// Take back the last call, or choose another board if there is none.
export function takeBackCall(machine, _key, at) {
  const { calls } = machine.draft;
  if (!calls.length) {
    machine.dropDraft();
    machine.go(Stage.BOARD);
    return;
  }
  const seat = auctionOf(machine).caller(calls.length - 1);
  machine.emit(
    command("record-call", {
      ...placeOf(machine),
      counter: calls.length,
      seat,
      call: calls.at(-1),
      at,
      is_erased: true,
    }),
  );
  machine.draft = { ...machine.draft, calls: calls.slice(0, -1) };
}

// Record the next card; the last one of the play decides the result.
export function enterCard(machine, key, at) {
  const play = playOf(machine);
  const seat = play.turn;
  const isFirst = !machine.draft.cards.length;
  const isLegal = seat !== null && play.isLegal(key.card);
  const card = isLegal ? play.resolveSmall(key.card) : key.card;
  if (!isLegal || (isFirst && !leaderHas(machine, card))) {
    machine.tell("illegal-card", { card });
    return;
  }
  const counter = machine.draft.cards.length + 1;
  machine.emit(command("record-card", { ...placeOf(machine), counter, seat, card, at }));
  const isLead = isFirst && machine.rules.lead_entry !== LeadEntry.NEVER && !isSmall(card);
  machine.draft = {
    ...machine.draft,
    cards: [...machine.draft.cards, card],
    lead: isLead ? card : machine.draft.lead,
  };
  play.add(card);
  if (play.isOver) {
    const contract = contractOf(machine.draft);
    machine.draft = { ...machine.draft, outcome: writePlayed(contract, play.won[sideOf(contract.declarer)]) };
    machine.go(Stage.VERIFY);
  }
}

// Take back the last card, or go to the contract if there is none.
export function takeBackCard(machine, _key, at) {
  const { cards, lead } = machine.draft;
  if (!cards.length) {
    machine.go(Stage.CONTRACT);
    return;
  }
  const card = cards.at(-1);
  const seat = playOf(machine).player;
  machine.emit(
    command("record-card", { ...placeOf(machine), counter: cards.length, seat, card, at, is_erased: true }),
  );
  machine.draft = { ...machine.draft, cards: cards.slice(0, -1), lead: cards.length > 1 ? lead : "" };
}

// Accept a claim: the result of the whole board. If the rules ask for a lead, a card must have been played.
export function claim(machine, key) {
  if (machine.rules.lead_entry !== LeadEntry.NEVER && !machine.draft.cards.length) {
    machine.tell("impossible-result");
    return;
  }
  enterResult(machine, key);
}
