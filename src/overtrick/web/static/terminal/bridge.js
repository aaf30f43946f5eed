// The rules of bridge that a terminal needs: seats, contracts, outcomes and scores, deals, auctions, play.
// Mirrors overtrick.bridge. Values are the texts and numbers that a terminal stores. Pure: no I/O.

import { AWARDS, CARDS, Doubling, SEATS, SIGNS, STRAINS, SUITS } from "./vocabulary.js";

// Seats and boards ------------------------------------------------------------------------------------------------

const seatAfter = (seat, places) => SEATS[(SEATS.indexOf(seat) + places) % 4];
export const next = (seat) => seatAfter(seat, 1);
export const partner = (seat) => seatAfter(seat, 2);
export const previous = (seat) => seatAfter(seat, 3);
export const sideOf = (seat) => (seat === "N" || seat === "S" ? "NS" : "EW");
export const SEATS_BY_SIDE = ["N", "S", "E", "W"];

export const dealer = (board) => SEATS[(board - 1) % 4];

// Return whether a side is vulnerable on a board. Law 2: the pattern repeats after sixteen boards.
export function isVulnerable(board, side) {
  const place = board - 1;
  const sides = ["", "NS", "EW", "NSEW"][(place + Math.floor(place / 4)) % 4];
  return sides.includes(side);
}

// Contracts: Law 77 -----------------------------------------------------------------------------------------------

export function parseContract(text) {
  const [, level, strain, doubling, declarer] = /^([1-7])(NT|[CDHS])(x{0,2})([NESW])$/.exec(text);
  return {
    level: Number(level),
    strain: STRAINS.findIndex((each) => each.letter === strain),
    doubling: doubling.length,
    declarer,
  };
}

export const writeContract = ({ level, strain, doubling, declarer }) =>
  `${level}${STRAINS[strain].letter}${SIGNS[doubling]}${declarer}`;

export const target = (contract) => contract.level + 6;

// Return the score of declarer's side.
function score(contract, tricks, vulnerable) {
  const over = tricks - target(contract);
  return over < 0 ? -downScore(contract, -over, vulnerable) : madeScore(contract, over, vulnerable);
}

function madeScore({ level, strain, doubling }, over, vulnerable) {
  let each = strain <= 1 ? 20 : 30;
  const first = strain === 4 ? 40 : each;
  const trickScore = (first + each * (level - 1)) << doubling;
  let bonus = trickScore >= 100 ? (vulnerable ? 500 : 300) : 50;
  if (level === 6) bonus += vulnerable ? 750 : 500;
  if (level === 7) bonus += vulnerable ? 1500 : 1000;
  bonus += 50 * doubling; // for the insult
  if (doubling) each = (vulnerable ? 100 : 50) << doubling;
  return trickScore + bonus + over * each;
}

function downScore({ doubling }, down, vulnerable) {
  if (!doubling) return (vulnerable ? 100 : 50) * down;
  // not vulnerable 100, 300, 500, and 300 more for the fourth and each further one
  const doubled = vulnerable ? 300 * down - 100 : 200 * down - 100 + 100 * Math.max(0, down - 3);
  return doubled * doubling;
}

// Outcomes --------------------------------------------------------------------------------------------------------

export const PASSED_OUT = "Pass";
export const UNDECIDED = "Arbitral";
export const NOT_PLAYED = "NP";
export const CANCELLED = "Cancelled";

export const writeOver = (over) => (over ? `${over > 0 ? "+" : ""}${over}` : "=");

// Parse the text of an outcome. Its kind is "played", "passed", "award", "undecided" (ruling pending), "not played",
// "cancelled", or "ruling" for outcomes that only the desk can give: other adjusted scores and weighted scores.
export function parseOutcome(text) {
  if (text === PASSED_OUT) return { kind: "passed", text };
  if (text === UNDECIDED) return { kind: "undecided", text };
  if (text === NOT_PLAYED) return { kind: "not played", text };
  if (text === CANCELLED) return { kind: "cancelled", text };
  if (AWARDS.includes(text)) {
    const [ns, ew] = text.split("-").map(Number);
    return { kind: "award", text, ns, ew };
  }
  const played = /^([1-7](?:NT|[CDHS])x{0,2}[NESW])(=|[+-][0-9]+)$/.exec(text);
  if (!played) return { kind: "ruling", text };
  const [, named, result] = played;
  const contract = parseContract(named);
  return { kind: "played", text, contract, over: result === "=" ? 0 : Number(result) };
}

export const writePlayed = (contract, tricks) =>
  `${writeContract(contract)}${writeOver(tricks - target(contract))}`;

// Return North-South's score on a board, null if the outcome has none.
export function nsScore(outcome, board) {
  if (outcome.kind === "passed") return 0;
  if (outcome.kind !== "played") return null;
  const side = sideOf(outcome.contract.declarer);
  const points = score(outcome.contract, target(outcome.contract) + outcome.over, isVulnerable(board, side));
  return side === "NS" ? points : -points;
}

// Cards and deals -------------------------------------------------------------------------------------------------

const RANKS = "23456789TJQKA";
export const suitOf = (card) => card[0];
export const rankOf = (card) => RANKS.indexOf(card[1]);

// Return whether a card is an unnamed small one ("Hx"): nobody saw its rank, and it is lower than every named card.
export const isSmall = (card) => card[1] === "x";

// Return the hands of a deal in PBN notation by seat, each a set of cards.
export function parseDeal(text) {
  const [first, hands] = text.split(":");
  const handOf = {};
  hands.split(" ").forEach((hand, place) => {
    const suits = hand.split(".");
    handOf[seatAfter(first, place)] = new Set(
      suits.flatMap((ranks, suit) => [...ranks].map((rank) => SUITS[suit].letter + rank)),
    );
  });
  return handOf;
}

// Return four hands as a deal in PBN notation, North first.
export function writeDeal(hands) {
  const text = (hand) =>
    SUITS.map(({ letter }) =>
      CARDS.filter((card) => suitOf(card) === letter && hand.has(card))
        .map((card) => card[1])
        .reverse()
        .join(""),
    ).join(".");
  return `N:${SEATS.map((seat) => text(hands[seat])).join(" ")}`;
}

// Auctions --------------------------------------------------------------------------------------------------------

// Return level and strain of a bid, null if the call is not a bid.
const bidOf = (call) => {
  const match = /^([1-7])(NT|[CDHS])$/.exec(call);
  return match && { level: Number(match[1]), strain: STRAINS.findIndex((each) => each.letter === match[2]) };
};

// The recorded word for a call that nobody saw.
export const SKIPPED = "SkipBid";

// An auction so far: whose turn it is, whether it is over, its contract. A skipped call may have been a pass, so it
// counts as one, but the last call of an auction must be a recorded pass.
export class Auction {
  constructor(first, calls) {
    this.first = first;
    this.calls = [];
    this.bidAt = -1;
    this.doubledAt = -1;
    this.doubling = Doubling.UNDOUBLED;
    this.passes = 0;
    for (const call of calls) this.add(call);
  }

  // Return the seat that makes the call at this index.
  caller(place) {
    return seatAfter(this.first, place);
  }

  get isOver() {
    return this.calls.at(-1) !== SKIPPED && this.passes >= (this.bidAt >= 0 ? 3 : 4);
  }

  get hasSkipped() {
    return this.calls.includes(SKIPPED);
  }

  get turn() {
    return this.isOver ? null : this.caller(this.calls.length);
  }

  isLegal(call) {
    if (this.isOver) return false;
    const place = this.calls.length;
    const bid = bidOf(call);
    if (bid) {
      const last = this.bidAt < 0 ? null : bidOf(this.calls[this.bidAt]);
      return !last || bid.level > last.level || (bid.level === last.level && bid.strain > last.strain);
    }
    if (this.calls.indexOf(SKIPPED, this.bidAt + 1) >= 0) return true; // it may have been a bid or a double
    if (call === "X")
      return this.bidAt >= 0 && (place - this.bidAt) % 2 !== 0 && this.doubling === Doubling.UNDOUBLED;
    if (call === "XX") return this.doubling === Doubling.DOUBLED && (place - this.doubledAt) % 2 !== 0;
    return true;
  }

  add(call) {
    const place = this.calls.length;
    if (bidOf(call)) {
      Object.assign(this, { bidAt: place, doubledAt: -1, doubling: Doubling.UNDOUBLED, passes: 0 });
    } else if (call === "Pass" || call === SKIPPED) {
      this.passes += 1;
    } else {
      Object.assign(this, {
        doubledAt: place,
        doubling: call === "X" ? Doubling.DOUBLED : Doubling.REDOUBLED,
        passes: 0,
      });
    }
    this.calls.push(call);
  }

  // Return the final contract, null if the auction is not over or passed out.
  get contract() {
    if (this.bidAt < 0 || !this.isOver) return null;
    const bid = bidOf(this.calls[this.bidAt]);
    let first = this.bidAt % 2;
    while (bidOf(this.calls[first])?.strain !== bid.strain) first += 2;
    return { ...bid, doubling: this.doubling, declarer: this.caller(first) };
  }
}

// Play ------------------------------------------------------------------------------------------------------------

// The play of a contract so far. `hands` are the four hands, or null if unknown; then only revokes that the play itself
// shows are illegal.
export class Play {
  constructor(hands, contract, cards) {
    this.trump = STRAINS[contract.strain].suit;
    this.held = hands && Object.fromEntries(SEATS.map((seat) => [seat, new Set(hands[seat])]));
    this.seen = new Set();
    this.voids = new Set(); // seat and suit of players who did not follow suit
    this.won = { NS: 0, EW: 0 };
    this.following = next(contract.declarer); // the seat to play
    this.trick = null; // leader and cards of the latest trick, complete or not
    for (const card of cards) this.add(card);
  }

  get isOver() {
    return this.won.NS + this.won.EW === 13;
  }

  get turn() {
    return this.isOver ? null : this.following;
  }

  get current() {
    return this.trick && this.trick.cards.length < 4 ? this.trick : null;
  }

  isLegal(card) {
    if (this.isOver || this.seen.has(card)) return false;
    if (!this.held) return !this.voids.has(this.following + suitOf(card));
    const hand = this.held[this.following];
    if (!hand.has(this.resolveSmall(card))) return false;
    const led = this.current && suitOf(this.current.cards[0]);
    return !led || suitOf(card) === led || ![...hand].some((other) => suitOf(other) === led);
  }

  // Return the card for an unnamed small card: the lowest of its suit in the hand, if the hands are known.
  resolveSmall(card) {
    if (!this.held || !isSmall(card)) return card;
    const suit = [...this.held[this.following]].filter((each) => suitOf(each) === suitOf(card));
    return suit.sort((one, other) => rankOf(one) - rankOf(other))[0] ?? card;
  }

  // Return the seat that played the last card.
  get player() {
    return seatAfter(this.trick.leader, this.trick.cards.length - 1);
  }

  add(card) {
    const seat = this.following;
    if (!this.current) this.trick = { leader: seat, cards: [] };
    this.trick.cards.push(card);
    const led = suitOf(this.trick.cards[0]);
    if (suitOf(card) !== led) this.voids.add(seat + led);
    if (!isSmall(card)) this.seen.add(card);
    this.held?.[seat].delete(card);
    this.following = next(seat);
    if (this.trick.cards.length === 4) {
      const worth = (each) =>
        (suitOf(each) === this.trump ? 200 : suitOf(each) === led ? 100 : 0) + rankOf(each);
      // If a trick has only small cards, the first counts as the highest.
      const values = this.trick.cards.map(worth);
      this.following = seatAfter(this.trick.leader, values.indexOf(Math.max(...values)));
      this.won[sideOf(this.following)] += 1;
    }
  }
}
