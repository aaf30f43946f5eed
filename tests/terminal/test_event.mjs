// A real event for the terminals under test: overtrick.event decides about their entries in a Python process
// (event_process.py). Every test file starts its own process and ends it when its tests are done.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { load } from "./modules.mjs";

const { Terminal } = await load("terminal.js");
const vocabulary = await load("vocabulary.js");
const { LeadEntry, ScoreRecap, SEATS, ShowRanking, STRAINS, ViewResults } = vocabulary;

// The process -----------------------------------------------------------------------------------------------------

const child = spawn(process.env.OVERTRICK_PYTHON ?? "python3", ["-m", "tests.terminal.event_process"], {
  cwd: new URL("../..", import.meta.url),
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = [];
createInterface({ input: child.stdout }).on("line", (line) => waiting.shift().resolve(JSON.parse(line)));
child.on("exit", (code) => {
  for (const { reject } of waiting.splice(0)) reject(new Error(`the event ended with ${code}`));
});
after(() => child.stdin.end());

async function ask(request) {
  const { answer, error } = await new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
  if (error) throw new Error(error);
  return answer;
}

// The session's id, all settings with their values and defaults, and the texts of all languages.
export const {
  session: SESSION,
  choices: CHOICES,
  defaults: DEFAULTS,
  texts: TEXTS,
  ...KNOWN
} = await ask({ do: "describe" });

// Settings and movements ------------------------------------------------------------------------------------------

// Settings of Bridgemate 3 with no screens between the boards.
export const BARE = {
  generation: "III",
  lead_entry: LeadEntry.NEVER,
  ranking: ShowRanking.NEVER,
  show_next_seating: false,
  view_results: ViewResults.NONE,
  score_recap: ScoreRecap.NEVER,
};
export const BARE_II = { generation: "II", show_results: false, show_next_seating: false };

// Return rounds of a number of boards, each from [North-South, East-West, lowest board].
export const rounds = (boards, ...starts) =>
  starts.map(([ns, ew, low]) => ({
    ns,
    ew,
    boards: Array.from({ length: boards }, (_, place) => low + place),
  }));

export const SHORT = {
  tables: [
    { table: 1, rounds: rounds(2, [1, 2, 1], [1, 3, 3]) },
    { table: 2, rounds: rounds(2, [3, 4, 1], [4, 2, 3]) },
  ],
};
export const DEAL = "N:AQ72.K84.T93.J65 K5.QT963.A6.Q942 JT83.A2.KQJ5.K73 964.J75.8742.AT8";

const SUITS = ["S", "H", "D", "C"];

// Return the cards of a seat in DEAL.
export const handOf = (seat) =>
  DEAL.slice(2)
    .split(" ")
    [SEATS.indexOf(seat)].split(".")
    .flatMap((ranks, suit) => [...ranks].map((rank) => `${SUITS[suit]}${rank}`));

export const HAND_RECORD = ["PutHandRecords", { records: [{ group: 1, board: 1, deal: DEAL }] }];

// Return a result as the desk or another table enters it.
export const entry = (table, round, board, outcome) => ({
  section: "A",
  table,
  round,
  board,
  outcome,
  at: timeOf(0),
});

export const timeOf = (seconds) =>
  new Date(Date.UTC(2024, 5, 3, 12) + seconds * 1000).toISOString().replace(".000Z", "+00:00");

// Keys ------------------------------------------------------------------------------------------------------------

const key =
  (kind, ...names) =>
  (...values) => ({ kind, ...Object.fromEntries(names.map((name, place) => [name, values[place]])) });
const strainOf = (letter) => STRAINS.findIndex((strain) => strain.letter === letter);

export const OK = { kind: "Confirm" };
export const BACK = { kind: "Cancel" };
export const choose = key("Choose", "section", "table");
export const number = (typed = "") => ({ kind: "Number", number: typed });
export const numbers = (...typed) => typed.map((each) => number(each));
export const changePlayer = key("ChangePlayer", "seat");
export const giveBoard = key("Board", "board");
export const bid = (level, letter) => ({ kind: "Bid", level, strain: strainOf(letter) });
export const double = key("Double", "doubling");
export const declarer = key("Declarer", "seat");
export const pairNumber = key("PairNumber", "pair");
export const lead = key("Lead", "card");
export const result = key("Result", "value");
export const pin = key("Pin", "pin");
export const assign = key("Assign", "round", "board", "outcome");
export const erase = key("Erase", "round", "board");
export const wrongDirection = key("WrongDirection", "round", "board");
export const viewBoard = key("ViewBoard", "board");
export const swap = key("Swap", "side");
export const correct = key("Correct", "board");
export const chooseLanguage = key("ChooseLanguage", "language");
export const makeCall = key("MakeCall", "call");
export const playCard = key("PlayCard", "card");
export const cards = key("Cards", "cards");
export const simple = (kind) => ({ kind });

// Return the keys of a plain board, from its contract to the opponents' confirmation.
export const board = (level = 4, letter = "S", seat = "N", over = 0) => [
  bid(level, letter),
  declarer(seat),
  result(over),
  OK,
];

// Return a screen's name without its ending.
export const kind = (screen) => screen.screen.replace(/Screen$/, "");

// Return the key of the notice; fail if there is none.
export function noticeOf(terminal) {
  assert.ok(terminal.display.notice, "there is no notice");
  return terminal.display.notice.key;
}

// The event --------------------------------------------------------------------------------------------------------

export class TestEvent {
  static async open(settings = null, planned = {}) {
    const { event, tables } = await ask({ do: "open", settings: settings ? [settings] : [], plan: planned });
    return Object.assign(new TestEvent(), { event, tables, seconds: 0, runs: 0 });
  }

  get at() {
    return timeOf(this.seconds);
  }

  ask(request) {
    return ask({ event: this.event, ...request });
  }

  // Carry out a command of somebody else; return the reason of a refusal, or null.
  tryTo(name, values) {
    return this.ask({ do: "command", kind: name, values, at: this.at });
  }

  async do(name, values) {
    assert.equal(await this.tryTo(name, values), null, name);
  }

  putSettings(settings) {
    return this.ask({ do: "settings", settings });
  }

  state() {
    return this.ask({ do: "state" });
  }

  // Return the ids of the calls for the director that are open.
  async openCalls() {
    return (await this.state()).open_calls;
  }

  // Return the outcomes on record by section, table, round and board.
  async results() {
    return Object.fromEntries(
      Object.entries((await this.state()).results).map(([place, { outcome }]) => [place, outcome]),
    );
  }

  // Return a new terminal, with a run of its own.
  async terminal(device = "phone") {
    this.runs += 1;
    const { tables } = await this.news([], null);
    return new Terminal(device, SESSION, tables, `run-${this.runs}`);
  }

  news(entries, choice) {
    return this.ask({ do: "deliver", entries, choice });
  }

  // Deliver the terminal's entries, their answers and the news; return the answers.
  async deliver(terminal) {
    const { answers, snapshot, tables } = await this.news(terminal.unsent(), terminal.machine.choice);
    for (const { id, version, reason, sentence, is_held: isHeld } of answers) {
      if (reason === undefined) terminal.acknowledge(id, version, isHeld);
      else terminal.refuse(id, reason, sentence);
    }
    terminal.update(...(await this.current(terminal, snapshot, tables)));
    return answers;
  }

  // Return snapshot and tables for the table that is chosen now: an answer may have changed the choice.
  async current(terminal, snapshot, tables) {
    const { choice } = terminal.machine;
    const isSame =
      choice === null ? snapshot === null : snapshot?.section === choice[0] && snapshot?.table === choice[1];
    if (isSame || (snapshot === null && choice !== null)) return [snapshot, tables];
    const news = await this.news([], choice);
    return [news.snapshot, news.tables];
  }

  // Send news to a terminal without taking its entries.
  async tell(terminal) {
    const { snapshot, tables } = await this.news([], terminal.machine.choice);
    terminal.update(snapshot, tables);
  }

  // Return a key as the page presses it: a PIN becomes the server's answer.
  async checked(terminal, key) {
    if (key.kind !== "Pin") return key;
    const [section] = terminal.machine.choice;
    return { kind: "Pin", ...(await this.ask({ do: "pin", section, pin: key.pin })) };
  }

  // Confirm or refuse all entries that wait for the director; return the sentence of a refusal.
  settle(isConfirmed) {
    return this.ask({ do: "settle", is_confirmed: isConfirmed });
  }

  // Press keys on an online terminal; every one must work.
  async press(terminal, ...pressed) {
    for (const key of pressed.flat()) {
      this.seconds += 1;
      const each = await this.checked(terminal, key);
      assert.ok(
        terminal.press(each, this.at),
        `${JSON.stringify(each)} does not work at ${JSON.stringify(terminal.display.screen)}`,
      );
      await this.deliver(terminal);
    }
    return terminal.display.screen;
  }

  // Press keys on an offline terminal, which cannot check a PIN; every one must work.
  offline(terminal, ...pressed) {
    for (const each of pressed.flat())
      assert.ok(terminal.press(each, this.at), JSON.stringify([each, terminal.display.screen]));
  }

  // Return a terminal that has logged on at a table.
  async atTable(section = "A", table = 1, device = "phone") {
    const terminal = await this.terminal(device);
    await this.press(terminal, choose(section, table));
    return terminal;
  }
}

export { Terminal, vocabulary };
