// A terminal without the network, and what has changed meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, sorted } from "./modules.mjs";
import {
  assign,
  BACK,
  BARE,
  bid,
  board,
  choose,
  entry,
  kind,
  noticeOf,
  OK,
  pin,
  Room,
  rounds,
  SHORT,
  simple,
  TEXTS,
  Terminal,
  vocabulary,
} from "./room.mjs";

const { noticeText, surface } = await load("draw.js");
const { ScoreRecap } = vocabulary;

const reloaded = (terminal) => Terminal.read(terminal.write());
const plain = (value) => sorted(JSON.parse(JSON.stringify(value)));

test("a terminal off the network goes on, and sends everything once", async () => {
  const room = await Room.open(BARE, SHORT);
  let terminal = await room.atTable();
  room.offline(terminal, OK, board(), board(), OK, board());
  assert.deepEqual(await room.results(), {});
  assert.equal(terminal.display.unsent, 3);
  // The first entry has been taken, but its answer was lost.
  await room.news([terminal.unsent()[0]], null);
  assert.equal(Object.keys(await room.results()).length, 1);
  terminal = reloaded(terminal);
  await room.deliver(terminal);
  assert.equal(Object.keys(await room.results()).length, 3);
  assert.deepEqual(terminal.unsent(), []);
  const before = await room.results();
  await room.deliver(terminal);
  assert.deepEqual(await room.results(), before);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 4);
});

test("entries that a lost server had acknowledged are sent again to the one in its place", async () => {
  const room = await Room.open(BARE, SHORT);
  let terminal = await room.atTable();
  terminal.follow("00000001");
  room.offline(terminal, OK, board());
  const [sent] = terminal.unsent();
  await room.deliver(terminal);
  assert.deepEqual(terminal.unsent(), []);
  terminal = reloaded(terminal);
  terminal.follow("00000001");
  assert.deepEqual(terminal.unsent(), []);
  terminal.follow("00000002");
  assert.deepEqual(terminal.unsent(), [sent]);
  const older = { ...terminal.machine.snapshot, version: 1, results: [] };
  terminal.update(older);
  assert.equal(terminal.machine.snapshot.version, 1);
  await room.deliver(terminal);
  assert.deepEqual(terminal.unsent(), []);
  assert.equal(Object.keys(await room.results()).length, 1);
});

test("a terminal on a journal without a timeline keeps nothing that was acknowledged", async () => {
  const room = await Room.open(BARE, SHORT);
  const terminal = await room.atTable();
  terminal.follow(undefined);
  room.offline(terminal, OK, board());
  await room.deliver(terminal);
  assert.equal(terminal.machine.acknowledged, undefined);
});

test("a result that the director has changed meanwhile is a conflict that is shown", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  room.offline(terminal, OK, board());
  await room.do("EnterResult", { entry: entry(1, 1, 1, "3NTE="), origin: "desk" });
  await room.deliver(terminal);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Conflict");
  assert.deepEqual([screen.meant, screen.stands, screen.reason], ["4SN=", "3NTE=", "stale"]);
  assert.deepEqual(await room.results(), { "A/1/1/1": "3NTE=" });
  assert.ok(!terminal.press(bid(1, "C"), room.at), "first it has to be seen");
  await room.press(terminal, OK);
  assert.equal(kind(terminal.display.screen), "Contract");
  const status = await room.press(terminal, simple("Director"), pin("0000"), simple("Status"));
  assert.equal(kind(status), "Status");
  assert.equal(status.refused.length, 1);
});

test("a refused entry is said in the words of the game", async () => {
  const room = await Room.open({ ...BARE, score_recap: ScoreRecap.ALWAYS });
  const terminal = await room.atTable();
  room.offline(terminal, OK, board());
  assert.equal(kind(terminal.display.screen), "Contract");
  await room.do("EnterResult", { entry: entry(1, 1, 1, "Pass") });
  await room.deliver(terminal);
  assert.equal(kind(terminal.display.screen), "Conflict");
  const { heading } = surface({ display: terminal.display, texts: TEXTS[terminal.language] });
  assert.match(heading, /4♠ N = was not taken; what stands is Passed out/);
  assert.equal(kind(await room.press(terminal, OK)), "Contract");
  assert.deepEqual(await room.results(), { "A/1/1/1": "Pass" });
});

test("a device dies, and another goes on where it was", async () => {
  const room = await Room.open({ ...BARE, score_recap: ScoreRecap.ALWAYS });
  const first = await room.atTable();
  await room.press(first, OK, board(3, "NT", "E", -1));
  assert.equal(first.display.screen.board, 2);
  assert.deepEqual(first.unsent(), []);

  const second = await room.atTable("A", 1, "second");
  assert.equal(kind(second.display.screen), "TakeOver");
  assert.equal(kind(await room.press(second, OK)), "Round");
  const screen = await room.press(second, OK);
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
  const recap = await room.press(second, simple("ShowScores"));
  assert.deepEqual(
    recap.lines.map(([, result]) => result),
    ["3NT E -1"],
  );

  const third = await room.atTable("A", 1, "third");
  assert.equal(kind(third.display.screen), "TakeOver");
  assert.equal(kind(await room.press(third, OK)), "Round");
  await room.tell(second);
  assert.equal(noticeOf(second), "replaced");
  assert.match(noticeText(TEXTS[second.language], second.display.notice), /Another terminal has taken over/);
  assert.equal(kind(second.display.screen), "LogOn");
});

test("an erased board comes back", async () => {
  const room = await Room.open(BARE, SHORT);
  const terminal = await room.atTable();
  await room.press(terminal, OK, board());
  await room.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  await room.tell(terminal);
  const screen = await room.press(terminal, board());
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 1);
});

test("a board that was erased in an earlier round comes last", async () => {
  const room = await Room.open(BARE, {
    tables: [{ table: 1, rounds: rounds(1, [1, 2, 1], [1, 3, 2], [1, 4, 3]) }],
  });
  const terminal = await room.atTable();
  await room.press(terminal, OK, board(), OK);
  await room.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  const seen = [];
  for (let place = 0; place < 3; place += 1) {
    await room.tell(terminal);
    if (kind(terminal.display.screen) === "Round") await room.press(terminal, OK);
    const { screen } = terminal.display;
    assert.equal(kind(screen), "Contract");
    seen.push(screen.board);
    await room.press(terminal, board());
  }
  assert.deepEqual(seen, [2, 3, 1], "first the rounds that are still to be played");
  assert.equal(kind(terminal.display.screen), "End");
});

test("a movement that changes takes the half-entered board along", async () => {
  const room = await Room.open(BARE, SHORT);
  const terminal = await room.atTable();
  await room.press(terminal, OK, bid(4, "S"));
  await room.do("ReplaceRounds", {
    section: "A",
    table: 1,
    first: 1,
    rounds: [{ ns: 1, ew: 2, boards: [7] }],
  });
  await room.tell(terminal);
  assert.equal(kind(terminal.display.screen), "Round");
  assert.equal(noticeOf(terminal), "movement-changed");
});

test("an older snapshot changes nothing", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  const old = terminal.machine.snapshot;
  await room.press(terminal, OK, board());
  terminal.update(old);
  assert.notEqual(terminal.machine.snapshot, old);
  assert.deepEqual(terminal.machine.openBoards(), [2, 3, 4]);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
});

test("the offline setting sends nothing before the last board", async () => {
  const room = await Room.open({ ...BARE, offline: true }, SHORT);
  const terminal = await room.atTable();
  await room.press(terminal, OK, board(), board(), OK, board());
  assert.deepEqual(await room.results(), {});
  await room.press(terminal, board());
  assert.equal(Object.keys(await room.results()).length, 4);
});

test("what a device had not sent when another took its table counts", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  room.offline(terminal, OK, board());
  const other = await room.terminal("tablet");
  await room.press(other, choose("A", 1), OK);
  assert.equal((await room.state()).logged_on["A/1"], "tablet");
  assert.deepEqual(await room.results(), {});
  await room.deliver(terminal);
  assert.deepEqual(Object.values(await room.results()), ["4SN="]);
  assert.equal(kind(terminal.display.screen), "LogOn", "the first device has been replaced");
});

test("a round that the director ends still shows where to go", async () => {
  for (const where of ["desk", "menu"]) {
    const room = await Room.open({ ...BARE, show_next_seating: true }, SHORT);
    const terminal = await room.atTable();
    await room.press(terminal, OK, board());
    if (where === "desk") {
      await room.do("EnterResult", { entry: entry(1, 1, 2, "NP"), origin: "desk" });
      await room.tell(terminal);
    } else {
      await room.press(terminal, simple("Director"), pin("0000"), assign(1, 2, "50-50"), BACK);
    }
    assert.equal(kind(terminal.display.screen), "Next");
    assert.equal(kind(await room.press(terminal, OK)), "Round");
  }
});

test("a memory that cannot be read is refused", async () => {
  const room = await Room.open(BARE);
  const text = (await room.atTable()).write();
  assert.ok(text.includes('"stage":"round"'));
  Terminal.read(text);
  const broken = [
    "",
    "{}",
    "[]",
    "null",
    "7",
    text.slice(0, -5),
    text.replace('"stage":"round"', '"stage":"moon"'),
    text.replace('"stage":"round"', '"stage":"constructor"'),
    text.replace('"outbox":[]', '"outbox":null'),
  ];
  for (const each of broken) {
    assert.notEqual(each, text);
    assert.throws(() => Terminal.read(each), each.slice(0, 40));
  }
});

test("a reloaded terminal works everything out as before", async () => {
  const room = await Room.open(BARE, SHORT);
  const terminal = await room.atTable();

  function isAsNew() {
    const anew = reloaded(terminal);
    assert.deepEqual(plain(anew.machine), plain(terminal.machine));
    assert.deepEqual(anew.machine.results(), terminal.machine.results());
    assert.deepEqual(anew.machine.openBoards(), terminal.machine.openBoards());
    assert.deepEqual(anew.machine.roundToPlay(), terminal.machine.roundToPlay());
    assert.deepEqual(plain(anew.display), plain(terminal.display));
  }

  function press(...keys) {
    for (const key of keys.flat()) {
      assert.ok(terminal.press(key, room.at));
      isAsNew();
    }
  }

  isAsNew();
  press(OK, board());
  assert.deepEqual(terminal.machine.openBoards(), [2]);
  const [sent, ...others] = terminal.unsent();
  assert.deepEqual(others, []);
  const {
    answers: [{ version }],
  } = await room.news([sent], null);
  terminal.acknowledge(sent.id, version);
  isAsNew();
  await room.tell(terminal);
  isAsNew();
  press(board());
  const [refused, ...more] = terminal.unsent();
  assert.deepEqual(more, []);
  terminal.refuse(refused.id, "not-allowed", "No.");
  isAsNew();
  assert.deepEqual(terminal.machine.openBoards(1), [2]);
  await room.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  await room.tell(terminal);
  isAsNew();
  assert.deepEqual(terminal.machine.openBoards(1), [1, 2]);
  press(OK);
  assert.ok(terminal.display.keys.includes("CallDirector"));
  await room.putSettings({ ...BARE, director_calls: false });
  await room.tell(terminal);
  isAsNew();
  assert.ok(!terminal.display.keys.includes("CallDirector"));
});
