// Tens of thousands of random keys: no forbidden screen, no impossible result, no lost entry, no missing text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";
import { RandomEvening } from "./random_evening.mjs";

const { SCREENS } = await load("screens.js");

const EVENINGS = Number(process.env.OVERTRICK_EVENINGS ?? 30);
const KEYS = 500;
const seen = new Set();
const notices = new Set();
let answered = 0;
let refused = 0;

for (let seed = 0; seed < EVENINGS; seed += 1) {
  test(`${KEYS} random keys, seed ${seed}`, async () => {
    const evening = await RandomEvening.open(seed);
    await evening.play(KEYS);
    for (const screen of evening.seen) seen.add(screen);
    for (const notice of evening.notices) notices.add(notice);
    answered += evening.answered.size;
    refused += evening.refused.size;
  });
}

test("random keys reach every screen", () => {
  assert.deepEqual([...seen].sort(), Object.keys(SCREENS).sort());
});

test("random keys cause notices, entries and refusals", () => {
  assert.ok(notices.size > 25, [...notices].join());
  assert.ok(answered > EVENINGS * 10, String(answered));
  assert.ok(refused > 0);
});
