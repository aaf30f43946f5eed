// The director's menu at a terminal, and calls for the director.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assign,
  BACK,
  BARE,
  BARE_II,
  board,
  choose,
  correct,
  erase,
  kind,
  noticeOf,
  numbers,
  OK,
  pin,
  simple,
  swap,
  TestEvent,
  viewBoard,
  vocabulary,
  wrongDirection,
} from "./test_event.mjs";

const { CallStatus, NumberEntry, ScoreRecap } = vocabulary;
const DIRECTOR = simple("Director");

test("the menu opens after the right PIN only", async () => {
  const event = await TestEvent.open({ ...BARE, pin: "1234" });
  const terminal = await event.atTable();
  await event.press(terminal, DIRECTOR, pin("0000"));
  assert.equal(noticeOf(terminal), "wrong-pin");
  assert.equal(kind(await event.press(terminal, pin("1234"))), "Menu");
  assert.equal(kind(await event.press(terminal, BACK)), "Round");
});

test("the director assigns scores, erases results and marks wrong directions", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), DIRECTOR, pin("0000"));
  await event.press(terminal, assign(1, 2, "60-40"), assign(1, 3, "Arbitral"), assign(1, 4, "Cancelled"));
  assert.deepEqual(Object.values(await event.results()), ["4SN=", "60-40", "Arbitral", "Cancelled"]);
  await event.press(terminal, assign(1, 4, "NP"));
  assert.deepEqual(Object.values(await event.results()), ["4SN=", "60-40", "Arbitral", "NP"]);
  await event.press(terminal, wrongDirection(1, 1));
  assert.ok((await event.state()).results["A/1/1/1"].is_wrong_direction);
  for (const [key, notice] of [
    [assign(1, 2, "4SN="), "no-such-award"],
    [assign(2, 5, "50-50"), "no-such-board"],
    [wrongDirection(1, 2), "no-such-award"],
    [erase(1, 9), "no-such-board"],
  ]) {
    await event.press(terminal, key);
    assert.equal(noticeOf(terminal), notice);
  }
  await event.press(terminal, erase(1, 2));
  assert.ok(!("A/1/1/2" in (await event.results())));
  const screen = await event.press(terminal, BACK, OK);
  assert.equal(kind(screen), "Contract");
  assert.equal(screen.board, 2);
});

test("the director views the status and a board, swaps and changes players", async () => {
  const event = await TestEvent.open({ ...BARE, number_entry: NumberEntry.FIRST_ROUND });
  const terminal = await event.atTable();
  await event.press(terminal, numbers("1", "2", "3", "4"), OK);
  await event.press(terminal, DIRECTOR, pin("0000"));
  const { screen, table, round, played, unsent, refused } = await event.press(terminal, simple("Status"));
  assert.deepEqual([screen, table, round, played, unsent, refused], ["StatusScreen", "A1", 1, 0, 0, []]);
  assert.equal(kind(await event.press(terminal, OK, viewBoard(1))), "ViewBoard");
  await event.press(terminal, OK, swap("NS"));
  assert.equal((await event.state()).chairs["A/1/1/N"], "2");
  await event.press(terminal, simple("ChangePlayers"), numbers("5", "6", "7", "8"), OK);
  const { chairs } = await event.state();
  assert.deepEqual(
    ["N", "S", "E", "W"].map((seat) => chairs[`A/1/1/${seat}`]),
    ["5", "6", "7", "8"],
  );
});

test("the reset key works without the PIN if the setting is on", async () => {
  for (const allowed of [true, false]) {
    const event = await TestEvent.open({ ...BARE_II, reset_key: allowed });
    const terminal = await event.atTable();
    await event.press(terminal, OK, board());
    assert.equal(terminal.press(simple("Reset"), event.at), allowed);
    await event.deliver(terminal);
    assert.equal(kind(terminal.display.screen) === "LogOn", allowed);
    if (allowed) {
      const screen = await event.press(terminal, choose("A", 1), OK);
      assert.equal(kind(screen), "Contract");
      assert.equal(screen.board, 2);
    }
  }
});

test("the scoring program resets a terminal", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  await event.press(terminal, OK);
  await event.do("ResetTable", { section: "A", table: 1 });
  await event.tell(terminal);
  assert.equal(kind(terminal.display.screen), "LogOn");
});

test("a call is launched, answered, deferred and resolved", async () => {
  const silent = await TestEvent.open({ ...BARE, director_calls: false });
  assert.ok(!(await silent.atTable()).press(simple("CallDirector"), silent.at));
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  assert.ok(terminal.press(simple("CallDirector"), event.at));
  assert.equal(terminal.display.call, CallStatus.LAUNCHED, "even before it has been sent");
  await event.deliver(terminal);
  await event.press(terminal, simple("CallDirector"));
  const { calls } = await event.state();
  assert.equal(calls.length, 1);
  const seen = [];
  for (const status of [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, CallStatus.RESOLVED]) {
    await event.do("AnswerCall", { call: calls[0], status });
    await event.tell(terminal);
    seen.push(terminal.display.call);
  }
  assert.deepEqual(seen, [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, null]);
});

test("a call is taken back, before it is sent and after", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  const call = simple("CallDirector");
  const takeBack = simple("WithdrawCall");
  assert.ok(!terminal.press(takeBack, event.at), "there is no call");
  await event.press(terminal, call);
  assert.equal(terminal.display.call, CallStatus.LAUNCHED);
  const [first] = (await event.state()).calls;
  await event.do("AnswerCall", { call: first, status: CallStatus.IN_PROGRESS });
  await event.press(terminal, takeBack);
  assert.equal(terminal.display.call, null);
  assert.equal(noticeOf(terminal), "call.withdrawn");
  assert.deepEqual(await event.openCalls(), []);
  // Without the network: called, taken back and called again.
  event.offline(terminal, call);
  assert.equal(terminal.display.call, CallStatus.LAUNCHED);
  event.offline(terminal, takeBack);
  assert.equal(terminal.display.call, null);
  assert.ok(!terminal.press(takeBack, event.at));
  event.offline(terminal, call);
  await event.deliver(terminal);
  assert.equal(terminal.display.call, CallStatus.LAUNCHED);
  assert.equal((await event.openCalls()).length, 1);
  assert.equal((await event.state()).calls.length, 3);
  // The director has resolved it meanwhile: nothing is refused.
  const [open] = await event.openCalls();
  await event.do("AnswerCall", { call: open, status: CallStatus.RESOLVED });
  await event.press(terminal, takeBack);
  assert.equal(terminal.display.call, null);
  assert.deepEqual(terminal.machine.conflicts, []);
});

test("players mark a board as waiting for a ruling in one tap, unless that needs the PIN", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, simple("PendRuling"));
  assert.deepEqual([kind(screen), screen.result], ["Verify", "Arbitral"]);
  assert.equal((await event.press(terminal, OK)).board, 2);
  assert.deepEqual(await event.results(), { "A/1/1/1": "Arbitral" });
  // Only the director changes it, or takes a result away.
  const strict = await TestEvent.open({ ...BARE, confirm_not_played: true });
  const other = await strict.atTable();
  await strict.press(other, OK, simple("PendRuling"), OK);
  assert.equal(noticeOf(other), "unconfirmed");
  assert.deepEqual([await strict.results(), (await strict.state()).held], [{}, { "A/1/1/1": 1 }]);
  const correcting = await TestEvent.open({ ...BARE, score_recap: ScoreRecap.ALWAYS, reentry: true });
  const third = await correcting.atTable();
  await correcting.press(third, OK, board(), simple("ShowScores"), correct(1));
  assert.ok(!third.press(simple("PendRuling"), correcting.at));
});

test("entries of a menu opened offline wait for the director", async () => {
  const event = await TestEvent.open({ ...BARE, pin: "1234" });
  const terminal = await event.atTable();
  await event.press(terminal, OK, board());
  event.offline(terminal, DIRECTOR, pin("9999"));
  assert.equal(noticeOf(terminal), "unconfirmed");
  event.offline(terminal, erase(1, 1), assign(1, 2, "60-40"), BACK, OK, board(3, "NT"));
  await event.deliver(terminal);
  const { held } = await event.state();
  assert.deepEqual(
    held,
    { "A/1/1/1": 2, "A/1/1/2": 1 },
    "the board that was erased waits with its new result",
  );
  assert.deepEqual(await event.results(), { "A/1/1/1": "4SN=" });
  // Play goes on: boards with a held entry are not asked for again.
  const { screen } = terminal.display;
  assert.deepEqual([kind(screen), screen.board], ["Contract", 3]);
  await event.press(terminal, board(2, "H"));
  assert.deepEqual(await event.results(), { "A/1/1/1": "4SN=", "A/1/1/3": "2HN=" });
  assert.equal(await event.settle(true), "");
  assert.deepEqual(await event.results(), {
    "A/1/1/1": "3NTN=",
    "A/1/1/2": "60-40",
    "A/1/1/3": "2HN=",
  });
  await event.tell(terminal);
  assert.ok(terminal.machine.snapshot.results.every((each) => !each.is_unconfirmed));
});

test("a refused entry of the director's menu leaves the board as it was", async () => {
  const event = await TestEvent.open({ ...BARE, pin: "1234" });
  const terminal = await event.atTable();
  await event.press(terminal, OK, board());
  event.offline(terminal, DIRECTOR, pin("9999"), erase(1, 1), BACK);
  await event.deliver(terminal);
  assert.equal(await event.settle(false), "");
  await event.tell(terminal);
  assert.deepEqual(await event.results(), { "A/1/1/1": "4SN=" });
  assert.equal(terminal.machine.resultOf(1, 1).outcome, "4SN=");
});

test("a permission is sent with the director's entries and not with later ones", async () => {
  const event = await TestEvent.open({ ...BARE, pin: "1234" });
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), DIRECTOR, pin("1234"));
  terminal.press(assign(1, 2, "60-40"), event.at);
  assert.equal(terminal.machine.outbox.at(-1).permission, "granted");
  await event.deliver(terminal);
  assert.deepEqual((await event.state()).held, {});
  await event.press(terminal, BACK, OK);
  terminal.press(simple("PassOut"), event.at);
  terminal.press(OK, event.at);
  assert.ok(!("permission" in terminal.machine.outbox.at(-1)));
});

test("after too many wrong PINs the menu stays closed", async () => {
  const event = await TestEvent.open({ ...BARE, pin: "1234" });
  const terminal = await event.atTable();
  await event.press(terminal, DIRECTOR);
  terminal.press({ kind: "Pin", answer: "often" }, event.at);
  assert.equal(noticeOf(terminal), "pin-too-often");
  assert.equal(kind(terminal.display.screen), "Pin");
});
