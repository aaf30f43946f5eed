// Pure functions of the terminal against recorded values: scores, spellings, numbers, names, percentages, deals.
// parts.json.gz was recorded from a second implementation of the terminal, in Python, before it was removed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, readRecording } from "./modules.mjs";

const { parseDeal, parseOutcome, writeDeal } = await load("bridge.js");
const { points, scores, percentText, outcomeText } = await load("listing.js");
const { findName, isPossible } = await load("numbers.js");
const { CARDS, NumberRules } = await load("vocabulary.js");

const recorded = JSON.parse(readRecording("parts.json.gz"));

test("every outcome is outcomeText and scored as recorded on every board", () => {
  const { rules, boards, outcomes } = recorded.scores;
  assert.ok(outcomes.length > 2900);
  const parsed = outcomes.map(parseOutcome);
  assert.deepEqual(
    rules.map((each) => parsed.map((outcome) => outcomeText(outcome, each))),
    recorded.scores.spelled,
  );
  assert.deepEqual(
    rules.map((each) => boards.map((board) => parsed.map((outcome) => scores(outcome, board, each)))),
    recorded.scores.scores,
  );
});

test("numbers are possible, and have the names, as recorded", () => {
  const { rules, names, numbers } = recorded.numbers;
  assert.deepEqual(rules, Object.values(NumberRules));
  assert.ok(Object.keys(numbers).length > 2000);
  for (const [number, expected] of Object.entries(numbers)) {
    const found = [
      ...rules.map((each) => isPossible(number, each)),
      findName(number, names, true),
      findName(number, names, false),
    ];
    assert.deepEqual(found, expected, number);
  }
});

test("shares and points are written as recorded", () => {
  assert.ok(recorded.shares.length > 1500);
  for (const [figure, asShare, asPoints] of recorded.shares) {
    assert.deepEqual([percentText(figure), points(figure)], [asShare, asPoints], String(figure));
  }
});

test("a deal is parsed and written back", () => {
  assert.equal(recorded.deals.length, 20);
  for (const deal of recorded.deals) assert.equal(writeDeal(parseDeal(deal)), deal);
  assert.equal(CARDS.length, 52);
});
