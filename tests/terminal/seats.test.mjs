// Log-on of a terminal, starting positions and player numbers.

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
  rounds,
  SHORT,
  TestEvent,
  vocabulary,
} from "./test_event.mjs";

const { NumberEntry, NumberRules, ShowNames } = vocabulary;

// Logging on ------------------------------------------------------------------------------------------------------

test("taking over a table in use asks first and logs the other terminal off", async () => {
  const event = await TestEvent.open(BARE);
  const first = await event.atTable();
  const second = await event.terminal("tablet");
  assert.equal(kind(await event.press(second, choose("A", 1))), "TakeOver");
  assert.equal(kind(await event.press(second, BACK)), "LogOn");
  assert.equal(kind(await event.press(second, choose("A", 1), OK)), "Round");
  await event.deliver(first);
  assert.equal(noticeOf(first), "replaced");
  assert.equal(kind(first.display.screen), "LogOn");
});

test("a table that was taken meanwhile asks before the take-over", async () => {
  const event = await TestEvent.open(BARE);
  const late = await event.terminal("tablet");
  await event.atTable();
  await event.press(late, choose("A", 1));
  assert.equal(kind(late.display.screen), "TakeOver");
});

test("a missing table gives a notice", async () => {
  const event = await TestEvent.open(BARE);
  const terminal = await event.terminal();
  await event.press(terminal, choose("B", 9));
  assert.equal(noticeOf(terminal), "no-such-table");
});

// Players ---------------------------------------------------------------------------------------------------------

test("starting positions are confirmed if the setting is on", async () => {
  const event = await TestEvent.open({ ...BARE, confirm_starting_positions: true, north_at_bottom: true });
  const terminal = await event.atTable();
  const { screen } = terminal.display;
  assert.equal(kind(screen), "StartingPositions");
  assert.deepEqual([screen.ns, screen.ew, screen.north_at_bottom], [1, 2, true]);
  assert.equal(kind(await event.press(terminal, OK)), "Round");
});

test("numbers are asked seat by seat, and names are shown", async () => {
  const event = await TestEvent.open({ ...BARE_II, ask_numbers: true, show_names: ShowNames.EVERY_ROUND });
  await event.do("PutPlayers", {
    players: [
      { number: "11", first_name: "Ann", last_name: "North" },
      { number: "12", first_name: "Bob", last_name: "South" },
    ],
  });
  const terminal = await event.atTable();
  const seats = [];
  for (const typed of ["11", "12", "", "14"]) {
    const { screen } = terminal.display;
    assert.equal(kind(screen), "Number");
    seats.push(screen.seat);
    await event.press(terminal, number(typed));
  }
  assert.deepEqual(seats, ["N", "S", "E", "W"]);
  let { screen } = terminal.display;
  assert.equal(kind(screen), "Players");
  assert.deepEqual(
    screen.players.map((player) => player.name),
    ["Ann North", "Bob South", "", ""],
  );
  screen = await event.press(terminal, OK);
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
  test(`the number "${typed}" with ${JSON.stringify(changes)} is rejected`, async () => {
    const event = await TestEvent.open({ ...BARE_II, ask_numbers: true, ...changes });
    const terminal = await event.atTable();
    const screen = await event.press(terminal, number(typed));
    assert.equal(kind(screen), "Number");
    assert.equal(screen.seat, "N");
    assert.equal(noticeOf(terminal), notice);
  });
}

test("the same number twice is rejected", async () => {
  const event = await TestEvent.open({ ...BARE, number_entry: NumberEntry.FIRST_ROUND });
  const terminal = await event.atTable();
  await event.press(terminal, number("7"), number("7"));
  assert.equal(noticeOf(terminal), "number-twice");
});

test("a pair with a sit-out in round 1 and a rover enter their numbers", async () => {
  const event = await TestEvent.open(
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
  const sittingOut = await event.atTable("A", 1, "one");
  const rover = await event.atTable("A", 2, "two");
  const screen = await event.press(sittingOut, number("1"), number("2"), OK);
  assert.equal(kind(screen), "Round");
  assert.equal(screen.round, 2, "the sit-out is skipped");
  assert.deepEqual(screen.sit_outs, [{ round: 1, pair: 1, after: null }]);
  const end = await event.press(rover, number("3"), number("4"), OK);
  assert.deepEqual([kind(end), end.key], ["End", "label.sit-out"], "nobody plays here");
  assert.deepEqual(end.sit_outs, [{ round: 1, pair: 3, after: null }]);
  const chairs = Object.entries((await event.state()).chairs).map(([place, typed]) => {
    const [, table, , seat] = place.split("/");
    return [`${table}${seat}`, typed];
  });
  assert.deepEqual(Object.fromEntries(chairs), { "1N": "1", "1S": "2", "2N": "3", "2S": "4" });
});

test("East-West of a team enter their numbers at their home table", async () => {
  const event = await TestEvent.open(
    { ...BARE_II, ask_numbers: true, show_names: ShowNames.EVERY_ROUND },
    {
      section: { section: "A", group: 1, winners: 2, ew_moves: 1 },
      tables: [
        { table: 1, rounds: rounds(4, [1, 2, 1]) },
        { table: 2, rounds: rounds(4, [2, 1, 1]) },
      ],
    },
  );
  const one = await event.atTable("A", 1, "one");
  const two = await event.atTable("A", 2, "two");
  await event.press(one, numbers("1", "2", "3", "4"), OK);
  await event.press(two, numbers("5", "6", "7", "8"), OK);
  await event.tell(one);
  const { screen } = one.display;
  assert.equal(kind(screen), "Round");
  const numberOf = Object.fromEntries(screen.players.map((player) => [player.seat, player.number]));
  assert.deepEqual(numberOf, { N: "1", S: "2", E: "7", W: "8" });
});

test("numbers in every round are preloaded with known ones", async () => {
  const event = await TestEvent.open(
    { ...BARE_II, ask_numbers: true, numbers_each_round: true, preload_numbers: true },
    SHORT,
  );
  const terminal = await event.atTable();
  await event.press(terminal, numbers("1", "2", "3", "4"), OK, OK);
  let screen = await event.press(terminal, board(), board(), OK);
  assert.equal(kind(screen), "Number");
  assert.equal(screen.preloaded, "1");
  screen = await event.press(terminal, number(), number("9"));
  assert.equal(kind(screen), "Number");
  assert.equal(screen.preloaded, "");
  assert.deepEqual(
    screen.typed.map((player) => player.number),
    ["1", "9"],
  );
});

test("confirmed numbers are entered for every round", async () => {
  const event = await TestEvent.open(
    { ...BARE_II, ask_numbers: true, numbers_each_round: true, preload_numbers: true },
    SHORT,
  );
  const terminal = await event.atTable();
  await event.press(terminal, numbers("1", "2", "3", "4"), OK, OK);
  await event.press(terminal, board(), board(), OK);
  await event.press(terminal, numbers("1", "2", "3", "4"), OK);
  const { chairs } = await event.state();
  const entered = ["1/N", "1/S", "1/E", "1/W", "2/N", "2/S", "2/E", "2/W"].map((at) => chairs[`A/1/${at}`]);
  assert.deepEqual(entered, ["1", "2", "3", "4", "1", "2", "3", "4"]);
});

test("a player changes during the round only if the setting is on", async () => {
  for (const allowed of [true, false]) {
    const event = await TestEvent.open({
      ...BARE,
      number_entry: NumberEntry.FIRST_ROUND,
      number_entry_during_play: allowed,
    });
    const terminal = await event.atTable();
    await event.press(terminal, BACK, OK, board());
    await event.press(terminal, changePlayer("E"));
    assert.equal(kind(terminal.display.screen), allowed ? "Number" : "Contract");
    if (allowed) {
      assert.equal(kind(await event.press(terminal, number("88"), OK)), "Contract");
      assert.equal((await event.state()).chairs["A/1/1/E"], "88");
    }
  }
});
