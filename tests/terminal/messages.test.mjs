// What screens, notices and keys say, in every language.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "./modules.mjs";
import { board, chooseLanguage, KNOWN, OK, Room, TEXTS, vocabulary } from "./room.mjs";

const { say } = await load("messages.js");
const { CallStatus, Language, LANGUAGES, Reason, ResultEntryMethod, SEATS, SUITS } = vocabulary;
const { SCREENS } = await load("screens.js");
const ENGLISH = TEXTS[Language.ENGLISH];

const folder = process.env.OVERTRICK_TERMINAL;
const modules = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "vocabulary.js");
const sources = modules.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
const figuresOf = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const has = (key) => assert.ok(ENGLISH[key], key);

for (const [language, texts] of Object.entries(TEXTS)) {
  test(`${language} has every text with the same figures`, () => {
    assert.deepEqual(Object.keys(texts), Object.keys(ENGLISH));
    for (const [key, text] of Object.entries(texts)) {
      assert.equal(text.trim(), text);
      assert.notEqual(text, "");
      assert.deepEqual([...new Set(figuresOf(text))], [...new Set(figuresOf(ENGLISH[key]))], key);
    }
  });
}

test("there are eleven languages, each with a name of its own", () => {
  assert.deepEqual(Object.keys(TEXTS).sort(), Object.values(Language).sort());
  assert.deepEqual(Object.keys(LANGUAGES).sort(), Object.values(Language).sort());
  assert.equal(new Set(Object.values(LANGUAGES)).size, 11);
});

test("a language is a language of its own", () => {
  for (const [language, texts] of Object.entries(TEXTS)) {
    if (language === Language.ENGLISH) continue;
    const same = Object.entries(texts).filter(
      ([key, text]) => text === ENGLISH[key] && text.replace(/\{\w+\}/g, "").length > 11,
    );
    assert.deepEqual(same, [], language);
  }
});

test("every screen, call, reason, seat, side, suit and way of entry has its text", () => {
  assert.ok(Object.keys(SCREENS).length >= 30);
  Object.values(SCREENS).forEach(has);
  assert.deepEqual(Object.values(CallStatus), KNOWN.call_statuses);
  for (const status of Object.values(CallStatus)) has(`call.${status}`);
  assert.deepEqual(Object.values(Reason), KNOWN.reasons);
  for (const reason of Object.values(Reason)) has(`conflict.${reason}`);
  for (const method of Object.values(ResultEntryMethod)) has(`label.${method}`);
  for (const seat of SEATS) has(`label.seat.${seat}`);
  for (const side of ["NS", "EW"]) has(`label.side.${side}`);
  for (const { letter } of SUITS) has(`label.suit.${letter}`);
});

test("every text that the modules name is there", () => {
  const labels = [...sources.matchAll(/"(label\.[\w.-]+)"/g)].map(([, key]) => key);
  assert.ok(labels.length > 80);
  labels.forEach(has);
  const told = [...sources.matchAll(/\.tell\(([^,)]*)/g)].map(([, first]) => first);
  assert.ok(told.length > 40);
  for (const first of told) {
    assert.match(first, /^"[\w-]+"$/, "a notice is named where it is told");
    has(first.slice(1, -1));
  }
});

test("a player chooses a language of the section", async () => {
  const room = await Room.open({ generation: "III", language: Language.POLISH });
  const terminal = await room.atTable();
  assert.equal(terminal.language, Language.POLISH);
  assert.match(say(TEXTS[terminal.language], terminal.display.screen), /^Stół A1, runda 1/);
  await room.press(terminal, chooseLanguage(Language.TURKISH));
  assert.equal(say(TEXTS[terminal.language], terminal.display.screen), "Masa A1, tur 1, bordlar 1-4");
});

test("the second generation speaks English until someone chooses", async () => {
  const room = await Room.open({ generation: "II" });
  const terminal = await room.atTable();
  await room.press(terminal, OK, board());
  assert.equal(terminal.language, Language.ENGLISH);
});

test("nothing known is a dash", () => {
  assert.match(say(ENGLISH, { key: "conflict", about: { meant: "", stands: "NP" } }), /– was not taken/);
});
