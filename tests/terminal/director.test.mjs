// What the director does at a terminal, and calls for one.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assign,
  BACK,
  BARE,
  BARE_II,
  board,
  choose,
  erase,
  kind,
  noticeOf,
  numbers,
  OK,
  pin,
  Room,
  simple,
  swap,
  viewBoard,
  vocabulary,
  wrongDirection,
} from "./room.mjs";

const { CallStatus, NumberEntry } = vocabulary;
const DIRECTOR = simple("Director");

test("the menu is behind the PIN", async () => {
  const room = await Room.open({ ...BARE, pin: "1234" });
  const terminal = await room.atTable();
  await room.press(terminal, DIRECTOR, pin("0000"));
  assert.equal(noticeOf(terminal), "wrong-pin");
  assert.equal(kind(await room.press(terminal, pin("1234"))), "Menu");
  assert.equal(kind(await room.press(terminal, BACK)), "Round");
});

test("the director gives awards, erases results and turns directions", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  await room.press(terminal, OK, board(), DIRECTOR, pin("0000"));
  await room.press(terminal, assign(1, 2, "60-40"), assign(1, 3, "Arbitral"), assign(1, 4, "NP"));
  assert.deepEqual(Object.values(await room.results()), ["4SN=", "60-40", "Arbitral", "NP"]);
  await room.press(terminal, wrongDirection(1, 1));
  assert.ok((await room.state()).results["A/1/1/1"].is_wrong_direction);
  for (const [key, notice] of [
    [assign(1, 2, "4SN="), "no-such-award"],
    [assign(2, 5, "50-50"), "no-such-board"],
    [wrongDirection(1, 2), "no-such-award"],
    [erase(1, 9), "no-such-board"],
  ]) {
    await room.press(terminal, key);
    assert.equal(noticeOf(terminal), notice);
  }
  await room.press(terminal, erase(1, 2));
  assert.ok(!("A/1/1/2" in (await room.results())));
  const screen = await room.press(terminal, BACK, OK);
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
});

test("the director looks at the status and a board, swaps and changes players", async () => {
  const room = await Room.open({ ...BARE, number_entry: NumberEntry.FIRST_ROUND });
  const terminal = await room.atTable();
  await room.press(terminal, numbers("1", "2", "3", "4"), OK);
  await room.press(terminal, DIRECTOR, pin("0000"));
  const { screen, table, round, played, unsent, refused } = await room.press(terminal, simple("Status"));
  assert.deepEqual([screen, table, round, played, unsent, refused], ["StatusScreen", "A1", 1, 0, 0, []]);
  assert.equal(kind(await room.press(terminal, OK, viewBoard(1))), "ViewBoard");
  await room.press(terminal, OK, swap("NS"));
  assert.equal((await room.state()).chairs["A/1/1/N"], "2");
  await room.press(terminal, simple("ChangePlayers"), numbers("5", "6", "7", "8"), OK);
  const { chairs } = await room.state();
  assert.deepEqual(
    ["N", "S", "E", "W"].map((seat) => chairs[`A/1/1/${seat}`]),
    ["5", "6", "7", "8"],
  );
});

test("the reset key works without the PIN where set", async () => {
  for (const allowed of [true, false]) {
    const room = await Room.open({ ...BARE_II, reset_key: allowed });
    const terminal = await room.atTable();
    await room.press(terminal, OK, board());
    assert.equal(terminal.press(simple("Reset"), room.at), allowed);
    await room.deliver(terminal);
    assert.equal(kind(terminal.display.screen) === "LogOn", allowed);
    if (allowed) {
      const screen = await room.press(terminal, choose("A", 1), OK);
      assert.equal(kind(screen), "Contract");
      assert.equal(screen.board, 2);
    }
  }
});

test("the scoring program resets a terminal", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  await room.press(terminal, OK);
  await room.do("ResetTable", { section: "A", table: 1 });
  await room.tell(terminal);
  assert.equal(kind(terminal.display.screen), "LogOn");
});

test("a call is launched, answered, deferred and resolved", async () => {
  const silent = await Room.open({ ...BARE, director_calls: false });
  assert.ok(!(await silent.atTable()).press(simple("CallDirector"), silent.at));
  const room = await Room.open(BARE);
  const terminal = await room.atTable();
  assert.ok(terminal.press(simple("CallDirector"), room.at));
  assert.equal(terminal.display.call, CallStatus.LAUNCHED, "even before it has been sent");
  await room.deliver(terminal);
  await room.press(terminal, simple("CallDirector"));
  const { calls } = await room.state();
  assert.equal(calls.length, 1);
  const seen = [];
  for (const status of [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, CallStatus.RESOLVED]) {
    await room.do("AnswerCall", { call: calls[0], status });
    await room.tell(terminal);
    seen.push(terminal.display.call);
  }
  assert.deepEqual(seen, [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, null]);
});

test("without the network the menu opens, and what is entered there waits for the director", async () => {
  const room = await Room.open({ ...BARE, pin: "1234" });
  const terminal = await room.atTable();
  await room.press(terminal, OK, board());
  room.offline(terminal, DIRECTOR, pin("9999"));
  assert.equal(noticeOf(terminal), "unconfirmed");
  room.offline(terminal, erase(1, 1), assign(1, 2, "60-40"), BACK, OK, board(3, "NT"));
  await room.deliver(terminal);
  const { held } = await room.state();
  assert.deepEqual(
    held,
    { "A/1/1/1": 2, "A/1/1/2": 1 },
    "the board that was erased waits with its new result",
  );
  assert.deepEqual(await room.results(), { "A/1/1/1": "4SN=" });
  // The table goes on: boards that wait are not asked for again.
  const { screen } = terminal.display;
  assert.deepEqual([kind(screen), screen.board], ["Contract", 3]);
  await room.press(terminal, board(2, "H"));
  assert.deepEqual(await room.results(), { "A/1/1/1": "4SN=", "A/1/1/3": "2HN=" });
  assert.equal(await room.settle(true), "");
  assert.deepEqual(await room.results(), {
    "A/1/1/1": "3NTN=",
    "A/1/1/2": "60-40",
    "A/1/1/3": "2HN=",
  });
  await room.tell(terminal);
  assert.ok(terminal.machine.snapshot.results.every((each) => !each.is_unconfirmed));
});

test("a refused entry of the director's menu leaves the board as it was", async () => {
  const room = await Room.open({ ...BARE, pin: "1234" });
  const terminal = await room.atTable();
  await room.press(terminal, OK, board());
  room.offline(terminal, DIRECTOR, pin("9999"), erase(1, 1), BACK);
  await room.deliver(terminal);
  assert.equal(await room.settle(false), "");
  await room.tell(terminal);
  assert.deepEqual(await room.results(), { "A/1/1/1": "4SN=" });
  assert.equal(terminal.machine.resultOf(1, 1).outcome, "4SN=");
});

test("a permission is shown with what the director enters, and not afterwards", async () => {
  const room = await Room.open({ ...BARE, pin: "1234" });
  const terminal = await room.atTable();
  await room.press(terminal, OK, board(), DIRECTOR, pin("1234"));
  terminal.press(assign(1, 2, "60-40"), room.at);
  assert.equal(terminal.machine.outbox.at(-1).permission, "granted");
  await room.deliver(terminal);
  assert.deepEqual((await room.state()).held, {});
  await room.press(terminal, BACK, OK);
  terminal.press(simple("PassOut"), room.at);
  terminal.press(OK, room.at);
  assert.ok(!("permission" in terminal.machine.outbox.at(-1)));
});

test("after too many wrong PINs the menu stays closed", async () => {
  const room = await Room.open({ ...BARE, pin: "1234" });
  const terminal = await room.atTable();
  await room.press(terminal, DIRECTOR);
  terminal.press({ kind: "Pin", answer: "often" }, room.at);
  assert.equal(noticeOf(terminal), "pin-too-often");
  assert.equal(kind(terminal.display.screen), "Pin");
});
