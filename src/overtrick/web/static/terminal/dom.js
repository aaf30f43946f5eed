// Builders for the elements of a screen. Text is never parsed as HTML; suit symbols get their colours.

import { SUITS } from "./vocabulary.js";

const SYMBOLS = new RegExp(`([${SUITS.map((suit) => suit.symbol).join("")}])`);

// Return an element. The attribute `press` is its click handler; false and null attributes and children are left out.
export function make(kind, attributes = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "press") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(
    ...children
      .flat()
      .filter((child) => child !== null && child !== "")
      .map((child) => (child instanceof Node ? child : withSuitColours(String(child)))),
  );
  return element;
}

// Return a text whose suit symbols are coloured.
function withSuitColours(text) {
  const piece = document.createDocumentFragment();
  for (const part of text.split(SYMBOLS)) {
    const suit = SUITS.find((each) => each.symbol === part);
    piece.append(
      suit
        ? make("span", { class: `suit ${suit.letter.toLowerCase()}` }, document.createTextNode(part))
        : part,
    );
  }
  return piece;
}

// Return a button with its text and handler; `char` is the key of a keyboard that does the same.
export function key(
  name,
  text,
  press,
  { char = null, pressed = null, disabled = false, label = null, kind = "" } = {},
) {
  return make(
    "button",
    {
      type: "button",
      class: kind,
      "data-key": name,
      "data-char": char,
      "aria-pressed": pressed === null ? null : String(pressed),
      "aria-label": label,
      disabled,
      press,
    },
    text,
  );
}

// Return a group of keys in columns. A group with more than one row (class `many`) may have longer rows on a wide
// screen.
export function keys(columns, label, ...buttons) {
  const isMany = buttons.flat().length > columns;
  return make(
    "div",
    { class: `keys c${columns}${isMany ? " many" : ""}`, role: "group", "aria-label": label },
    ...buttons,
  );
}

// Return a table in a box that scrolls sideways.
export function table(label, heads, rows) {
  return make(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": label },
    make(
      "table",
      {},
      heads &&
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            heads.map((head) => make("th", { scope: "col" }, head)),
          ),
        ),
      make("tbody", {}, rows),
    ),
  );
}

export const row = (cells, attributes = {}) =>
  make(
    "tr",
    attributes,
    cells.map((cell) => make("td", {}, cell)),
  );

// Return keys for the ten digits and delete; `changed` gets the new text.
export function keypad(ui, typed, longest, changed) {
  const add = (digit) => () => typed.length < longest && changed(typed + digit);
  return keys(
    3,
    ui.heading,
    [..."123456789"].map((digit) => key(digit, digit, add(digit), { char: digit })),
    key("delete", "⌫", () => changed(typed.slice(0, -1)), {
      char: "Backspace",
      label: ui.say("label.delete"),
      kind: "quiet",
    }),
    key("0", "0", add("0"), { char: "0" }),
  );
}

export const rankName = (card) => (card[1] === "T" ? "10" : card[1]);
export const cardName = (card) => `${SUITS.find((suit) => suit.letter === card[0]).symbol}${rankName(card)}`;
