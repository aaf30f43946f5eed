// The game as far as a terminal needs it: seats, contracts, outcomes and their scores, auctions, play, deals.
// Mirrors overtrick.bridge; everything is the text or the figure that a terminal's memory has.

import { AWARDS, CARDS, Doubling, SEATS, SIGNS, STRAINS, SUITS } from "./vocabulary.js";

// Seats and boards ------------------------------------------------------------------------------------------------

const turned = (seat, places) => SEATS[(SEATS.indexOf(seat) + places) % 4];
export const next = (seat) => turned(seat, 1);
export const partner = (seat) => turned(seat, 2);
export const previous = (seat) => turned(seat, 3);
export const sideOf = (seat) => (seat === "N" || seat === "S" ? "NS" : "EW");
export const SEATS_BY_SIDE = ["N", "S", "E", "W"];

export const dealer = (board) => SEATS[(board - 1) % 4];

// Law 2: the sixteen boards over and over.
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

function score(contract, tricks, vulnerable) {
  const over = tricks - target(contract);
  return over < 0 ? -undertricks(contract, -over, vulnerable) : made(contract, over, vulnerable);
}

function made({ level, strain, doubling }, over, vulnerable) {
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

function undertricks({ doubling }, down, vulnerable) {
  if (!doubling) return (vulnerable ? 100 : 50) * down;
  // not vulnerable 100, 300, 500, and 300 more for the fourth and each further one
  const doubled = vulnerable ? 300 * down - 100 : 200 * down - 100 + 100 * Math.max(0, down - 3);
  return doubled * doubling;
}

// Outcomes --------------------------------------------------------------------------------------------------------

export const PASSED_OUT = "Pass";
export const UNDECIDED = "Arbitral";
export const NOT_PLAYED = "NP";

export const writeOver = (over) => (over ? `${over > 0 ? "+" : ""}${over}` : "=");

// An outcome's text taken apart: kind "played", "passed", "award", "undecided", "not played", or "ruling"
// for what only a director gives: another award, a weighted score, a cancelled board.
export function parseOutcome(text) {
  if (text === PASSED_OUT) return { kind: "passed", text };
  if (text === UNDECIDED) return { kind: "undecided", text };
  if (text === NOT_PLAYED) return { kind: "not played", text };
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

// North-South's score on a board; null where there is none.
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

// A small card of a suit, where nobody saw which one: lower than every card that is named.
export const isSmall = (card) => card[1] === "x";

// The four hands of a deal's text by seat, each a set of cards.
export function parseDeal(text) {
  const [first, hands] = text.split(":");
  const found = {};
  hands.split(" ").forEach((hand, place) => {
    const suits = hand.split(".");
    found[turned(first, place)] = new Set(
      suits.flatMap((ranks, suit) => [...ranks].map((rank) => SUITS[suit].letter + rank)),
    );
  });
  return found;
}

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

const bidOf = (call) => {
  const found = /^([1-7])(NT|[CDHS])$/.exec(call);
  return found && { level: Number(found[1]), strain: STRAINS.findIndex((each) => each.letter === found[2]) };
};

// The recorded word for a player whose call nobody saw.
export const SKIPPED = "SkipBid";

// An auction so far, from its calls as texts: whose turn, whether it is over, its contract. A player who was skipped
// may have passed, so it counts towards the end, but only a pass ends an auction.
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

  caller(place) {
    return turned(this.first, place);
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
    if (this.calls.indexOf(SKIPPED, this.bidAt + 1) >= 0) return true; // nobody knows what was called
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

  get contract() {
    if (this.bidAt < 0 || !this.isOver) return null;
    const bid = bidOf(this.calls[this.bidAt]);
    let first = this.bidAt % 2;
    while (bidOf(this.calls[first])?.strain !== bid.strain) first += 2;
    return { ...bid, doubling: this.doubling, declarer: this.caller(first) };
  }
}

// Play ------------------------------------------------------------------------------------------------------------

// The play of a contract so far; `hands` are the four hands where they are known, else null.
export class Play {
  constructor(hands, contract, cards) {
    this.trump = STRAINS[contract.strain].suit;
    this.held = hands && Object.fromEntries(SEATS.map((seat) => [seat, new Set(hands[seat])]));
    this.seen = new Set();
    this.voids = new Set();
    this.won = { NS: 0, EW: 0 };
    this.following = next(contract.declarer);
    this.trick = null; // leader and cards of the last trick, complete or not
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
    if (!hand.has(this.named(card))) return false;
    const led = this.current && suitOf(this.current.cards[0]);
    return !led || suitOf(card) === led || ![...hand].some((other) => suitOf(other) === led);
  }

  // The card that a small card is: the lowest of its suit, where the hands are known.
  named(card) {
    if (!this.held || !isSmall(card)) return card;
    const suit = [...this.held[this.following]].filter((each) => suitOf(each) === suitOf(card));
    return suit.sort((one, other) => rankOf(one) - rankOf(other))[0] ?? card;
  }

  // The player of the last card.
  get player() {
    return turned(this.trick.leader, this.trick.cards.length - 1);
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
      // Of small cards alone, the first is taken for the highest.
      const values = this.trick.cards.map(worth);
      this.following = turned(this.trick.leader, values.indexOf(Math.max(...values)));
      this.won[sideOf(this.following)] += 1;
    }
  }
}
