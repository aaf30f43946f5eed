// Replays recorded evenings: the same keys and news must bring the same screens, entries and memory, step by step.
// The first evenings were recorded from a second implementation of the terminal, in Python, before it was removed.
// evenings.jsonl.gz: the first line holds what the evenings share, every further line is one evening:
// [name, snapshots, steps]. A snapshot holds the fields that differ from the one before. A step is
// [digest, operation, works, display, ...entries]: the digest of the whole state after it, the terminal's method with
// its arguments, whether the key worked, the fields of the display that changed, and the entries that were made. Keys
// pressed, tables, screens, lists of keys and the fields of snapshots are indexes of the shared values.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { load, readRecording, sorted } from "./modules.mjs";

const { say } = await load("messages.js");
const { Terminal } = await load("terminal.js");
const { SCREENS } = await load("vocabulary.js");

const [first, ...evenings] = readRecording("evenings.jsonl.gz").trimEnd().split("\n").map((line) => JSON.parse(line));
const { start, screens, texts, values } = first;

const timeOf = (seconds) => new Date(Date.parse(start) + seconds * 1000).toISOString().replace(".000Z", "+00:00");
const digest = (state) => createHash("sha1").update(JSON.stringify(sorted(state))).digest().subarray(0, 3).toString("base64url");

// Return the snapshots of an evening in full.
function wholeSnapshots(changes) {
  let whole = {};
  return changes.map((changed) => {
    whole = { ...whole, ...Object.fromEntries(Object.entries(changed).map(([name, place]) => [name, values[place]])) };
    return whole;
  });
}

// Carry out one operation; the terminal afterwards and what the method returned.
function carryOut(terminal, snapshots, [operation, ...given]) {
  switch (operation) {
    case "new": {
      const [device, session, tables, run] = given;
      return [new Terminal(device, session, values[tables], run), null];
    }
    case "restart":
      return [Terminal.read(terminal.write()), null];
    case "update":
      return [terminal, terminal.update(given[0] === null ? null : snapshots[given[0]], values[given[1]]) ?? null];
    case "press":
      return [terminal, terminal.press(values[given[0]], timeOf(given[1]))];
    default:
      return [terminal, terminal[operation](...given) ?? null];
  }
}

// Return everything about a terminal that must be the same; of its snapshot only which one it is.
function stateOf(terminal, works) {
  const memory = JSON.parse(terminal.write());
  const { snapshot } = memory;
  const { display } = terminal;
  memory.snapshot = snapshot && [snapshot.version, snapshot.terminal, snapshot.section, snapshot.table];
  const said = [display.screen, display.notice].map((each) => (each ? say(texts[display.language], each) : ""));
  return { works, display, said, unsent: terminal.unsent().map((entry) => entry.id), memory };
}

function replay([name, changes, steps]) {
  const snapshots = wholeSnapshots(changes);
  const known = new Set();
  const expected = {};
  let terminal;
  let works;
  steps.forEach(([mark, operation, recorded, changed, ...entries], step) => {
    const pressed = operation[0] === "press" ? JSON.stringify(values[operation[1]]) : "";
    const where = `${name}, step ${step}, ${JSON.stringify(operation)} ${pressed}`;
    [terminal, works] = carryOut(terminal, snapshots, operation);
    for (const [field, value] of Object.entries(changed)) {
      expected[field] = field === "screen" || field === "keys" ? values[value] : value;
    }
    const state = stateOf(terminal, works);
    if (digest(state) === mark) {
      terminal.machine.outbox.forEach((entry) => known.add(entry.id));
      return;
    }
    const { display, memory } = JSON.parse(JSON.stringify(state));
    assert.deepEqual(works, recorded, where);
    assert.deepEqual(display, expected, where);
    assert.deepEqual(memory.outbox.filter((entry) => !known.has(entry.id)), entries, where);
    assert.fail(`${where}: what is said or kept differs: ${JSON.stringify([state.said, memory])}`);
  });
}

test(`${evenings.length} recorded evenings bring the same screens and entries`, () => {
  assert.ok(evenings.length >= 500);
  evenings.forEach(replay);
});

test("the recorded evenings come to every screen", () => {
  assert.deepEqual(screens, Object.keys(SCREENS).sort());
});
