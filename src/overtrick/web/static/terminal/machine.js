// The state of a terminal and the few moves that all its flows are made of. Knows no key and no screen.
// The fields are those of a terminal's memory, by the same names, and are plain values: what is replaced is
// replaced whole, never changed in place.

import { parseContract } from "./bridge.js";
import { Purpose, Stage } from "./stages.js";
import {
  BLANK,
  COMMANDS,
  HandEntry,
  LeadEntry,
  Origin,
  ScoreRecap,
  ShowRanking,
  SummaryPoints,
  ViewResults,
} from "./vocabulary.js";

export const ENTERING = [
  Stage.AUCTION,
  Stage.CONTRACT,
  Stage.DECLARER,
  Stage.PAIR,
  Stage.LEAD,
  Stage.PLAY,
  Stage.RESULT,
  Stage.VERIFY,
]; // the stages in which a board is half entered

// A command as it is written down: its kind, every field that it has, and what is given.
export const command = (kind, given) => ({ kind, ...COMMANDS[kind], ...given });

export const placeKey = (round, board) => `${round}/${board}`;

// A board of which nothing is entered.
export const NO_DRAFT = {
  board: 0,
  level: 0,
  strain: 0,
  doubling: 0,
  declarer: null,
  is_wrong_direction: false,
  calls: [],
  cards: [],
  lead: "",
  odd_lead: "", // a lead that the deal does not have, waiting for a yes
  outcome: "",
  was: "", // what stood there, where this is a correction
  is_correction: false,
};

// A terminal that knows nothing yet. All of it is written down and read back, so a device goes on where it was.
// Where the journal is on a server that may be lost, a machine also has its `timeline` and the last entries that it has
// `acknowledged`: another server may lack them.
const REMEMBERED = 60; // entries

export const NEW_MACHINE = {
  session: "",
  lobby: [],
  run: "", // makes the ids of this run's entries different from those of any other run of the device
  count: 0,
  snapshot: null,
  stage: Stage.LOG_ON,
  choice: null,
  round: 0,
  draft: NO_DRAFT,
  odd_board: 0, // a board out of order, waiting for a yes
  steps: [],
  shown_board: 0,
  page: 0,
  hands: [], // the hands of a deal that is being entered
  seats: [],
  typed: [],
  numbers_round: 0,
  numbers_asked: -1, // the last round whose numbers were asked for; 0 is before play
  is_directors_change: false, // whether the director lets numbers be asked for, whatever the rules are
  back: Stage.ROUND,
  purpose: Purpose.MENU,
  permission: "", // what the server gave for the director's PIN; entries made behind it show it
  resets: 0,
  has_ended: false,
  language: null,
  notice: null,
  outbox: [],
  kept: [], // what this device's entries make of results until a snapshot says so itself
  conflicts: [],
  refused: [], // conflicts that the players have seen; the director's status shows them
};

const same = (one, other) => one.section === other.section && one.table === other.table;

export class Machine {
  constructor(kept = {}) {
    Object.assign(this, structuredClone(NEW_MACHINE), kept);
  }

  // What is known -------------------------------------------------------------------------------------------------

  get known() {
    if (!this.snapshot) throw new Error("a terminal that is not logged on");
    return this.snapshot;
  }

  get rules() {
    return this.known.rules;
  }

  // The results of this table by round and board, with what has not been sent yet.
  results() {
    const found = new Map(this.known.results.map((result) => [placeKey(result.round, result.board), result]));
    for (const kept of this.kept) {
      if (!same(kept, this.known)) continue;
      if (kept.result === null) found.delete(placeKey(kept.round, kept.board));
      else found.set(placeKey(kept.round, kept.board), kept.result);
    }
    return found;
  }

  resultOf(round, board) {
    return this.results().get(placeKey(round, board)) ?? null;
  }

  roundOf(number) {
    return this.known.rounds[number - 1] ?? null;
  }

  here() {
    return this.roundOf(this.round);
  }

  // The boards of a round that have no result.
  openBoards(number = this.round) {
    const here = this.roundOf(number);
    if (!here?.is_played) return [];
    const results = this.results();
    return here.boards.filter((board) => !results.has(placeKey(here.number, board)));
  }

  // The round to go on with: not before one that has results of this table, and what was left out comes last; 0 is
  // none. A result that others entered ahead, such as an award, is skipped when its round comes.
  roundToPlay() {
    const open = this.known.rounds
      .filter((here) => this.openBoards(here.number).length)
      .map((here) => here.number);
    const reached = [...this.results()].filter(([, result]) => !result.is_ahead);
    const latest = Math.max(0, ...reached.map(([key]) => parseInt(key, 10)));
    const ahead = open.filter((number) => number >= latest);
    return ahead[0] ?? open[0] ?? 0;
  }

  dealOf(board) {
    return this.known.deals?.[board] ?? "";
  }

  dealIsKnown(board) {
    return this.known.known_deals.includes(board) || this.enteredDeal(board);
  }

  // Whether this terminal has just entered the deal, and nobody has said no.
  enteredDeal(board) {
    return this.outbox.some(
      (entry) =>
        entry.command.kind === "put-hand-records" &&
        entry.command.records.some((record) => record.board === board),
    );
  }

  // Moves ---------------------------------------------------------------------------------------------------------

  tell(key, about = {}) {
    this.notice = {
      key,
      about: Object.fromEntries(Object.entries(about).map(([name, value]) => [name, String(value)])),
    };
  }

  go(stage, board = 0) {
    this.stage = stage;
    this.page = 0;
    if (board) this.shown_board = board;
  }

  nextId() {
    this.count += 1;
    return `${this.device}.${this.run}.${this.count}`;
  }

  // Put a command in the outbox; its id.
  emit(wanted, identity = "") {
    const entry = {
      id: identity || this.nextId(),
      incarnation: this.snapshot?.incarnation ?? 0,
      command: wanted,
      ...(this.permission && { permission: this.permission }),
    };
    this.outbox = [...this.outbox, entry];
    return entry.id;
  }

  // Remember what an entry makes of a result.
  keep(entry, round, board, result) {
    const { section, table } = this.known;
    this.kept = [...this.kept, { entry, section, table, round, board, result, version: null }];
  }

  dropDraft() {
    this.draft = { ...NO_DRAFT };
    this.odd_board = 0;
  }

  // The order of things -------------------------------------------------------------------------------------------

  // Show these stages one after the other, then go on.
  follow(steps) {
    this.steps = steps;
    this.nextStep();
  }

  // The next stage of what is to be shown, else the next board, else whatever comes after the round.
  nextStep() {
    while (this.steps.length) {
      const [step, ...rest] = this.steps;
      this.steps = rest;
      if (this.isWanted(step)) {
        this.hands = [];
        this.go(step.stage, step.board);
        return;
      }
    }
    if (this.openBoards().length) this.startBoard();
    else this.goOn();
  }

  // Whether a planned stage still has something to show.
  isWanted(step) {
    if (step.stage === Stage.ENTER_HAND) return !this.dealIsKnown(step.board);
    // On the network they follow the last result by a moment, and fill the screen when they come.
    if (step.stage === Stage.RANKING || step.stage === Stage.SUMMARY) return !this.rules.is_offline;
    if (step.stage === Stage.NEXT) return this.known.onward.some((onward) => onward.round === this.round);
    return true;
  }

  // Side, rank and score of the two pairs of the round.
  ranks() {
    return this.known.ranks
      .filter((rank) => rank.round === this.round)
      .map((rank) => [rank.side, rank.rank, rank.score]);
  }

  // Ask for the next board, or begin it where boards come by themselves.
  startBoard() {
    this.dropDraft();
    const boards = this.openBoards();
    const here = this.here();
    const isFirst = here !== null && boards.length === here.boards.length;
    if (!this.rules.auto_board_number || (this.rules.first_board_manually && isFirst)) this.go(Stage.BOARD);
    else this.beginBoard(boards[0]);
  }

  // Enter this board: from its contract, or from where its contract was sent already.
  beginBoard(board) {
    this.odd_board = 0;
    this.draft = { ...NO_DRAFT, board };
    this.go(this.rules.record_bidding ? Stage.AUCTION : Stage.CONTRACT);
    for (const begun of this.known.begun) {
      if (begun.round !== this.round || begun.board !== board) continue;
      const { level, strain, doubling, declarer } = parseContract(begun.contract);
      const asksLead = this.rules.lead_entry !== LeadEntry.NEVER;
      const lead = asksLead && !checksLead(this.rules) ? begun.lead : "";
      this.draft = { ...NO_DRAFT, board, level, strain, doubling, declarer, lead };
      // Where leads are checked the card is asked for again, and checked.
      const isLed = !asksLead || Boolean(lead);
      this.go(this.rules.record_play ? Stage.PLAY : isLed ? Stage.RESULT : Stage.LEAD);
    }
  }

  // What follows when a board has its result.
  afterBoard(board) {
    const { view_results: view, enter_hand_record: hands } = this.rules;
    const steps = [];
    if (view === ViewResults.OWN || view === ViewResults.ALL) steps.push({ stage: Stage.RESULTS, board });
    if (hands === HandEntry.AFTER_BOARD) steps.push({ stage: Stage.ENTER_HAND, board });
    if (!this.openBoards().length) steps.push(...this.afterRound());
    this.follow(steps);
  }

  // What is shown when the last board of a round has its result.
  afterRound() {
    const { rules } = this;
    const boards = this.here()?.boards ?? [];
    const steps = [];
    if (rules.view_results === ViewResults.END_OF_ROUND)
      steps.push(...boards.map((board) => ({ stage: Stage.RESULTS, board })));
    if (rules.enter_hand_record === HandEntry.AFTER_ROUND)
      steps.push(...boards.map((board) => ({ stage: Stage.ENTER_HAND, board })));
    if (rules.auto_score_recap || rules.score_recap === ScoreRecap.END_OF_ROUND)
      steps.push({ stage: Stage.RECAP, board: 0 });
    if (rules.ranking === ShowRanking.EVERY_ROUND || rules.ranking === ShowRanking.ALWAYS)
      steps.push({ stage: Stage.RANKING, board: 0 });
    if (rules.show_next_seating) steps.push({ stage: Stage.NEXT, board: 0 });
    return steps;
  }

  // Go on with the next round, wait for one, or end.
  goOn() {
    this.dropDraft();
    const number = this.roundToPlay();
    if (number) {
      this.has_ended = false;
      this.round = number;
      this.go(Stage.ROUND);
    } else if (this.known.is_waiting) {
      this.go(Stage.WAITING);
    } else if (this.has_ended) {
      this.go(Stage.END);
    } else {
      this.has_ended = true;
      this.round = Math.max(
        0,
        ...this.known.rounds.filter((here) => here.is_played).map((here) => here.number),
      );
      const steps = this.rules.ranking === ShowRanking.AT_END ? [{ stage: Stage.RANKING, board: 0 }] : [];
      if (this.rules.summary !== SummaryPoints.NONE) steps.push({ stage: Stage.SUMMARY, board: 0 });
      this.follow([...steps, { stage: Stage.END, board: 0 }]);
    }
  }

  // Results -------------------------------------------------------------------------------------------------------

  // Enter a result of this table, or correct the one that stands.
  enter(result, at) {
    const { session, section, table, incarnation } = this.known;
    const standing = this.resultOf(result.round, result.board);
    const entry = {
      ...BLANK.result_entry,
      section,
      table,
      round: result.round,
      board: result.board,
      outcome: result.outcome,
      at,
      lead: result.lead || null,
      is_wrong_direction: result.is_wrong_direction,
    };
    const wanted =
      standing === null
        ? command("enter-result", { session, entry, incarnation })
        : command("correct-result", {
            session,
            entry,
            origin: Origin.TERMINAL,
            was: standing.outcome || null,
            incarnation,
          });
    this.keep(this.emit(wanted), result.round, result.board, result);
  }

  // Take an acknowledged entry out of the outbox; what it made stays until a snapshot has it too.
  reply(id, version) {
    const found = this.outbox.find((entry) => entry.id === id) ?? null;
    if (found) {
      this.outbox = this.outbox.filter((entry) => entry.id !== id);
      this.kept = this.kept.map((kept) => (kept.entry === id ? { ...kept, version } : kept));
      if (version && this.timeline)
        this.acknowledged = [...(this.acknowledged ?? []), found].slice(-REMEMBERED);
    }
    return found;
  }
}

// Whether a lead is held against the deal.
export const checksLead = (rules) =>
  rules.lead_entry === LeadEntry.CHECKED || rules.lead_entry === LeadEntry.CHECKED_WITH_EXCEPTIONS;
