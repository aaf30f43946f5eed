// Recording of auctions call by call and of play card by card.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BACK,
  DEAL,
  HAND_RECORD,
  handOf,
  kind,
  makeCall,
  noticeOf,
  OK,
  playCard,
  result,
  TestEvent,
  vocabulary,
} from "./test_event.mjs";

const { CARDS } = vocabulary;
const RECORDER = {
  generation: "II",
  show_results: false,
  show_next_seating: false,
  record_bidding: true,
  record_play: true,
};
const PLACE = "A/1/1/1";

const calls = (...texts) => texts.map((text) => makeCall(text));

async function atThePlay(event) {
  const terminal = await event.atTable();
  await event.press(terminal, OK, calls("1NT", "Pass", "3NT", "Pass", "Pass", "Pass"));
  return terminal;
}

test("a recorded auction decides the contract, and every call is sent", async () => {
  const event = await TestEvent.open({ ...RECORDER, record_play: false });
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, calls("1H", "X"));
  assert.equal(kind(screen), "Auction");
  assert.deepEqual([screen.calls, screen.turn], [["1H", "X"], "S"]);
  await event.press(terminal, calls("1C"));
  assert.equal(noticeOf(terminal), "illegal-call");
  await event.press(terminal, calls("2S"), BACK, calls("4H", "X", "Pass", "Pass", "Pass"));
  assert.equal(kind(terminal.display.screen), "Result");
  await event.press(terminal, result(-1), OK);
  assert.deepEqual(await event.results(), { [PLACE]: "4HxN-1" });
  const { recorded_calls: kept } = await event.state();
  assert.deepEqual(kept[`${PLACE}/3`], ["S", "4H"]);
  assert.equal(Object.keys(kept).length, 7);
});

test("four passes make a passed-out board", async () => {
  const event = await TestEvent.open(RECORDER);
  const terminal = await event.atTable();
  await event.press(terminal, OK, calls("Pass", "Pass", "Pass", "Pass"), OK);
  assert.deepEqual(await event.results(), { [PLACE]: "Pass" });
});

test("fifty-two recorded cards decide the result", async () => {
  const event = await TestEvent.open({ ...RECORDER, validate_recording: true, ask_lead: true });
  await event.do(...HAND_RECORD);
  const terminal = await atThePlay(event);
  while (kind(terminal.display.screen) === "Play") {
    const { turn, deal, cards: played } = terminal.display.screen;
    assert.notEqual(turn, null);
    assert.equal(deal, "");
    for (const card of handOf(turn).filter((each) => !played.includes(each))) {
      await event.press(terminal, playCard(card));
      if (terminal.display.notice === null) break;
    }
    assert.equal(terminal.display.notice, null, "one of the cards must be possible");
  }
  assert.equal(kind(terminal.display.screen), "Verify");
  await event.press(terminal, OK);
  const { recorded_cards: kept, results } = await event.state();
  assert.equal(Object.keys(kept).length, 52);
  for (const [seat, card] of Object.values(kept)) assert.ok(handOf(seat).includes(card));
  assert.ok(results[PLACE].outcome.startsWith("3NTN"));
  assert.notEqual(results[PLACE].lead, "");
  assert.equal(results[PLACE].lead, kept[`${PLACE}/1`][1]);
});

test("a card can be taken back, and a claim ends the play", async () => {
  const event = await TestEvent.open(RECORDER);
  const terminal = await atThePlay(event);
  await event.press(terminal, playCard(CARDS[0]), playCard(CARDS[0]));
  assert.equal(noticeOf(terminal), "illegal-card");
  await event.press(terminal, playCard(CARDS[1]), BACK);
  assert.deepEqual(Object.keys((await event.state()).recorded_cards), [`${PLACE}/1`]);
  await event.press(terminal, result(1), OK);
  assert.deepEqual(await event.results(), { [PLACE]: "3NTN+1" });
});

test("cards are checked against the hands, and hands shown, only by settings", async () => {
  const [wrong] = handOf("N");
  for (const validated of [true, false]) {
    const event = await TestEvent.open({
      ...RECORDER,
      validate_recording: validated,
      show_hands_while_recording: validated,
    });
    await event.do(...HAND_RECORD);
    const terminal = await atThePlay(event);
    const screen = await event.press(terminal, playCard(wrong));
    assert.equal(kind(screen), "Play");
    assert.deepEqual(screen.cards, validated ? [] : [wrong]);
    assert.equal(screen.deal, validated ? DEAL : "");
  }
});

test("an auction with skipped calls is recorded and asks for the contract", async () => {
  const event = await TestEvent.open(RECORDER);
  const terminal = await event.atTable();
  await event.press(terminal, OK, calls("1H", "SkipBid", "SkipBid", "SkipBid"));
  assert.equal(kind(terminal.display.screen), "Auction");
  await event.press(terminal, calls("SkipBid"), BACK, calls("2H", "SkipBid", "Pass", "Pass"));
  assert.equal(kind(terminal.display.screen), "Contract");
  const { recorded_calls: kept } = await event.state();
  assert.deepEqual(kept[`${PLACE}/2`], ["E", "SkipBid"]);
  assert.deepEqual(kept[`${PLACE}/5`], ["N", "2H"]);
  assert.equal(Object.keys(kept).length, 8);
});

test("a double after a skipped call is allowed", async () => {
  const event = await TestEvent.open(RECORDER);
  const terminal = await event.atTable();
  await event.press(terminal, OK, calls("SkipBid", "X"));
  assert.equal(terminal.display.notice, null);
  await event.press(terminal, calls("1H", "XX"));
  assert.equal(noticeOf(terminal), "illegal-call");
});

test("a small card is recorded as x, loses to every named card, and is no lead", async () => {
  const event = await TestEvent.open({ ...RECORDER, ask_lead: true });
  const terminal = await atThePlay(event);
  await event.press(
    terminal,
    ["Sx", "Sx", "S2", "Hx"].map((card) => playCard(card)),
  );
  assert.equal(terminal.display.screen.turn, "W");
  await event.press(
    terminal,
    ["Dx", "Dx"].map((card) => playCard(card)),
    BACK,
    playCard("DK"),
  );
  const { recorded_cards: kept } = await event.state();
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((counter) => kept[`${PLACE}/${counter}`]),
    [
      ["E", "Sx"],
      ["S", "Sx"],
      ["W", "S2"],
      ["N", "Hx"],
      ["W", "Dx"],
      ["N", "DK"],
    ],
  );
  await event.press(terminal, result(1), OK);
  const { results } = await event.state();
  assert.deepEqual([results[PLACE].outcome, results[PLACE].lead], ["3NTN+1", ""]);
});

test("a small card is the lowest of its suit if the hands are known", async () => {
  const event = await TestEvent.open({ ...RECORDER, validate_recording: true, ask_lead: true });
  await event.do(...HAND_RECORD);
  const terminal = await atThePlay(event);
  const [first] = handOf("E");
  const lowest = CARDS.find((card) => card[0] === first[0] && handOf("E").includes(card));
  await event.press(terminal, playCard(`${first[0]}x`));
  assert.equal(terminal.display.notice, null);
  assert.deepEqual(terminal.display.screen.cards, [lowest]);
});
