// Random keys at a terminal, with a director who interferes and a network that comes and goes. The oracle computes from
// the settings alone, without the terminal's code, which screens and results are forbidden.

import assert from "node:assert/strict";
import { load, sorted } from "./modules.mjs";
import { CHOICES, rounds, TEXTS, Terminal, TestEvent, vocabulary } from "./test_event.mjs";

const { parseDeal, parseOutcome } = await load("bridge.js");
const { say } = await load("messages.js");
const {
  AWARDS,
  CallStatus,
  CARDS,
  Doubling,
  HandEntry,
  Language,
  LeadEntry,
  NumberEntry,
  NumberRules,
  PairNumberEntry,
  ScoreRecap,
  SEATS,
  ShowNames,
  ShowRanking,
  STRAINS,
  SummaryPoints,
  ViewResults,
} = vocabulary;

// Chance ------------------------------------------------------------------------------------------------------------

// A seeded random generator (mulberry32).
export class Chance {
  constructor(seed) {
    this.state = (seed * 0x9e3779b1) >>> 0;
  }

  random() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  // Return an integer from the least to the most, both included.
  between(least, most) {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  pick(values) {
    return values[this.between(0, values.length - 1)];
  }
}

// Return settings of either generation, each with a random value in its range.
export function randomSettings(chance, generation = chance.pick(Object.keys(CHOICES))) {
  const settings = { generation };
  for (const [name, { values, range }] of Object.entries(CHOICES[generation])) {
    settings[name] = values ? chance.pick(values) : chance.between(...range);
  }
  return settings;
}

const PLANS = [
  {
    tables: [
      { table: 1, rounds: rounds(2, [1, 2, 1], [1, 3, 3], [1, 4, 5]) },
      { table: 2, rounds: rounds(2, [3, 4, 1], [4, 2, 3], [2, 3, 5]) },
    ],
  },
  // a sit-out first, an empty round, a rover's table, pairs with the same number
  {
    section: { section: "A", group: 1, winners: 2 },
    tables: [
      {
        table: 1,
        rounds: [
          { ns: 1, ew: 0, boards: [1, 2] },
          { ns: 1, ew: 1, boards: [1, 2] },
          { ns: 0, ew: 0 },
          { ns: 1, ew: 3, boards: [5, 6] },
        ],
      },
      { table: 2, rounds: rounds(2, [2, 2, 1], [2, 3, 3], [2, 1, 5]) },
      {
        table: 3,
        rounds: [
          { ns: 3, ew: 0 },
          { ns: 3, ew: 0 },
        ],
      },
    ],
  },
  // one board in each round, so that many evenings reach their end
  {
    tables: [
      { table: 1, rounds: rounds(1, [1, 2, 1], [1, 3, 2]) },
      { table: 2, rounds: rounds(1, [3, 4, 1], [4, 2, 2]) },
    ],
  },
  // an individual event
  {
    section: { section: "A", group: 1, game: "individual" },
    tables: [
      {
        table: 1,
        rounds: [
          { ns: 1, ew: 2, boards: [1, 2], south: 3, west: 4 },
          { ns: 5, ew: 3, boards: [3, 4], south: 2, west: 1 },
        ],
      },
      {
        table: 2,
        rounds: [
          { ns: 5, ew: 6, boards: [1, 2], south: 7, west: 8 },
          { ns: 1, ew: 4, boards: [3, 4], south: 6, west: 8 },
        ],
      },
    ],
  },
];

// Boards 3, 4 and 6 have no hand record to begin with.
export const DEALS = {
  1: "N:AQ72.K84.T93.J65 K5.QT963.A6.Q942 JT83.A2.KQJ5.K73 964.J75.8742.AT8",
  2: "N:K5.QT963.A6.Q942 JT83.A2.KQJ5.K73 964.J75.8742.AT8 AQ72.K84.T93.J65",
  5: "N:964.J75.8742.AT8 AQ72.K84.T93.J65 K5.QT963.A6.Q942 JT83.A2.KQJ5.K73",
};

// Forbidden by settings --------------------------------------------------------------------------------------------

// Return whether settings forbid a screen, or something on it.
const forbidden = (settings, screen) =>
  Boolean((settings.generation === "II" ? FORBIDDEN_II : FORBIDDEN_III)[screen.screen]?.(settings, screen));

// Return whether the head of an entry names players or pairs that settings of the second generation hide.
function hidesSides(s, { sides }, round) {
  const isNamed =
    s.show_names === ShowNames.EVERY_ROUND || (s.show_names === ShowNames.FIRST_ROUND && round === 1);
  return sides.some(
    ({ numbers, names }) => (names.length && !isNamed) || (numbers.length && !s.show_pair_numbers),
  );
}

const FORBIDDEN_II = {
  StartingPositionsScreen: () => true,
  RoundScreen(s, screen) {
    const named =
      s.show_names === ShowNames.EVERY_ROUND ||
      (s.show_names === ShowNames.FIRST_ROUND && screen.round === 1);
    return (screen.players.length && !named) || (screen.ns !== null && !s.show_pair_numbers);
  },
  NumberScreen: (s, screen) => screen.is_required !== s.numbers_required,
  PairScreen: (s) => s.pair_number_entry === PairNumberEntry.NEVER,
  LeadScreen: (s) => !s.ask_lead || s.record_play,
  AuctionScreen: (s, screen) => !s.record_bidding || (screen.deal && !s.show_hands_while_recording),
  PlayScreen: (s, screen) => !s.record_play || (screen.deal && !s.show_hands_while_recording),
  ResultScreen: (s, screen) => screen.method !== s.result_entry,
  BoardScreen: (s, screen) => screen.remaining !== null && !s.show_remaining_boards,
  ContractScreen: (s, screen) => screen.remaining !== null && !s.show_remaining_boards,
  ResultsScreen(s, screen) {
    const { lines } = screen;
    const alone = lines.some((line) => line.is_own) && !s.show_own_result;
    const tooMany = s.maximum_results && lines.length > s.maximum_results;
    const percent = screen.points !== null && !s.show_percentage;
    const paged = lines.length > (s.overview.includes("4 lines") ? 4 : 6);
    const wide = lines.some((line) => line.scores.length !== (s.overview.includes("2 col") ? 2 : 1));
    const other = screen.is_frequency !== s.overview.startsWith("frequency");
    return (
      !s.show_results ||
      alone ||
      tooMany ||
      percent ||
      paged ||
      wide ||
      other ||
      lines.some((line) => line.count < 1)
    );
  },
  HandScreen: (s) => !s.view_hand_record,
  EnterHandScreen: (s) => s.enter_hand_record === HandEntry.NEVER,
  RecapScreen: (s, screen) =>
    !(s.score_recap || s.auto_score_recap) || screen.can_correct !== s.score_correction,
  RankingScreen: (s) => s.ranking === ShowRanking.NEVER,
  NextScreen: (s) => !s.show_next_seating,
  SummaryScreen: (s) =>
    !s.summary || s.ranking === ShowRanking.NEVER || s.summary_points === SummaryPoints.NONE,
};

const FORBIDDEN_III = {
  StartingPositionsScreen: (s, screen) =>
    !s.confirm_starting_positions || screen.north_at_bottom !== s.north_at_bottom,
  RoundScreen: (s, screen) => screen.north_at_bottom !== s.north_at_bottom,
  NumberScreen: (s, screen) => screen.is_required !== s.numbers_required,
  PairScreen: () => true,
  AuctionScreen: () => true,
  PlayScreen: () => true,
  LeadScreen: (s) => s.lead_entry === LeadEntry.NEVER,
  ResultScreen: (s, screen) => screen.method !== s.result_entry,
  ResultsScreen(s, screen) {
    const others = screen.lines.some((line) => !line.is_own);
    const wide = screen.lines.some((line) => line.scores.length !== (s.two_score_columns ? 2 : 1));
    const percent = screen.points?.[0].includes("%") && !s.view_percentages;
    return (
      s.view_results === ViewResults.NONE || (s.view_results === ViewResults.OWN && others) || wide || percent
    );
  },
  HandScreen: (s) => !s.view_hand_record,
  EnterHandScreen: (s) => s.enter_hand_record === HandEntry.NEVER,
  RecapScreen: (s, screen) => s.score_recap === ScoreRecap.NEVER || screen.can_correct !== s.reentry,
  RankingScreen: (s) => s.ranking === ShowRanking.NEVER,
  NextScreen: (s) => !s.show_next_seating,
  SummaryScreen: (s) => !s.summary,
};

// Return whether players can enter their numbers.
const asksNumbers = (s) =>
  s.generation === "II" ? s.ask_numbers : s.number_entry !== NumberEntry.NEVER || s.number_entry_during_play;

// Return the keys that settings forbid, except in the director's menu.
function forbiddenKeys(s, screen) {
  const keys = [];
  if (!s.director_calls) keys.push("CallDirector", "WithdrawCall");
  if (screen.screen === "MenuScreen") return keys;
  if (s.generation === "II") {
    if (!s.reset_key) keys.push("Reset");
    if (!s.score_correction) keys.push("Correct");
    if (!s.score_recap) keys.push("ShowScores");
    if (!s.repeat_results) keys.push("Repeat");
  } else {
    if (!s.reentry) keys.push("Correct");
    if (s.score_recap !== ScoreRecap.ALWAYS) keys.push("ShowScores");
    keys.push("Repeat");
  }
  if (s.ranking !== ShowRanking.ALWAYS) keys.push("ShowRanking");
  if (!s.view_hand_record) keys.push("ShowHand");
  if (!asksNumbers(s)) keys.push("ChangePlayer");
  if (s.generation === "II" ? s.validate_lead : s.lead_entry === LeadEntry.CHECKED) keys.push("SkipLead");
  if (screen.is_correction) keys.push("PendRuling");
  return keys;
}

// Possible entries -----------------------------------------------------------------------------------------------

// Check that an entry is possible at a table, whatever was pressed.
function checkEntry(s, { command }, wasDirector) {
  if (command.kind === "enter-result" || command.kind === "correct-result")
    checkResult(s, command.entry, wasDirector);
  if (command.kind === "put-participations") {
    const rules = s.generation === "II" ? s.number_rules : NumberRules.NONE;
    for (const { number } of command.participations) {
      assert.ok(number);
      if (rules === NumberRules.ACBL) assert.equal(number.length, 7);
      else if (rules !== NumberRules.NONE) assert.match(number, /^\d+$/);
    }
  }
}

function checkResult(s, entry, wasDirector) {
  const outcome = parseOutcome(entry.outcome);
  const isPlayed = outcome.kind === "played";
  const isAward = AWARDS.includes(entry.outcome);
  assert.ok(
    isPlayed || isAward || ["Pass", "NP", "Arbitral", "Cancelled"].includes(entry.outcome),
    entry.outcome,
  );
  if (isPlayed) {
    const { level } = outcome.contract;
    assert.ok(
      level >= 1 && level <= 7 && -(level + 6) <= outcome.over && outcome.over <= 7 - level,
      entry.outcome,
    );
  }
  if (isAward || entry.outcome === "Cancelled") assert.ok(wasDirector, "only the director gives an award");
  if (wasDirector) return;
  const isSecond = s.generation === "II";
  const isStrict = isSecond ? s.ask_lead && s.validate_lead : s.lead_entry === LeadEntry.CHECKED;
  const hasLead = isSecond ? s.ask_lead : s.lead_entry !== LeadEntry.NEVER;
  const mayBeSkipped = isSecond ? !s.validate_lead : s.lead_entry !== LeadEntry.CHECKED;
  if (isPlayed && !(hasLead && mayBeSkipped)) assert.equal(Boolean(entry.lead), hasLead);
  assert.ok((isSecond && s.pair_number_entry !== PairNumberEntry.NEVER) || !entry.is_wrong_direction);
  if (isStrict && isPlayed && entry.lead && DEALS[entry.board]) {
    const leader = SEATS[(SEATS.indexOf(outcome.contract.declarer) + 1) % 4];
    assert.ok(parseDeal(DEALS[entry.board])[leader].has(entry.lead), `${leader} has no ${entry.lead}`);
  }
}

// Screens that return to the screen before.
const INTERRUPTIONS = ["PinScreen", "MenuScreen", "StatusScreen", "ViewBoardScreen", "ConflictScreen"];

// Keys --------------------------------------------------------------------------------------------------------------

const NUMBERS = ["", "1000004", "1000005", "490714", "7", "007", "12", "13", "abc", " ", "9".repeat(30)];
const CALLS = [
  "X",
  "XX",
  ...[1, 2, 3, 4, 5, 6, 7].flatMap((level) => STRAINS.map(({ letter }) => `${level}${letter}`)),
];
const RARE = ["Reset", "Director", "Cancel", "CallDirector", "ChangePlayer", "NoPlay", "PendRuling"];
const roundOf = (chance) => (chance.random() < 0.95 ? chance.between(0, 4) : chance.between(-5, 300));
const boardOf = (chance) => (chance.random() < 0.95 ? chance.between(1, 6) : chance.between(-5, 300));

// Random values for each kind of key.
const GRANTED = { permission: "granted" };

const KEYS = {
  Choose: (chance) => ({ section: chance.pick("AAAB"), table: chance.between(0, 4) }),
  Confirm: () => ({}),
  Cancel: () => ({}),
  More: () => ({}),
  Repeat: () => ({}),
  Number: (chance) => ({ number: chance.pick(NUMBERS) }),
  ChangePlayer: (chance) => ({ seat: chance.pick(SEATS) }),
  Board: (chance) => ({ board: boardOf(chance) }),
  Bid: (chance) => ({
    level: chance.random() < 0.95 ? chance.between(1, 7) : chance.between(-3, 12),
    strain: chance.between(0, 4),
  }),
  PassOut: () => ({}),
  NoPlay: () => ({}),
  PendRuling: () => ({}),
  SkipLead: () => ({}),
  Double: (chance) => ({ doubling: chance.pick(Object.values(Doubling)) }),
  Declarer: (chance) => ({ seat: chance.pick(SEATS) }),
  PairNumber: (chance) => ({ pair: roundOf(chance) }),
  Lead: (chance) => ({ card: chance.pick(CARDS) }),
  MakeCall: (chance) => ({ call: chance.random() < 0.6 ? "Pass" : chance.pick(CALLS) }),
  PlayCard: (chance) => ({ card: chance.pick(CARDS) }),
  Result: (chance) => ({ value: chance.between(-14, 14) }),
  Cards(chance) {
    const count = chance.random() < 0.9 ? 13 : chance.between(0, 20);
    const start = chance.between(0, 3) * 13;
    return { cards: CARDS.slice(start, start + count) };
  },
  ShowScores: () => ({}),
  ShowRanking: () => ({}),
  ShowHand: () => ({}),
  Correct: (chance) => ({ board: boardOf(chance) }),
  ChooseLanguage: (chance) => ({ language: chance.pick(Object.values(Language)) }),
  CallDirector: () => ({}),
  WithdrawCall: () => ({}),
  Director: () => ({}),
  Pin: (chance) => chance.pick([GRANTED, GRANTED, { answer: "wrong" }, { answer: "often" }, {}]),
  Reset: () => ({}),
  Assign: (chance) => ({
    round: roundOf(chance),
    board: boardOf(chance),
    outcome: chance.pick([...AWARDS, "Arbitral", "NP", "Cancelled", "Pass", "1NTN="]),
  }),
  Erase: (chance) => ({ round: roundOf(chance), board: boardOf(chance) }),
  ViewBoard: (chance) => ({ board: boardOf(chance) }),
  Status: () => ({}),
  Swap: (chance) => ({ side: chance.pick(["NS", "EW"]) }),
  ChangePlayers: () => ({}),
  WrongDirection: (chance) => ({ round: roundOf(chance), board: boardOf(chance) }),
};

// Return a random key: mostly one that works, mostly with a sensible value.
function randomKey(chance, terminal) {
  const working = terminal.display.keys;
  for (const name of working) assert.ok(name in KEYS, `nothing presses ${name}`);
  const likely = working.filter((name) => !RARE.includes(name) && name !== "ChooseLanguage");
  const dice = chance.random();
  const kind =
    dice < 0.8 && likely.length
      ? chance.pick(likely)
      : chance.pick(dice < 0.97 ? working : Object.keys(KEYS));
  return { kind, ...KEYS[kind](chance) };
}

// The evening -------------------------------------------------------------------------------------------------------

const plain = (value) => sorted(JSON.parse(JSON.stringify(value)));

// A terminal and an event in which anything can happen.
export class RandomEvening {
  static async open(seed) {
    const chance = new Chance(seed);
    const settings = randomSettings(chance);
    const planned = chance.pick(PLANS);
    const event = await TestEvent.open(settings, planned);
    await event.do("PutHandRecords", {
      records: Object.entries(DEALS).map(([board, deal]) => ({ group: 1, board: Number(board), deal })),
    });
    await event.do("PutPlayers", {
      players: [
        { number: "7", first_name: "Ann", last_name: "North" },
        { number: "1000004", first_name: "Bob", last_name: "South" },
      ],
    });
    return Object.assign(new RandomEvening(), {
      seed,
      chance,
      settings,
      known: settings,
      event,
      tables: planned.tables.map(({ table }) => table),
      terminal: await event.terminal(),
      isDirectorsChange: false,
      made: new Set(),
      answered: new Set(),
      refused: new Set(),
      logOns: new Set(),
      seen: new Set(),
      notices: new Set(),
    });
  }

  // Press one key, and perhaps let somebody else do something.
  async step() {
    const { event, chance, terminal } = this;
    event.seconds += 1;
    const before = new Set(terminal.machine.outbox.map((entry) => entry.id));
    const wasDirector = terminal.display.screen.screen === "MenuScreen";
    const key = randomKey(chance, terminal);
    const works = terminal.display.keys.includes(key.kind);
    const frozen = works ? "" : terminal.write();
    assert.equal(terminal.press(key, event.at), works);
    if (works && key.kind === "ChangePlayers") this.isDirectorsChange = true;
    if (!works) assert.equal(terminal.write(), frozen, "a key that does not work changes nothing");
    for (const id of before)
      assert.ok(
        terminal.machine.outbox.some((entry) => entry.id === id),
        "a key drops no entry",
      );
    for (const entry of terminal.machine.outbox.filter(({ id }) => !before.has(id))) {
      assert.ok(!this.made.has(entry.id), `${entry.id} twice`);
      this.made.add(entry.id);
      if (entry.command.kind === "log-on") this.logOns.add(entry.id);
      checkEntry(this.known, entry, wasDirector);
    }
    this.look();
    if (chance.random() < 0.75) await this.deliver();
    if (chance.random() < 0.02) await this.interfere();
    if (chance.random() < 0.01) this.reload();
  }

  // Check that the settings allow the screen and that every language has its texts.
  look() {
    const { screen, notice, keys, language } = this.terminal.display;
    this.seen.add(screen.screen);
    if (notice) this.notices.add(notice.key);
    const about = () => JSON.stringify([this.known, screen, keys]);
    assert.ok(!forbidden(this.known, screen), about());
    if (screen.sides && this.known.generation === "II")
      assert.ok(!hidesSides(this.known, screen, this.terminal.machine.round), about());
    for (const key of forbiddenKeys(this.known, screen)) assert.ok(!keys.includes(key), key + about());
    if (screen.screen === "NumberScreen" || screen.screen === "PlayersScreen") {
      assert.ok(asksNumbers(this.known) || this.isDirectorsChange, about());
    } else if (!INTERRUPTIONS.includes(screen.screen)) {
      this.isDirectorsChange = false;
    }
    assert.ok(language in TEXTS);
    for (const texts of Object.values(TEXTS)) {
      for (const message of [screen, notice].filter(Boolean)) assert.match(say(texts, message), /^[^{}]+$/);
    }
  }

  async deliver() {
    const { event, terminal } = this;
    for (const { id, reason } of await event.deliver(terminal)) {
      this.answered.add(id);
      if (reason !== undefined && !this.logOns.has(id)) this.refused.add(id);
    }
    // The terminal has the new snapshot, so check it against the current settings.
    if (terminal.machine.snapshot !== null) this.known = this.settings;
    this.checkNothingIsLost();
    this.look();
  }

  // Check that every entry has been answered or still waits, and that every refusal is listed.
  checkNothingIsLost() {
    const { machine } = this.terminal;
    const waiting = new Set(machine.outbox.map((entry) => entry.id));
    for (const id of this.made)
      assert.ok(this.answered.has(id) !== waiting.has(id), `${id} was lost, or waits though it was answered`);
    const listed = new Set([...machine.conflicts, ...machine.refused].map(({ entry }) => entry.id));
    for (const id of this.refused) assert.ok(listed.has(id), "a refused entry was lost");
  }

  // Reload the terminal from its memory; nothing may change.
  reload() {
    const again = Terminal.read(this.terminal.write());
    assert.deepEqual(plain(again.machine), plain(this.terminal.machine));
    assert.deepEqual(plain(again.display), plain(this.terminal.display));
    assert.deepEqual(again.unsent(), this.terminal.unsent());
    this.terminal = again;
  }

  // Let the director, the scoring program or another terminal do something.
  async interfere() {
    const { event, chance } = this;
    const [table, round, board] = [chance.pick(this.tables), chance.between(1, 4), chance.between(1, 6)];
    const place = { section: "A", table };
    switch (chance.between(0, 10)) {
      case 0:
        await event.tryTo("PutResults", {
          entries: [{ ...place, round, board, outcome: "3NTW-1", at: event.at }],
          origin: "desk",
        });
        break;
      case 1:
        await event.tryTo("EraseResult", { ...place, round, board, origin: "desk" });
        break;
      case 2:
        // All sections of an event have settings of the same generation.
        this.settings = randomSettings(chance, this.settings.generation);
        await event.putSettings(this.settings);
        break;
      case 3:
        await event.tryTo("SetWaiting", { ...place, is_waiting: chance.random() < 0.5 });
        break;
      case 4:
        await event.tryTo("ResetTable", place);
        break;
      case 5:
        await event.tryTo("LogOn", { ...place, terminal: "another", takes_over: true });
        break;
      case 6:
        if (chance.random() < 0.3)
          await event.tryTo("ReplaceRounds", {
            ...place,
            first: round,
            rounds: [{ ns: 1, ew: 2, boards: [board] }],
          });
        break;
      case 7:
        if (chance.random() < 0.1) await event.tryTo("DropTable", place);
        break;
      case 8:
        for (const call of (await event.state()).calls)
          await event.tryTo("AnswerCall", { call, status: chance.pick(Object.values(CallStatus)) });
        break;
      case 9:
        await event.tryTo("SetMovement", {
          plan: { section: "A", group: 1, winners: 2 },
          tables: [{ table, rounds: rounds(2, [5, 6, 1], [7, 8, 3]) }],
        });
        break;
      default:
    }
  }

  // Press that many keys, then deliver everything.
  async play(steps) {
    for (let step = 0; step < steps; step += 1) {
      try {
        await this.step();
      } catch (error) {
        error.message = `seed ${this.seed}, step ${step}: ${error.message}`;
        throw error;
      }
    }
    await this.deliver();
  }
}
