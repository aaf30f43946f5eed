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
  OK,
  pairNumber,
  pin,
  Room,
  result,
  SHORT,
  simple,
  vocabulary,
} from "./room.mjs";

const { Doubling, LeadEntry, PairNumberEntry, ResultEntryMethod, Spelling } = vocabulary;

test("the round shows its boards, and neither pairs nor names where not set", async () => {
  const room = await Room.open({ ...BARE_II, show_pair_numbers: false });
  const { screen } = (await room.atTable()).display;
  assert.equal(kind(screen), "Round");
  assert.deepEqual([screen.ns, screen.ew, screen.boards, screen.players], [null, null, [1, 2, 3, 4], []]);
});

test("board numbers come by themselves, by hand, or the first by hand", async () => {
  for (const [settings, first, second] of [
    [BARE_II, "Contract", "Contract"],
    [{ ...BARE_II, auto_board_number: false }, "Board", "Board"],
    [{ ...BARE_II, first_board_manually: true }, "Board", "Contract"],
  ]) {
    const room = await Room.open(settings);
    const terminal = await room.atTable();
    assert.equal(kind(await room.press(terminal, OK)), first);
    if (first === "Board") await room.press(terminal, giveBoard(1));
    assert.equal(kind(await room.press(terminal, board())), second);
  }
});

test("a result that the desk enters ahead does not lead the table away from its round", async () => {
  const room = await Room.open(BARE_II, SHORT);
  await room.do("PutResults", { entries: [entry(1, 2, 4, "60-40")], origin: "desk" });
  const terminal = await room.atTable();
  assert.deepEqual(terminal.display.screen.boards, [1, 2]);
  await room.press(terminal, OK, board());
  assert.deepEqual(Object.keys(await room.results()).sort(), ["A/1/1/1", "A/1/2/4"]);
  await room.press(terminal, board());
  assert.deepEqual(terminal.display.screen.boards, [3, 4]);
  await room.press(terminal, OK, board());
  assert.deepEqual(Object.keys(await room.results()).sort(), ["A/1/1/1", "A/1/1/2", "A/1/2/3", "A/1/2/4"]);
});

test("the order of boards is verified where set", async () => {
  for (const verify of [true, false]) {
    const room = await Room.open({ ...BARE_II, auto_board_number: false, verify_board_order: verify });
    const terminal = await room.atTable();
    await room.press(terminal, OK, giveBoard(3));
    assert.equal(kind(terminal.display.screen), verify ? "Board" : "Contract");
    if (verify) {
      assert.deepEqual(terminal.display.notice.about, { board: "3", expected: "1" });
      await room.press(terminal, OK);
    }
    await room.press(terminal, board(), giveBoard(3));
    assert.equal(noticeOf(terminal), "board-has-result");
    await room.press(terminal, giveBoard(9));
    assert.equal(noticeOf(terminal), "board-not-in-round");
    assert.deepEqual(Object.keys(await room.results()), ["A/1/1/3"]);
  }
});

test("remaining boards are shown where set", async () => {
  for (const shown of [true, false]) {
    const room = await Room.open({ ...BARE_II, show_remaining_boards: shown });
    const terminal = await room.atTable();
    const screen = await room.press(terminal, OK, board());
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
      const room = await Room.open({ ...settings, result_entry: method });
      const terminal = await room.atTable();
      const screen = await room.press(
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
        await room.press(terminal, OK);
        assert.deepEqual(await room.results(), { "A/1/1/1": expected });
      }
    });
  }
}

test("opponents who say no enter it again", async () => {
  const room = await Room.open({ ...BARE_II, spelling: Spelling.SYMBOLS, verification_seconds: 5 });
  const terminal = await room.atTable();
  const screen = await room.press(terminal, OK, board().slice(0, -1));
  assert.equal(kind(screen), "Verify");
  assert.deepEqual([screen.result, screen.scores, screen.seconds], ["4♠ N =", ["420"], 5]);
  assert.equal(kind(await room.press(terminal, BACK)), "Contract");
  await room.press(terminal, simple("PassOut"), OK);
  assert.deepEqual(await room.results(), { "A/1/1/1": "Pass" });
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
    const room = await Room.open(settings);
    await room.do(...HAND_RECORD);
    const terminal = await room.atTable();
    await room.press(terminal, OK, bid(3, "NT"), declarer("S"));
    assert.equal(kind(terminal.display.screen), asked ? "Lead" : "Result");
    if (!asked) return;
    const [wrong] = handOf("N");
    const [right] = handOf("W");
    await room.press(terminal, lead(wrong));
    assert.equal(kind(terminal.display.screen), strict ? "Lead" : "Result");
    if (strict && excepted) {
      assert.equal(kind(await room.press(terminal, OK)), "Result");
    } else if (strict) {
      assert.equal(kind(await room.press(terminal, OK)), "Lead");
      assert.equal(kind(await room.press(terminal, lead(right))), "Result");
    }
    await room.press(terminal, result(0), OK);
    assert.equal((await room.state()).results["A/1/1/1"].lead, excepted || !strict ? wrong : right);
  });
}

test("the pair number tells who sits the wrong way round", async () => {
  const room = await Room.open({ ...BARE_II, pair_number_entry: PairNumberEntry.REQUIRED });
  const terminal = await room.atTable();
  await room.press(terminal, OK, bid(4, "H"), declarer("N"));
  assert.equal(kind(await room.press(terminal, OK)), "Pair", "it is required");
  assert.equal(kind(await room.press(terminal, pairNumber(3))), "Pair", "pair 3 is elsewhere");
  const screen = await room.press(terminal, pairNumber(2), result(0));
  assert.equal(kind(screen), "Verify");
  assert.ok(screen.is_wrong_direction);
  await room.press(terminal, OK);
  assert.ok((await room.state()).results["A/1/1/1"].is_wrong_direction);
});

test("the pair number may be optional", async () => {
  const room = await Room.open({ ...BARE_II, pair_number_entry: PairNumberEntry.OPTIONAL });
  const terminal = await room.atTable();
  assert.equal(kind(await room.press(terminal, OK, bid(4, "H"), declarer("N"), OK)), "Result");
});

test("the contract is sent before the result, and another device goes on there", async () => {
  const room = await Room.open({ ...BARE_II, send_contracts: true, ask_lead: true });
  const terminal = await room.atTable();
  await room.press(terminal, OK, bid(6, "C"), declarer("W"), lead("HA"));
  assert.deepEqual((await room.state()).contracts["A/1/1/1"], ["6CW", "HA"]);
  const other = await room.terminal("tablet");
  const screen = await room.press(other, choose("A", 1), OK, OK);
  assert.equal(kind(screen), "Result");
  assert.deepEqual([screen.contract, screen.lead], ["6C W", "HA"]);
  await room.press(other, result(-1), OK);
  assert.deepEqual(await room.results(), { "A/1/1/1": "6CW-1" });
});

test("not played needs the director where set", async () => {
  for (const settings of [BARE, BARE_II]) {
    let room = await Room.open({ ...settings, confirm_not_played: true, pin: "4711" });
    let terminal = await room.atTable();
    assert.equal(kind(await room.press(terminal, OK, simple("NoPlay"), pin("0000"))), "Pin");
    assert.equal(kind(await room.press(terminal, BACK)), "Contract");
    await room.press(terminal, simple("NoPlay"), pin("4711"), OK);
    assert.deepEqual(await room.results(), { "A/1/1/1": "NP" });
    room = await Room.open(settings);
    terminal = await room.atTable();
    await room.press(terminal, OK, simple("NoPlay"), OK);
    assert.deepEqual(await room.results(), { "A/1/1/1": "NP" });
  }
});
