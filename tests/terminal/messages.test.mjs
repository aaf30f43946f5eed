// The texts of screens, notices and keys in every language.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "./modules.mjs";
import { board, chooseLanguage, KNOWN, OK, TEXTS, TestEvent, vocabulary } from "./test_event.mjs";

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
  test(`${language} has every text with the same placeholders`, () => {
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

test("no language repeats the English texts", () => {
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

test("every text that the modules name exists", () => {
  const labels = [...sources.matchAll(/"(label\.[\w.-]+)"/g)].map(([, key]) => key);
  assert.ok(labels.length > 80);
  labels.forEach(has);
  const notices = [...sources.matchAll(/\.tell\(([^,)]*)/g)].map(([, first]) => first);
  assert.ok(notices.length > 40);
  for (const first of notices) {
    assert.match(first, /^"[\w.-]+"$/, "the name of a notice is a literal");
    has(first.slice(1, -1));
  }
});

test("a player can choose another language than the section's", async () => {
  const event = await TestEvent.open({ generation: "III", language: Language.POLISH });
  const terminal = await event.atTable();
  assert.equal(terminal.language, Language.POLISH);
  assert.match(say(TEXTS[terminal.language], terminal.display.screen), /^Stół A1, runda 1/);
  await event.press(terminal, chooseLanguage(Language.TURKISH));
  assert.equal(say(TEXTS[terminal.language], terminal.display.screen), "Masa A1, tur 1, bordlar 1-4");
});

test("Bridgemate II settings start in English", async () => {
  const event = await TestEvent.open({ generation: "II" });
  const terminal = await event.atTable();
  await event.press(terminal, OK, board());
  assert.equal(terminal.language, Language.ENGLISH);
});

test("a missing figure is written as a dash", () => {
  assert.match(say(ENGLISH, { key: "conflict", about: { meant: "", stands: "NP" } }), /– was not accepted/);
});
