// Player numbers: the federations' check digits, and names by number.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { findName, isPossible } = await load("numbers.js");
const { NumberRules } = await load("vocabulary.js");

const EXAMPLES = [
  // 1x7 + 2x6 + 3x5 + 4x4 + 5x3 + 6x2 = 77, so the check digit is 0
  [NumberRules.ACBL, "1234560", true],
  [NumberRules.ACBL, "J234560", true],
  [NumberRules.ACBL, "j234560", true],
  [NumberRules.ACBL, "1234561", false],
  [NumberRules.ACBL, "234560", false],
  [NumberRules.ACBL, "S234560", false],
  [NumberRules.ACBL, "0000000", false],
  // the examples of the federation's page about its check digit
  [NumberRules.FFB, "490714", true],
  [NumberRules.FFB, "490706", true],
  [NumberRules.FFB, "2094100", true],
  [NumberRules.FFB, "2094118", true],
  [NumberRules.FFB, "2094119", false],
  [NumberRules.FFB, "123456789", false],
  [NumberRules.FFB, "49O714", false],
  // 0x7 + 6x6 + 2x5 + 0x4 + 2x3 + 4x2 = 60, 60 mod 11 = 5, 11 - 5 = 6
  [NumberRules.ABF, "620246", true],
  [NumberRules.ABF, "0620246", true],
  [NumberRules.ABF, "620245", false],
  [NumberRules.JCBL, "12345", true],
  [NumberRules.JCBL, "12a45", false],
  [NumberRules.NONE, "club 7", true],
  [NumberRules.NONE, " 7", false],
  [NumberRules.NONE, "", false],
  [NumberRules.NONE, "9".repeat(17), false],
];

for (const [rules, number, possible] of EXAMPLES) {
  test(`${rules}: ${JSON.stringify(number)} is ${possible ? "" : "not "}possible`, () => {
    assert.equal(isPossible(number, rules), possible);
  });
}

test("one wrong digit of an ACBL number is always found", () => {
  let tried = 0;
  for (let number = 1_000_000; number < 10_000_000; number += 997) {
    const text = String(number);
    if (!isPossible(text, NumberRules.ACBL)) continue;
    tried += 1;
    for (let place = 0; place < 7; place += 1) {
      for (let more = 1; more < 10; more += 1) {
        const wrong = text.slice(0, place) + ((Number(text[place]) + more) % 10) + text.slice(place + 1);
        assert.ok(wrong[0] === "0" || !isPossible(wrong, NumberRules.ACBL), `${text} ${wrong}`);
      }
    }
  }
  assert.ok(tried > 500);
});

test("digits of other scripts and thousands of digits are refused by every federation", () => {
  for (const text of ["٣", "²", "١٢٣٤٥٦٠", "９", "1".repeat(5000), "\u0000", "1 2", "😀"]) {
    for (const rules of Object.values(NumberRules)) {
      if (rules !== NumberRules.NONE)
        assert.equal(isPossible(text, rules), false, `${rules} ${text.slice(0, 10)}`);
    }
  }
});

test("names are found by text and by figure", () => {
  const names = { "01": "Ely Culbertson", "1x": "Jo Culbertson" };
  assert.equal(findName("1", names, true), "");
  assert.equal(findName("1", names, false), "Ely Culbertson");
  assert.equal(findName("1x", names, false), "Jo Culbertson");
  assert.equal(findName("²", names, false), "");
});
