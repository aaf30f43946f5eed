// How a terminal is logged on, and how players make themselves known.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BACK,
  BARE,
  BARE_II,
  board,
  changePlayer,
  choose,
  kind,
  noticeOf,
  number,
  numbers,
  OK,
  Room,
  rounds,
  SHORT,
  vocabulary,
} from "./room.mjs";

const { NumberEntry, NumberRules, ShowNames } = vocabulary;

// Logging on ------------------------------------------------------------------------------------------------------

test("a table in use asks first, and the other terminal hears of it", async () => {
  const room = await Room.open(BARE);
  const first = await room.atTable();
  const second = await room.terminal("tablet");
  assert.equal(kind(await room.press(second, choose("A", 1))), "TakeOver");
  assert.equal(kind(await room.press(second, BACK)), "LogOn");
  assert.equal(kind(await room.press(second, choose("A", 1), OK)), "Round");
  await room.deliver(first);
  assert.equal(noticeOf(first), "replaced");
  assert.equal(kind(first.display.screen), "LogOn");
});

test("a table taken meanwhile asks after all", async () => {
  const room = await Room.open(BARE);
  const late = await room.terminal("tablet");
  await room.atTable();
  await room.press(late, choose("A", 1));
  assert.equal(kind(late.display.screen), "TakeOver");
});

test("a table that is not there is said", async () => {
  const room = await Room.open(BARE);
  const terminal = await room.terminal();
  await room.press(terminal, choose("B", 9));
  assert.equal(noticeOf(terminal), "no-such-table");
});

// Players ---------------------------------------------------------------------------------------------------------

test("starting positions are confirmed where set", async () => {
  const room = await Room.open({ ...BARE, confirm_starting_positions: true, north_at_bottom: true });
  const terminal = await room.atTable();
  const { screen } = terminal.display;
  assert.equal(kind(screen), "StartingPositions");
  assert.deepEqual([screen.ns, screen.ew, screen.north_at_bottom], [1, 2, true]);
  assert.equal(kind(await room.press(terminal, OK)), "Round");
});

test("numbers are asked seat by seat, and names are shown", async () => {
  const room = await Room.open({ ...BARE_II, ask_numbers: true, show_names: ShowNames.EVERY_ROUND });
  await room.do("PutPlayers", {
    players: [
      { number: "11", first_name: "Ann", last_name: "North" },
      { number: "12", first_name: "Bob", last_name: "South" },
    ],
  });
  const terminal = await room.atTable();
  const seats = [];
  for (const typed of ["11", "12", "", "14"]) {
    const { screen } = terminal.display;
    assert.equal(kind(screen), "Number");
    seats.push(screen.seat);
    await room.press(terminal, number(typed));
  }
  assert.deepEqual(seats, ["N", "S", "E", "W"]);
  let { screen } = terminal.display;
  assert.equal(kind(screen), "Players");
  assert.deepEqual(
    screen.players.map((player) => player.name),
    ["Ann North", "Bob South", "", ""],
  );
  screen = await room.press(terminal, OK);
  assert.equal(kind(screen), "Round");
  const names = Object.fromEntries(
    screen.players.map((player) => [player.seat, [player.number, player.name]]),
  );
  assert.deepEqual(names, { N: ["11", "Ann North"], S: ["12", "Bob South"], E: ["", ""], W: ["14", ""] });
});

for (const [changes, typed, notice] of [
  [{ numbers_required: true }, "", "number-required"],
  [{ number_rules: NumberRules.ACBL }, "1234567", "number-impossible"],
  [{ number_rules: NumberRules.FFB }, "490715", "number-impossible"],
  [{ number_rules: NumberRules.ABF }, "620245", "number-impossible"],
  [{ number_rules: NumberRules.JCBL }, "abc", "number-impossible"],
]) {
  test(`the number "${typed}" with ${JSON.stringify(changes)} is not taken`, async () => {
    const room = await Room.open({ ...BARE_II, ask_numbers: true, ...changes });
    const terminal = await room.atTable();
    const screen = await room.press(terminal, number(typed));
    assert.equal(kind(screen), "Number");
    assert.equal(screen.seat, "N");
    assert.equal(noticeOf(terminal), notice);
  });
}

test("the same number twice is not taken", async () => {
  const room = await Room.open({ ...BARE, number_entry: NumberEntry.FIRST_ROUND });
  const terminal = await room.atTable();
  await room.press(terminal, number("7"), number("7"));
  assert.equal(noticeOf(terminal), "number-twice");
});

test("a pair that sits the first round out and a rover give their numbers", async () => {
  const room = await Room.open(
    { ...BARE_II, ask_numbers: true },
    {
      section: { section: "A", group: 1, winners: 2 },
      tables: [
        {
          table: 1,
          rounds: [
            { ns: 1, ew: 0, boards: [1, 2] },
            { ns: 1, ew: 2, boards: [1, 2] },
          ],
        },
        {
          table: 2,
          rounds: [
            { ns: 3, ew: 0 },
            { ns: 0, ew: 0 },
          ],
        },
      ],
    },
  );
  const sittingOut = await room.atTable("A", 1, "one");
  const rover = await room.atTable("A", 2, "two");
  const screen = await room.press(sittingOut, number("1"), number("2"), OK);
  assert.equal(kind(screen), "Round");
  assert.equal(screen.round, 2, "the sit-out is skipped");
  assert.equal(kind(await room.press(rover, number("3"), number("4"), OK)), "End");
  const chairs = Object.entries((await room.state()).chairs).map(([place, typed]) => {
    const [, table, , seat] = place.split("/");
    return [`${table}${seat}`, typed];
  });
  assert.deepEqual(Object.fromEntries(chairs), { "1N": "1", "1S": "2", "2N": "3", "2S": "4" });
});

test("East-West give their numbers at home and play elsewhere", async () => {
  const room = await Room.open(
    { ...BARE_II, ask_numbers: true, show_names: ShowNames.EVERY_ROUND },
    {
      section: { section: "A", group: 1, winners: 2, ew_moves: 1 },
      tables: [
        { table: 1, rounds: rounds(4, [1, 2, 1]) },
        { table: 2, rounds: rounds(4, [2, 1, 1]) },
      ],
    },
  );
  const one = await room.atTable("A", 1, "one");
  const two = await room.atTable("A", 2, "two");
  await room.press(one, numbers("1", "2", "3", "4"), OK);
  await room.press(two, numbers("5", "6", "7", "8"), OK);
  await room.tell(one);
  const { screen } = one.display;
  assert.equal(kind(screen), "Round");
  const found = Object.fromEntries(screen.players.map((player) => [player.seat, player.number]));
  assert.deepEqual(found, { N: "1", S: "2", E: "7", W: "8" });
});

test("numbers in every round with known ones ready", async () => {
  const room = await Room.open(
    { ...BARE_II, ask_numbers: true, numbers_each_round: true, preload_numbers: true },
    SHORT,
  );
  const terminal = await room.atTable();
  await room.press(terminal, numbers("1", "2", "3", "4"), OK, OK);
  let screen = await room.press(terminal, board(), board(), OK);
  assert.equal(kind(screen), "Number");
  assert.equal(screen.preloaded, "1");
  screen = await room.press(terminal, number(), number("9"));
  assert.equal(kind(screen), "Number");
  assert.equal(screen.preloaded, "");
  assert.deepEqual(
    screen.typed.map((player) => player.number),
    ["1", "9"],
  );
});

test("the same numbers in every round are entered for every round", async () => {
  const room = await Room.open(
    { ...BARE_II, ask_numbers: true, numbers_each_round: true, preload_numbers: true },
    SHORT,
  );
  const terminal = await room.atTable();
  await room.press(terminal, numbers("1", "2", "3", "4"), OK, OK);
  await room.press(terminal, board(), board(), OK);
  await room.press(terminal, numbers("1", "2", "3", "4"), OK);
  const { chairs } = await room.state();
  const entered = ["1/N", "1/S", "1/E", "1/W", "2/N", "2/S", "2/E", "2/W"].map((at) => chairs[`A/1/${at}`]);
  assert.deepEqual(entered, ["1", "2", "3", "4", "1", "2", "3", "4"]);
});

test("a player changes during the round only where allowed", async () => {
  for (const allowed of [true, false]) {
    const room = await Room.open({
      ...BARE,
      number_entry: NumberEntry.FIRST_ROUND,
      number_entry_during_play: allowed,
    });
    const terminal = await room.atTable();
    await room.press(terminal, BACK, OK, board());
    await room.press(terminal, changePlayer("E"));
    assert.equal(kind(terminal.display.screen), allowed ? "Number" : "Contract");
    if (allowed) {
      assert.equal(kind(await room.press(terminal, number("88"), OK)), "Contract");
      assert.equal((await room.state()).chairs["A/1/1/E"], "88");
    }
  }
});
