// Replays recorded evenings on the terminal.
//
// Format of evenings.jsonl.gz: the first line holds what the evenings share, every further line is one evening:
// [name, snapshots, steps]. A snapshot holds the fields that differ from the one before. A step is
// [digest, operation, works, display, ...entries]: the digest of the whole state after it, the terminal's method with
// its arguments, whether the key worked, the fields of the display that changed, and the entries that were made. Keys
// pressed, tables, screens, lists of keys and the fields of snapshots are indexes of the shared values.

import { createHash } from "node:crypto";
import { load, readRecording, sorted } from "./modules.mjs";

const { say } = await load("messages.js");
const { Terminal } = await load("terminal.js");

export const FILE = "evenings.jsonl.gz";
export const SHARED = ["screen", "keys"]; // the fields of a display that are indexes

const [first, ...evenings] = readRecording(FILE)
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const { start, texts, values } = first;

const timeOf = (seconds) =>
  new Date(Date.parse(start) + seconds * 1000).toISOString().replace(".000Z", "+00:00");

// Four characters of a digest: a different step is missed once in sixteen million times.
const digest = (state) =>
  createHash("sha1")
    .update(JSON.stringify(sorted(state)))
    .digest()
    .subarray(0, 3)
    .toString("base64url");

// Return the snapshots of an evening in full.
function wholeSnapshots(changes) {
  let whole = {};
  return changes.map((changed) => {
    whole = {
      ...whole,
      ...Object.fromEntries(Object.entries(changed).map(([name, place]) => [name, values[place]])),
    };
    return whole;
  });
}

// Carry out one operation; return the terminal afterwards and the method's value.
function carryOut(terminal, snapshots, [operation, ...given]) {
  switch (operation) {
    case "new": {
      const [device, session, tables, run] = given;
      return [new Terminal(device, session, values[tables], run), null];
    }
    case "restart":
      return [Terminal.read(terminal.write()), null];
    case "update":
      return [
        terminal,
        terminal.update(given[0] === null ? null : snapshots[given[0]], values[given[1]]) ?? null,
      ];
    case "press":
      return [terminal, terminal.press(values[given[0]], timeOf(given[1]))];
    default:
      return [terminal, terminal[operation](...given) ?? null];
  }
}

// Return everything about a terminal that must be equal; its snapshot is replaced by its index.
function stateOf(terminal, works) {
  const memory = JSON.parse(terminal.write());
  const { snapshot } = memory;
  const { display } = terminal;
  memory.snapshot = snapshot && [snapshot.version, snapshot.terminal, snapshot.section, snapshot.table];
  const said = [display.screen, display.notice].map((each) =>
    each ? say(texts[display.language], each) : "",
  );
  return { works, display, said, unsent: terminal.unsent().map((entry) => entry.id), memory };
}

// Replay an evening; `seen` gets for each step the recorded one and the state after it.
function replay([, changes, steps], seen) {
  const snapshots = wholeSnapshots(changes);
  const seenIds = new Set();
  let terminal;
  let works;
  steps.forEach((step, place) => {
    [terminal, works] = carryOut(terminal, snapshots, step[1]);
    const state = stateOf(terminal, works);
    const entries = terminal.machine.outbox.filter((entry) => !seenIds.has(entry.id));
    for (const entry of entries) seenIds.add(entry.id);
    seen({ step, place, state, entries, digest: digest(state) });
  });
}

export { evenings, first, replay, values };
