// An offline terminal, and conflicts with changes made meanwhile.

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
  rounds,
  SHORT,
  simple,
  TEXTS,
  Terminal,
  TestEvent,
  vocabulary,
} from "./test_event.mjs";

const { noticeText, drawingContext } = await load("draw.js");
const { OwnPhone } = await load("own_phone.js");
const { ScoreRecap } = vocabulary;

const reloaded = (terminal) => Terminal.read(terminal.write());
const plain = (value) => sorted(JSON.parse(JSON.stringify(value)));

test("an offline terminal continues and sends every entry once", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  let terminal = await event.atTable();
  event.offline(terminal, OK, board(), board(), OK, board());
  assert.deepEqual(await event.results(), {});
  assert.equal(terminal.display.unsent, 3);
  // The server has accepted the first entry, but its answer was lost.
  await event.news([terminal.unsent()[0]], null);
  assert.equal(Object.keys(await event.results()).length, 1);
  terminal = reloaded(terminal);
  await event.deliver(terminal);
  assert.equal(Object.keys(await event.results()).length, 3);
  assert.deepEqual(terminal.unsent(), []);
  const before = await event.results();
  await event.deliver(terminal);
  assert.deepEqual(await event.results(), before);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 4);
});

test("entries that a lost server had acknowledged are sent again to its successor", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  let terminal = await event.atTable();
  terminal.setTimeline("00000001");
  event.offline(terminal, OK, board());
  const [sent] = terminal.unsent();
  await event.deliver(terminal);
  assert.deepEqual(terminal.unsent(), []);
  terminal = reloaded(terminal);
  terminal.setTimeline("00000001");
  assert.deepEqual(terminal.unsent(), []);
  terminal.setTimeline("00000002");
  assert.deepEqual(terminal.unsent(), [sent]);
  const older = { ...terminal.machine.snapshot, version: 1, results: [] };
  terminal.update(older);
  assert.equal(terminal.machine.snapshot.version, 1);
  await event.deliver(terminal);
  assert.deepEqual(terminal.unsent(), []);
  assert.equal(Object.keys(await event.results()).length, 1);
});

test("an own phone takes older news after a failover, and ignores them otherwise", () => {
  const phone = new OwnPhone(null);
  const news = (timeline, version, table) => ({
    timeline,
    snapshot: { incarnation: 1, version },
    due: { table },
  });
  phone.receive(news("00000001", 9, 4));
  phone.receive(news("00000001", 8, 3));
  assert.equal(phone.due.table, 4);
  phone.receive(news("00000002", 8, 2));
  assert.equal(phone.due.table, 2);
});

test("without a timeline a terminal keeps no acknowledged entries", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  const terminal = await event.atTable();
  terminal.setTimeline(undefined);
  event.offline(terminal, OK, board());
  await event.deliver(terminal);
  assert.equal(terminal.machine.acknowledged, undefined);
});

test("a result that the director has changed meanwhile is shown as a conflict", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  event.offline(terminal, OK, board());
  await event.do("EnterResult", { entry: entry(1, 1, 1, "3NTE="), origin: "desk" });
  await event.deliver(terminal);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Conflict");
  assert.deepEqual([screen.meant, screen.stands, screen.reason], ["4SN=", "3NTE=", "stale"]);
  assert.deepEqual(await event.results(), { "A/1/1/1": "3NTE=" });
  assert.ok(!terminal.press(bid(1, "C"), event.at), "first it has to be seen");
  await event.press(terminal, OK);
  assert.equal(kind(terminal.display.screen), "Contract");
  const status = await event.press(terminal, simple("Director"), pin("0000"), simple("Status"));
  assert.equal(kind(status), "Status");
  assert.equal(status.refused.length, 1);
});

test("the heading of a refused entry spells both results", async () => {
  const event = await TestEvent.open({ ...BARE, score_recap: ScoreRecap.ALWAYS });
  const terminal = await event.atTable();
  event.offline(terminal, OK, board());
  assert.equal(kind(terminal.display.screen), "Contract");
  await event.do("EnterResult", { entry: entry(1, 1, 1, "Pass") });
  await event.deliver(terminal);
  assert.equal(kind(terminal.display.screen), "Conflict");
  const { heading } = drawingContext({ display: terminal.display, texts: TEXTS[terminal.language] });
  assert.match(heading, /4♠ N = was not accepted; the result on record is Passed out/);
  assert.equal(kind(await event.press(terminal, OK)), "Contract");
  assert.deepEqual(await event.results(), { "A/1/1/1": "Pass" });
});

test("another device continues where a dead one stopped", async () => {
  const event = await TestEvent.open({ ...BARE, score_recap: ScoreRecap.ALWAYS });
  const first = await event.atTable();
  await event.press(first, OK, board(3, "NT", "E", -1));
  assert.equal(first.display.screen.board, 2);
  assert.deepEqual(first.unsent(), []);

  const second = await event.atTable("A", 1, "second");
  assert.equal(kind(second.display.screen), "TakeOver");
  assert.equal(kind(await event.press(second, OK)), "Round");
  const screen = await event.press(second, OK);
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
  const recap = await event.press(second, simple("ShowScores"));
  assert.deepEqual(
    recap.lines.map(([, result]) => result),
    ["3NT E -1"],
  );

  const third = await event.atTable("A", 1, "third");
  assert.equal(kind(third.display.screen), "TakeOver");
  assert.equal(kind(await event.press(third, OK)), "Round");
  await event.tell(second);
  assert.equal(noticeOf(second), "replaced");
  assert.match(noticeText(TEXTS[second.language], second.display.notice), /Another terminal has taken over/);
  assert.equal(kind(second.display.screen), "LogOn");
});

test("an erased board is asked for again", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  const terminal = await event.atTable();
  await event.press(terminal, OK, board());
  await event.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  await event.tell(terminal);
  const screen = await event.press(terminal, board());
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 1);
});

test("a board erased in an earlier round is asked for last", async () => {
  const event = await TestEvent.open(BARE, {
    tables: [{ table: 1, rounds: rounds(1, [1, 2, 1], [1, 3, 2], [1, 4, 3]) }],
  });
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), OK);
  await event.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  const seen = [];
  for (let place = 0; place < 3; place += 1) {
    await event.tell(terminal);
    if (kind(terminal.display.screen) === "Round") await event.press(terminal, OK);
    const { screen } = terminal.display;
    assert.equal(kind(screen), "Contract");
    seen.push(screen.board);
    await event.press(terminal, board());
  }
  assert.deepEqual(seen, [2, 3, 1], "first the rounds that are still to be played");
  assert.equal(kind(terminal.display.screen), "End");
});

test("a changed movement drops a half-entered board that is no longer played", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  const terminal = await event.atTable();
  await event.press(terminal, OK, bid(4, "S"));
  await event.do("ReplaceRounds", {
    section: "A",
    table: 1,
    first: 1,
    rounds: [{ ns: 1, ew: 2, boards: [7] }],
  });
  await event.tell(terminal);
  assert.equal(kind(terminal.display.screen), "Round");
  assert.equal(noticeOf(terminal), "movement-changed");
});

test("an older snapshot is ignored", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  const old = terminal.machine.snapshot;
  await event.press(terminal, OK, board());
  terminal.update(old);
  assert.notEqual(terminal.machine.snapshot, old);
  assert.deepEqual(terminal.machine.openBoards(), [2, 3, 4]);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
});

test("the offline setting sends nothing before the last board", async () => {
  const event = await TestEvent.open({ ...BARE, offline: true }, SHORT);
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), board(), OK, board());
  assert.deepEqual(await event.results(), {});
  await event.press(terminal, board());
  assert.equal(Object.keys(await event.results()).length, 4);
});

test("entries of a device that lost its table still count", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  event.offline(terminal, OK, board());
  const other = await event.terminal("tablet");
  await event.press(other, choose("A", 1), OK);
  assert.equal((await event.state()).logged_on["A/1"], "tablet");
  assert.deepEqual(await event.results(), {});
  await event.deliver(terminal);
  assert.deepEqual(Object.values(await event.results()), ["4SN="]);
  assert.equal(kind(terminal.display.screen), "LogOn", "the first device has been replaced");
});

test("a round that the director completes still shows the next seating", async () => {
  for (const where of ["desk", "menu"]) {
    const event = await TestEvent.open({ ...BARE, show_next_seating: true }, SHORT);
    const terminal = await event.atTable();
    await event.press(terminal, OK, board());
    if (where === "desk") {
      await event.do("EnterResult", { entry: entry(1, 1, 2, "NP"), origin: "desk" });
      await event.tell(terminal);
    } else {
      await event.press(terminal, simple("Director"), pin("0000"), assign(1, 2, "50-50"), BACK);
    }
    assert.equal(kind(terminal.display.screen), "Next");
    assert.equal(kind(await event.press(terminal, OK)), "Round");
  }
});

test("a memory that cannot be read is refused", async () => {
  const event = await TestEvent.open(BARE);
  const text = (await event.atTable()).write();
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

test("a reloaded terminal shows the same screens and results", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  const terminal = await event.atTable();

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
      assert.ok(terminal.press(key, event.at));
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
  } = await event.news([sent], null);
  terminal.acknowledge(sent.id, version);
  isAsNew();
  await event.tell(terminal);
  isAsNew();
  press(board());
  const [refused, ...more] = terminal.unsent();
  assert.deepEqual(more, []);
  terminal.refuse(refused.id, "not-allowed", "No.");
  isAsNew();
  assert.deepEqual(terminal.machine.openBoards(1), [2]);
  await event.do("EraseResult", { section: "A", table: 1, round: 1, board: 1, origin: "desk" });
  await event.tell(terminal);
  isAsNew();
  assert.deepEqual(terminal.machine.openBoards(1), [1, 2]);
  press(OK);
  assert.ok(terminal.display.keys.includes("CallDirector"));
  await event.putSettings({ ...BARE, director_calls: false });
  await event.tell(terminal);
  isAsNew();
  assert.ok(!terminal.display.keys.includes("CallDirector"));
});
