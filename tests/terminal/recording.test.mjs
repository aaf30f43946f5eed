// Replays recorded evenings: the same keys and news must give the same screens, entries and memory in every step.
// They were recorded from a second implementation of the terminal, in Python, before it was removed. After an
// intended change of what the terminal shows, record them again with `python -m tests.web.test_terminal_node`, which
// refuses if an entry is different (record.mjs).

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";
import { evenings, first, replay, SHARED, values } from "./replay.mjs";

const { SCREENS } = await load("screens.js");

const plain = (value) => JSON.parse(JSON.stringify(value));

function compare(evening) {
  const shown = {};
  replay(evening, ({ step, place, state, entries, digest }) => {
    const [expected, operation, works, changed, ...made] = step;
    for (const [name, value] of Object.entries(changed))
      shown[name] = SHARED.includes(name) ? values[value] : value;
    if (digest === expected) return;
    const pressed = operation[0] === "press" ? JSON.stringify(values[operation[1]]) : "";
    const where = `${evening[0]}, step ${place}, ${JSON.stringify(operation)} ${pressed}`;
    assert.deepEqual(state.works, works, where);
    assert.deepEqual(plain(state.display), shown, where);
    assert.deepEqual(plain(entries), made, where);
    assert.fail(`${where}: what is said or kept differs: ${JSON.stringify([state.said, state.memory])}`);
  });
}

// Replay every fourth evening, which takes three seconds; OVERTRICK_RECORDINGS=1 replays all.
const EVERY = Number(process.env.OVERTRICK_RECORDINGS ?? 4);

test("recorded evenings replay to the same screens and entries", () => {
  assert.ok(evenings.length >= 500);
  evenings.filter((_, place) => place % EVERY === 0).forEach(compare);
});

test("the recorded evenings show every screen", () => {
  assert.deepEqual(first.screens, Object.keys(SCREENS).sort());
});
