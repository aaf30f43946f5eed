// The flow of screens from board to result, setting by setting.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BACK,
  BARE,
  BARE_II,
  bid,
  board,
  choose,
  declarer,
  double,
  entry,
  giveBoard,
  HAND_RECORD,
  handOf,
  kind,
  lead,
  noticeOf,
  numbers,
  OK,
  pairNumber,
  pin,
  result,
  SHORT,
  simple,
  TestEvent,
  vocabulary,
} from "./test_event.mjs";

const { Doubling, LeadEntry, NumberEntry, PairNumberEntry, ResultEntryMethod, Spelling } = vocabulary;

test("the round screen shows boards, and hides pairs and names by settings", async () => {
  const event = await TestEvent.open({ ...BARE_II, show_pair_numbers: false });
  const { screen } = (await event.atTable()).display;
  assert.equal(kind(screen), "Round");
  assert.deepEqual([screen.ns, screen.ew, screen.boards, screen.players], [null, null, [1, 2, 3, 4], []]);
});

test("board numbers are automatic, typed, or typed for the first board by settings", async () => {
  for (const [settings, first, second] of [
    [BARE_II, "Contract", "Contract"],
    [{ ...BARE_II, auto_board_number: false }, "Board", "Board"],
    [{ ...BARE_II, first_board_manually: true }, "Board", "Contract"],
  ]) {
    const event = await TestEvent.open(settings);
    const terminal = await event.atTable();
    assert.equal(kind(await event.press(terminal, OK)), first);
    if (first === "Board") await event.press(terminal, giveBoard(1));
    assert.equal(kind(await event.press(terminal, board())), second);
  }
});

test("a result that the desk enters ahead does not change the table's round", async () => {
  const event = await TestEvent.open(BARE_II, SHORT);
  await event.do("PutResults", { entries: [entry(1, 2, 4, "60-40")], origin: "desk" });
  const terminal = await event.atTable();
  assert.deepEqual(terminal.display.screen.boards, [1, 2]);
  await event.press(terminal, OK, board());
  assert.deepEqual(Object.keys(await event.results()).sort(), ["A/1/1/1", "A/1/2/4"]);
  await event.press(terminal, board());
  assert.deepEqual(terminal.display.screen.boards, [3, 4]);
  await event.press(terminal, OK, board());
  assert.deepEqual(Object.keys(await event.results()).sort(), ["A/1/1/1", "A/1/1/2", "A/1/2/3", "A/1/2/4"]);
});

test("a board out of order must be confirmed if the setting is on", async () => {
  for (const verify of [true, false]) {
    const event = await TestEvent.open({ ...BARE_II, auto_board_number: false, verify_board_order: verify });
    const terminal = await event.atTable();
    await event.press(terminal, OK, giveBoard(3));
    assert.equal(kind(terminal.display.screen), verify ? "Board" : "Contract");
    if (verify) {
      assert.deepEqual(terminal.display.notice.about, { board: "3", expected: "1" });
      await event.press(terminal, OK);
    }
    await event.press(terminal, board(), giveBoard(3));
    assert.equal(noticeOf(terminal), "board-has-result");
    await event.press(terminal, giveBoard(9));
    assert.equal(noticeOf(terminal), "board-not-in-round");
    assert.deepEqual(Object.keys(await event.results()), ["A/1/1/3"]);
  }
});

test("remaining boards are shown if the setting is on", async () => {
  for (const shown of [true, false]) {
    const event = await TestEvent.open({ ...BARE_II, show_remaining_boards: shown });
    const terminal = await event.atTable();
    const screen = await event.press(terminal, OK, board());
    assert.equal(kind(screen), "Contract");
    assert.equal(screen.remaining, shown ? 3 : null);
  }
});

const { AMERICAN, RELATIVE, TOTAL } = ResultEntryMethod;
for (const [method, entered, expected] of [
  [RELATIVE, 1, "4SxN+1"],
  [RELATIVE, -10, "4SxN-10"],
  [RELATIVE, 4, null],
  [RELATIVE, -11, null],
  [TOTAL, 11, "4SxN+1"],
  [TOTAL, 0, "4SxN-10"],
  [TOTAL, 14, null],
  [TOTAL, -1, null],
  [AMERICAN, 5, "4SxN+1"],
  [AMERICAN, 4, "4SxN="],
  [AMERICAN, -2, "4SxN-2"],
  [AMERICAN, 3, null],
  [AMERICAN, 0, null],
  [AMERICAN, 8, null],
]) {
  for (const settings of [BARE, BARE_II]) {
    test(`${entered} as ${method} is ${expected ?? "impossible"} (${settings.generation})`, async () => {
      const event = await TestEvent.open({ ...settings, result_entry: method });
      const terminal = await event.atTable();
      const screen = await event.press(
        terminal,
        OK,
        bid(4, "S"),
        double(Doubling.DOUBLED),
        declarer("N"),
        result(entered),
      );
      if (expected === null) {
        assert.equal(kind(screen), "Result");
        assert.equal(noticeOf(terminal), "impossible-result");
      } else {
        assert.equal(kind(screen), "Verify");
        await event.press(terminal, OK);
        assert.deepEqual(await event.results(), { "A/1/1/1": expected });
      }
    });
  }
}

test("a result that the opponents reject is entered again", async () => {
  const event = await TestEvent.open({ ...BARE_II, spelling: Spelling.SYMBOLS, verification_seconds: 5 });
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, board().slice(0, -1));
  assert.equal(kind(screen), "Verify");
  assert.deepEqual([screen.result, screen.scores, screen.seconds], ["4♠ N =", ["420"], 5]);
  assert.equal(kind(await event.press(terminal, BACK)), "Contract");
  await event.press(terminal, simple("PassOut"), OK);
  assert.deepEqual(await event.results(), { "A/1/1/1": "Pass" });
});

for (const [settings, asked, strict, excepted] of [
  [BARE_II, false, false, false],
  [{ ...BARE_II, ask_lead: true }, true, false, false],
  [{ ...BARE_II, ask_lead: true, validate_lead: true }, true, true, false],
  [{ ...BARE, lead_entry: LeadEntry.UNCHECKED }, true, false, false],
  [{ ...BARE, lead_entry: LeadEntry.CHECKED }, true, true, false],
  [{ ...BARE, lead_entry: LeadEntry.CHECKED_WITH_EXCEPTIONS }, true, true, true],
]) {
  const { generation, lead_entry: leadEntry, ask_lead: askLead, validate_lead: checked } = settings;
  test(`leads with ${JSON.stringify({ generation, leadEntry, askLead, checked })}`, async () => {
    const event = await TestEvent.open(settings);
    await event.do(...HAND_RECORD);
    const terminal = await event.atTable();
    await event.press(terminal, OK, bid(3, "NT"), declarer("S"));
    assert.equal(kind(terminal.display.screen), asked ? "Lead" : "Result");
    if (!asked) return;
    const [wrong] = handOf("N");
    const [right] = handOf("W");
    await event.press(terminal, lead(wrong));
    assert.equal(kind(terminal.display.screen), strict ? "Lead" : "Result");
    if (strict && excepted) {
      assert.equal(kind(await event.press(terminal, OK)), "Result");
    } else if (strict) {
      assert.equal(kind(await event.press(terminal, OK)), "Lead");
      assert.equal(kind(await event.press(terminal, lead(right))), "Result");
    }
    await event.press(terminal, result(0), OK);
    assert.equal((await event.state()).results["A/1/1/1"].lead, excepted || !strict ? wrong : right);
  });
}

test("the other pair's number marks the board as wrong direction", async () => {
  const event = await TestEvent.open({ ...BARE_II, pair_number_entry: PairNumberEntry.REQUIRED });
  const terminal = await event.atTable();
  await event.press(terminal, OK, bid(4, "H"), declarer("N"));
  assert.equal(kind(await event.press(terminal, OK)), "Pair", "it is required");
  assert.equal(kind(await event.press(terminal, pairNumber(3))), "Pair", "pair 3 is elsewhere");
  const screen = await event.press(terminal, pairNumber(2), result(0));
  assert.equal(kind(screen), "Verify");
  assert.ok(screen.is_wrong_direction);
  await event.press(terminal, OK);
  assert.ok((await event.state()).results["A/1/1/1"].is_wrong_direction);
});

test("an optional pair number can be skipped", async () => {
  const event = await TestEvent.open({ ...BARE_II, pair_number_entry: PairNumberEntry.OPTIONAL });
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, bid(4, "H"), declarer("N"), OK)), "Result");
});

test("another device continues after a contract that was sent before the result", async () => {
  const event = await TestEvent.open({ ...BARE_II, send_contracts: true, ask_lead: true });
  const terminal = await event.atTable();
  await event.press(terminal, OK, bid(6, "C"), declarer("W"), lead("HA"));
  assert.deepEqual((await event.state()).contracts["A/1/1/1"], ["6CW", "HA"]);
  const other = await event.terminal("tablet");
  const screen = await event.press(other, choose("A", 1), OK, OK);
  assert.equal(kind(screen), "Result");
  assert.deepEqual([screen.contract, screen.lead], ["6C W", "HA"]);
  await event.press(other, result(-1), OK);
  assert.deepEqual(await event.results(), { "A/1/1/1": "6CW-1" });
});

test("not played asks for the director's PIN if the setting is on", async () => {
  for (const settings of [BARE, BARE_II]) {
    let event = await TestEvent.open({ ...settings, confirm_not_played: true, pin: "4711" });
    let terminal = await event.atTable();
    assert.equal(kind(await event.press(terminal, OK, simple("NoPlay"), pin("0000"))), "Pin");
    assert.equal(kind(await event.press(terminal, BACK)), "Contract");
    await event.press(terminal, simple("NoPlay"), pin("4711"), OK);
    assert.deepEqual(await event.results(), { "A/1/1/1": "NP" });
    event = await TestEvent.open(settings);
    terminal = await event.atTable();
    await event.press(terminal, OK, simple("NoPlay"), OK);
    assert.deepEqual(await event.results(), { "A/1/1/1": "NP" });
  }
});

test("the head of an entry tells dealer, vulnerability and pairs", async () => {
  const event = await TestEvent.open({ ...BARE, number_entry: NumberEntry.FIRST_ROUND });
  await event.do("PutPlayers", { players: [{ number: "7", first_name: "Ann", last_name: "North" }] });
  const terminal = await event.atTable();
  const screen = await event.press(terminal, numbers("7", "8", "9", "10"), OK, OK);
  assert.deepEqual([screen.board, screen.dealer, screen.vulnerable], [1, "N", []]);
  assert.deepEqual(screen.sides, [
    { side: "NS", numbers: [1], names: ["Ann North", "8"] },
    { side: "EW", numbers: [2], names: ["9", "10"] },
  ]);
  const second = await event.press(terminal, board());
  assert.deepEqual([second.board, second.dealer, second.vulnerable], [2, "E", ["NS"]]);
});

test("a lead can be left open unless leads are checked without exception", async () => {
  for (const [rule, isAllowed] of [
    [LeadEntry.UNCHECKED, true],
    [LeadEntry.CHECKED_WITH_EXCEPTIONS, true],
    [LeadEntry.CHECKED, false],
  ]) {
    const event = await TestEvent.open({ ...BARE, lead_entry: rule });
    const terminal = await event.atTable();
    await event.press(terminal, OK, bid(4, "S"), declarer("N"));
    assert.equal(terminal.press({ kind: "SkipLead" }, event.at), isAllowed, rule);
    if (!isAllowed) continue;
    await event.press(terminal, result(0), OK);
    const { outcome, lead: led } = (await event.state()).results["A/1/1/1"];
    assert.deepEqual([outcome, led ?? ""], ["4SN=", ""]);
  }
});
