// The state of a terminal and the moves that all its flows use. Has no dependency on keys or screens.
//
// All fields are plain values that JSON can hold, and a terminal's memory on the device has the same names. Flows never
// change a list or an object in place; they replace it.

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

// Return a command as the server reads it: its kind, the default of every field, and these fields.
export const command = (kind, fields) => ({ kind, ...COMMANDS[kind], ...fields });

export const placeKey = (round, board) => `${round}/${board}`;

// The draft of a board of which nothing is entered.
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
  odd_lead: "", // a lead that the leader does not hold by the deal, until the players confirm it
  outcome: "",
  was: "", // the outcome that a correction replaces
  is_correction: false,
};

const REMEMBERED = 60; // acknowledged entries that are kept for another server

// The state of a terminal that has never logged on. All of it is stored on the device, so a reloaded page continues
// at the same place. If the journal's server can fail over, a machine also has the `timeline` of that server and the
// last entries that were `acknowledged`, because the next server may lack them.

export const NEW_MACHINE = {
  session: "",
  lobby: [],
  run: "", // part of every entry id; differs for each run of the page on this device
  count: 0,
  snapshot: null,
  stage: Stage.LOG_ON,
  choice: null,
  round: 0,
  draft: NO_DRAFT,
  odd_board: 0, // a board out of order, until the players confirm it
  steps: [],
  shown_board: 0,
  page: 0,
  hands: [], // the hands entered so far of a hand record
  seats: [],
  typed: [],
  numbers_round: 0,
  numbers_asked: -1, // the last round whose numbers were asked for; 0 is before play
  is_directors_change: false, // true if the director asked for the numbers; the rules do not matter then
  back: Stage.ROUND,
  purpose: Purpose.MENU,
  permission: "", // the server's token for the director's PIN; sent with the entries made in the menu
  resets: 0,
  has_ended: false,
  language: null,
  notice: null,
  outbox: [],
  kept: [], // results that this device's entries set or erase, until a snapshot contains them
  conflicts: [],
  refused: [], // conflicts that the players have confirmed; the director's status lists them
};

const isSameTable = (one, other) => one.section === other.section && one.table === other.table;

export class Machine {
  constructor(memory = {}) {
    Object.assign(this, structuredClone(NEW_MACHINE), memory);
  }

  // The table ------------------------------------------------------------------------------------------------------

  // Return the snapshot of the table; throw an error if the terminal is not logged on.
  get tableSnapshot() {
    if (!this.snapshot) throw new Error("a terminal that is not logged on");
    return this.snapshot;
  }

  get rules() {
    return this.tableSnapshot.rules;
  }

  // Return the results of this table by round and board, including entries that are not sent yet.
  results() {
    const results = new Map(
      this.tableSnapshot.results.map((result) => [placeKey(result.round, result.board), result]),
    );
    for (const kept of this.kept) {
      if (!isSameTable(kept, this.tableSnapshot)) continue;
      if (kept.result === null) results.delete(placeKey(kept.round, kept.board));
      else results.set(placeKey(kept.round, kept.board), kept.result);
    }
    return results;
  }

  resultOf(round, board) {
    return this.results().get(placeKey(round, board)) ?? null;
  }

  roundOf(number) {
    return this.tableSnapshot.rounds[number - 1] ?? null;
  }

  // Return the round that the table plays, null before the first.
  currentRound() {
    return this.roundOf(this.round);
  }

  // Return the boards of a round that have no result.
  openBoards(number = this.round) {
    const tableRound = this.roundOf(number);
    if (!tableRound?.is_played) return [];
    const results = this.results();
    return tableRound.boards.filter((board) => !results.has(placeKey(tableRound.number, board)));
  }

  // Return the number of the round to play now, 0 if none. It is the first round with open boards that is not before
  // the latest round with a result; boards left out of earlier rounds come last. A result that somebody else entered
  // ahead of play, such as an adjusted score, does not make its round the latest.
  roundToPlay() {
    if (this.tableSnapshot.has_ended) return 0;
    const open = this.tableSnapshot.rounds
      .filter((tableRound) => this.openBoards(tableRound.number).length)
      .map((tableRound) => tableRound.number);
    const reached = [...this.results()].filter(([, result]) => !result.is_ahead);
    const latest = Math.max(0, ...reached.map(([key]) => parseInt(key, 10)));
    const ahead = open.filter((number) => number >= latest);
    return ahead[0] ?? open[0] ?? 0;
  }

  dealOf(board) {
    return this.tableSnapshot.deals?.[board] ?? "";
  }

  dealIsKnown(board) {
    return this.tableSnapshot.known_deals.includes(board) || this.enteredDeal(board);
  }

  // Return whether this terminal's entry of the deal waits in the outbox.
  enteredDeal(board) {
    return this.outbox.some(
      (entry) =>
        entry.command.kind === "put-hand-records" &&
        entry.command.records.some((record) => record.board === board),
    );
  }

  // Moves ---------------------------------------------------------------------------------------------------------

  // Show a notice: the key of its text and the figures in it.
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

  // Put a command in the outbox; return the entry's id.
  emit(newCommand, identity = "") {
    const entry = {
      id: identity || this.nextId(),
      incarnation: this.snapshot?.incarnation ?? 0,
      command: newCommand,
      ...(this.permission && { permission: this.permission }),
    };
    this.outbox = [...this.outbox, entry];
    return entry.id;
  }

  // Remember the result that an entry sets, or null if it erases it, until a snapshot contains it.
  keep(entry, round, board, result) {
    const { section, table } = this.tableSnapshot;
    this.kept = [...this.kept, { entry, section, table, round, board, result, version: null }];
  }

  dropDraft() {
    this.draft = { ...NO_DRAFT };
    this.odd_board = 0;
  }

  // The order of the stages --------------------------------------------------------------------------------------

  // Show these stages one after another, then go on.
  showStages(steps) {
    this.steps = steps;
    this.nextStep();
  }

  // Go to the next planned stage, else to the next board, else to the next round.
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

  // Return whether a planned stage still has something to show.
  isWanted(step) {
    if (step.stage === Stage.ENTER_HAND) return !this.dealIsKnown(step.board);
    // Online, the figures arrive a moment after the last result, and the open screen shows them then.
    if (step.stage === Stage.RANKING || step.stage === Stage.SUMMARY) return !this.rules.is_offline;
    if (step.stage === Stage.NEXT)
      return this.tableSnapshot.onward.some((onward) => onward.round === this.round);
    return true;
  }

  // Return side, rank and score of the two pairs of the round.
  ranks() {
    return this.tableSnapshot.ranks
      .filter((rank) => rank.round === this.round)
      .map((rank) => [rank.side, rank.rank, rank.score]);
  }

  // Ask for the number of the next board, or begin it if the rules choose the board.
  startBoard() {
    this.dropDraft();
    const boards = this.openBoards();
    const tableRound = this.currentRound();
    const isFirst = tableRound !== null && boards.length === tableRound.boards.length;
    if (!this.rules.auto_board_number || (this.rules.first_board_manually && isFirst)) this.go(Stage.BOARD);
    else this.beginBoard(boards[0]);
  }

  // Begin to enter a board: at its contract, or after it if the contract was sent before.
  beginBoard(board) {
    this.odd_board = 0;
    this.draft = { ...NO_DRAFT, board };
    this.go(this.rules.record_bidding ? Stage.AUCTION : Stage.CONTRACT);
    for (const begun of this.tableSnapshot.begun) {
      if (begun.round !== this.round || begun.board !== board) continue;
      const { level, strain, doubling, declarer } = parseContract(begun.contract);
      const asksLead = this.rules.lead_entry !== LeadEntry.NEVER;
      const lead = asksLead && !checksLead(this.rules) ? begun.lead : "";
      this.draft = { ...NO_DRAFT, board, level, strain, doubling, declarer, lead };
      // If leads are checked, ask for the lead again: the one that was sent may not have been checked.
      const isLed = !asksLead || Boolean(lead);
      this.go(this.rules.record_play ? Stage.PLAY : isLed ? Stage.RESULT : Stage.LEAD);
    }
  }

  // Show what follows the result of a board.
  afterBoard(board) {
    const { view_results: view, enter_hand_record: hands } = this.rules;
    const steps = [];
    if (view === ViewResults.OWN || view === ViewResults.ALL) steps.push({ stage: Stage.RESULTS, board });
    if (hands === HandEntry.AFTER_BOARD) steps.push({ stage: Stage.ENTER_HAND, board });
    if (!this.openBoards().length) steps.push(...this.afterRound());
    this.showStages(steps);
  }

  // Return the stages to show after the last board of a round.
  afterRound() {
    const { rules } = this;
    const boards = this.currentRound()?.boards ?? [];
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

  // Go on with the next round, wait for one, or end the session.
  goOn() {
    this.dropDraft();
    const number = this.roundToPlay();
    if (number) {
      this.has_ended = false;
      this.round = number;
      this.go(Stage.ROUND);
    } else if (this.tableSnapshot.is_waiting) {
      this.go(Stage.WAITING);
    } else if (this.has_ended) {
      this.go(Stage.END);
    } else {
      this.has_ended = true;
      const numbers = this.tableSnapshot.rounds
        .filter((tableRound) => tableRound.is_played)
        .map((tableRound) => tableRound.number);
      // Ended early, the table shows the ranks of the pairs that sit there, not of those of its last round.
      const isEarly = numbers.some((number) => this.openBoards(number).length);
      if (!isEarly || !this.round) this.round = Math.max(0, ...numbers);
      const steps = this.rules.ranking === ShowRanking.AT_END ? [{ stage: Stage.RANKING, board: 0 }] : [];
      if (this.rules.summary !== SummaryPoints.NONE) steps.push({ stage: Stage.SUMMARY, board: 0 });
      this.showStages([...steps, { stage: Stage.END, board: 0 }]);
    }
  }

  // Results -------------------------------------------------------------------------------------------------------

  // Enter a result of this table, or correct the one on record.
  enter(result, at) {
    const { session, section, table, incarnation } = this.tableSnapshot;
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
    const newCommand =
      standing === null
        ? command("enter-result", { session, entry, incarnation })
        : command("correct-result", {
            session,
            entry,
            origin: Origin.TERMINAL,
            was: standing.outcome || null,
            incarnation,
          });
    this.keep(this.emit(newCommand), result.round, result.board, result);
  }

  // Remove an answered entry from the outbox and return it, null if it is not there. Its result stays in `kept` until a
  // snapshot contains it.
  reply(id, version) {
    const answered = this.outbox.find((entry) => entry.id === id) ?? null;
    if (answered) {
      this.outbox = this.outbox.filter((entry) => entry.id !== id);
      this.kept = this.kept.map((kept) => (kept.entry === id ? { ...kept, version } : kept));
      if (version && this.timeline)
        this.acknowledged = [...(this.acknowledged ?? []), answered].slice(-REMEMBERED);
    }
    return answered;
  }
}

// Return whether the rules check a lead against the deal.
export const checksLead = (rules) =>
  rules.lead_entry === LeadEntry.CHECKED || rules.lead_entry === LeadEntry.CHECKED_WITH_EXCEPTIONS;
