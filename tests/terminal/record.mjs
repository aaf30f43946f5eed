// Records the recorded evenings again with the terminal as it is now, and prints how many steps differ.
//
// Only what a terminal shows and remembers may differ: screens, keys that are offered, notices. If a key that was
// pressed works now and did not before, or not any more, or if an entry is different, nothing is written: then what
// tables send has changed, and the evenings need to be played again on purpose. A field that a command has got since
// then counts as equal while it has its default.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { load } from "./modules.mjs";
import { evenings, FILE, first, replay, SHARED, values } from "./replay.mjs";

const { COMMANDS } = await load("vocabulary.js");
const plain = (value) => JSON.parse(JSON.stringify(value));
const whole = (entry) => ({ ...entry, command: { ...COMMANDS[entry.command.kind], ...entry.command } });

const places = new Map(values.map((value, place) => [JSON.stringify(value), place]));

function placeOf(value) {
  const text = JSON.stringify(value);
  if (!places.has(text)) places.set(text, values.push(value) - 1);
  return places.get(text);
}

const screens = new Set();
let different = 0;
const recorded = evenings.map((evening) => {
  const [name, snapshots] = evening;
  const steps = [];
  let before = {};
  replay(evening, ({ step: [expected, operation, works, , ...made], place, state, entries, digest }) => {
    if (digest !== expected) {
      const where = `${name}, step ${place}, ${JSON.stringify(operation)}`;
      assert.deepEqual(state.works, works, where);
      assert.deepEqual(plain(entries).map(whole), made.map(whole), where);
      different += 1;
      if (different <= 20) console.log(`${where}: ${state.said.join(" ")}`);
    }
    screens.add(state.display.screen.screen);
    const shown = Object.fromEntries(
      Object.entries(state.display).map(([field, value]) => [
        field,
        SHARED.includes(field) ? placeOf(value) : value,
      ]),
    );
    const changed = Object.entries(shown).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
    );
    before = shown;
    steps.push([digest, operation, state.works, Object.fromEntries(changed), ...entries]);
  });
  return [name, snapshots, steps];
});

if (different) {
  const lines = [{ ...first, screens: [...screens].sort(), values }, ...recorded].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
  writeFileSync(new URL(FILE, import.meta.url), gzipSync(lines.join(""), { level: 9 }));
}
console.log(
  `${different} steps of ${recorded.reduce((sum, [, , steps]) => sum + steps.length, 0)} are different.`,
);
