// The terminal's modules as a browser gets them: the files of overtrick/web/static/terminal and the generated
// vocabulary.js, in the folder that OVERTRICK_TERMINAL names (tests/web/test_terminal_node.py makes it).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const folder = process.env.OVERTRICK_TERMINAL;
if (!folder) throw new Error("Run these tests with: pytest tests/web/test_terminal_node.py");

export const load = (name) => import(pathToFileURL(join(folder, name)));

// Return the text of a recording beside this file.
export const readRecording = (name) =>
  gunzipSync(readFileSync(new URL(name, import.meta.url))).toString("utf8");

// Return a value whose objects have their names in order, so that equal values have equal JSON.
export const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
};
