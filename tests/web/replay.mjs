// Replays what a terminal of Python went through on the terminal of the browser, and prints a digest a step.
// With a place as argument it prints that step in full instead.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { say } from "./messages.js";
import { Terminal } from "./terminal.js";

const { texts, snapshots, evenings } = JSON.parse(readFileSync(0, "utf8"));
const [wantedEvening, wantedStep] = process.argv.slice(2).map(Number);

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
};

function seen(terminal, works) {
  const memory = JSON.parse(terminal.write());
  const { snapshot } = memory;
  const { display } = terminal;
  const said = [display.screen, display.notice].map((each) => (each ? say(texts[display.language], each) : ""));
  memory.snapshot = snapshot && [snapshot.version, snapshot.terminal, snapshot.section, snapshot.table];
  return JSON.stringify(sorted({ works, display, said, unsent: terminal.unsent().map((entry) => entry.id), memory }));
}

evenings.forEach((steps, evening) => {
  let terminal;
  steps.forEach(([operation, ...given], step) => {
    let works = null;
    if (operation === "new") terminal = new Terminal(...given);
    else if (operation === "restart") terminal = Terminal.read(terminal.write());
    else if (operation === "update") terminal.update(given[0] === null ? null : snapshots[given[0]], given[1]);
    else works = terminal[operation](...given) ?? null;
    const text = seen(terminal, works);
    if (wantedStep === undefined) console.log(createHash("sha1").update(text).digest("hex"));
    else if (evening === wantedEvening && step === wantedStep) console.log(text);
  });
});
