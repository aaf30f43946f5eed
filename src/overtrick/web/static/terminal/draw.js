// Draws a display as elements, one function for each screen. Makes no decisions: a key sends its input to the machine,
// and only keys that work now are drawn.

import { parseOutcome } from "./bridge.js";
import { cardName, key, keypad, make } from "./dom.js";
import * as director from "./draw_director.js";
import * as entry from "./draw_entry.js";
import * as lists from "./draw_lists.js";
import { outcomeText } from "./listing.js";
import { say } from "./messages.js";
import { Spelling } from "./vocabulary.js";

function ok(ui, press = null, disabled = false) {
  if (!press && !ui.can("Confirm")) return null;
  return key("ok", ui.say("label.ok"), press ?? (() => ui.press({ kind: "Confirm" })), {
    char: "Enter",
    kind: "go",
    disabled,
  });
}
const back = (ui) =>
  key("back", ui.say("label.back"), () => ui.press({ kind: "Cancel" }), {
    char: "Escape",
    kind: "quiet back",
  });

// Return the four seats with their players, North at the top or, by a setting, at the bottom.
function compass(ui, { players, ns, ew, north_at_bottom: isTurned }) {
  const seats = isTurned ? ["S", "E", "W", "N"] : ["N", "W", "E", "S"];
  const pairOf = (seat) => ("NS".includes(seat) ? ns : ew);
  return make(
    "div",
    { class: "compass" },
    seats.map((seat, place) => {
      const player = players.find((each) => each.seat === seat);
      const number = pairOf(seat);
      const words = [
        make("span", { class: "seat-name" }, ui.say(`label.seat.${seat}`), number ? ` ${number}` : ""),
        make("strong", {}, player?.name || player?.number || (player ? "–" : "")),
      ];
      const where = ["top", "left", "right", "bottom"][place];
      if (!ui.can("ChangePlayer")) return make("div", { class: `place ${where}` }, words);
      return make(
        "button",
        {
          type: "button",
          class: `place ${where}`,
          "data-key": `seat-${seat}`,
          press: () => ui.press({ kind: "ChangePlayer", seat }),
        },
        words,
        make("span", { class: "hidden" }, ui.say("label.change-players")),
      );
    }),
  );
}

function number(ui, screen) {
  const typed = ui.typing.number ?? "";
  const give = () => ui.press({ kind: "Number", number: typed });
  return [
    screen.typed.length ? lists.people(ui, screen.typed) : null,
    make(
      "form",
      { class: "typed" },
      make("input", {
        name: "number",
        value: typed,
        placeholder: screen.preloaded || false,
        "aria-label": ui.heading,
        autocomplete: "off",
        maxlength: "16",
        "data-field": "number",
        autocapitalize: "characters",
        enterkeyhint: "done",
      }),
    ),
    keypad(ui, typed, 16, (changed) => ui.type({ number: changed })),
    ok(ui, give),
    back(ui),
  ];
}

const SCREENS = {
  LogOnScreen: (ui, screen) => [
    make(
      "div",
      { class: "boards-left" },
      screen.tables.map(([section, number]) =>
        key(
          `${section}${number}`,
          `${section}${number}`,
          () => ui.press({ kind: "Choose", section, table: number }),
          { char: "Enter", kind: "go" },
        ),
      ),
    ),
  ],
  TakeOverScreen: (ui) => [ok(ui), back(ui)],
  ConnectingScreen: (ui) => [make("p", { class: "wait", "aria-hidden": "true" }, "♣ ♦ ♥ ♠"), back(ui)],
  StartingPositionsScreen: (ui, screen) => [compass(ui, screen), ok(ui)],
  NumberScreen: number,
  PlayersScreen: (ui, screen) => [lists.people(ui, screen.players), ok(ui), back(ui)],
  RoundScreen: (ui, screen) => [lists.sitOuts(ui, screen.sit_outs), compass(ui, screen), ok(ui)],
  BoardScreen: entry.board,
  ContractScreen: entry.contract,
  DeclarerScreen: entry.declarer,
  PairScreen: entry.pair,
  LeadScreen: entry.lead,
  AuctionScreen: entry.auction,
  PlayScreen: entry.play,
  ResultScreen: entry.result,
  VerifyScreen: entry.verify,
  EnterHandScreen: entry.enterHand,
  ResultsScreen: lists.results,
  HandScreen: lists.hand,
  RecapScreen: lists.recap,
  RankingScreen: lists.ranking,
  NextScreen: lists.nextSeating,
  WaitingScreen: () => [make("p", { class: "wait", "aria-hidden": "true" }, "♣ ♦ ♥ ♠")],
  SummaryScreen: lists.summary,
  EndScreen: (ui, screen) => [lists.sitOuts(ui, screen.sit_outs), lists.finals(ui, screen.finals), ok(ui)],
  PinScreen: director.pin,
  MenuScreen: director.menu,
  StatusScreen: director.status,
  ViewBoardScreen: (ui, screen) => [
    screen.deal ? lists.deal(ui, screen.deal) : null,
    lists.lines(ui, screen.lines),
    back(ui),
  ],
  ConflictScreen: (ui, screen) => [
    make("p", { class: "strong" }, ui.say(`conflict.${screen.reason}`)),
    make("p", { class: "soft", lang: "en" }, screen.sentence),
    ok(ui),
  ],
};

// Return the object that every drawing function gets: texts, the keys that work, and the half-typed input.
export function drawingContext({ display, choices, texts, press, typing, type, later, results = "" }) {
  const ui = {
    say: (name) => say(texts, name),
    can: (name) => display.keys.includes(name),
    words: (text) => outcomeWords(texts, text),
    press,
    typing,
    type,
    later,
    choices,
    display,
    results,
    ok: (...options) => ok(ui, ...options),
    back: () => back(ui),
  };
  ui.heading = say(texts, readable(texts, display.screen));
  return ui;
}

// Return a message whose outcomes, cards and boards are written as players read them.
function readable(texts, message) {
  const about = { ...message.about };
  if (about.card) about.card = cardName(about.card);
  // Use non-breaking hyphens, so that a range stays on one line.
  if (about.boards) about.boards = about.boards.replaceAll("-", "\u2011");
  for (const name of ["meant", "stands"]) if (about[name]) about[name] = outcomeWords(texts, about[name]);
  return { key: message.key, about };
}

// Return an outcome's text in words. A result that is spelled out already stays unchanged.
function outcomeWords(texts, text) {
  const words = {
    Pass: "label.pass",
    NP: "label.not-played",
    Arbitral: "label.undecided",
    Cancelled: "label.cancelled",
  }[text];
  if (words) return texts[words];
  if (/^[1-7](NT|[CDHS])x{0,2}[NESW][=+-]/.test(text))
    return outcomeText(parseOutcome(text), { spelling: Spelling.SYMBOLS });
  return text;
}

export const noticeText = (texts, notice) => (notice ? say(texts, readable(texts, notice)) : "");

export function draw(ui) {
  const { screen } = ui.display;
  return [
    make("h1", { tabindex: "-1", "data-screen": screen.screen }, ui.heading),
    ...SCREENS[screen.screen](ui, screen).flat(),
  ].filter(Boolean);
}
