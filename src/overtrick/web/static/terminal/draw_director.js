// The director's screens: PIN, menu, status.

import { CANCELLED, NOT_PLAYED, UNDECIDED } from "./bridge.js";
import { key, keypad, keys, make } from "./dom.js";
import { AWARDS } from "./vocabulary.js";

const DIGITS = 4;

export function pin(ui) {
  const typed = ui.typing.pin ?? "";
  return [
    make(
      "p",
      { class: "big pin", "aria-label": `${typed.length} / ${DIGITS}`, role: "img" },
      "●".repeat(typed.length) + "○".repeat(DIGITS - typed.length),
    ),
    keypad(ui, typed, DIGITS, (changed) =>
      changed.length === DIGITS ? ui.press({ kind: "Pin", pin: changed }) : ui.type({ pin: changed }),
    ),
    ui.back(),
  ];
}

const choice = (name, label, values, chosen) =>
  make(
    "label",
    {},
    label,
    make(
      "select",
      { "data-field": name, "data-number": true },
      values.map((value) => make("option", { value, selected: value === chosen }, String(value))),
    ),
  );

export function menu(ui, screen) {
  const { rounds } = ui.choices;
  const tableRound =
    rounds.find((each) => each.number === (ui.typing.round ?? screen.round)) ?? rounds.at(-1);
  const round = tableRound?.number ?? 0;
  const boards = tableRound?.boards ?? [];
  const board = [ui.typing.board, ui.choices.board, boards[0]].find((each) => boards.includes(each)) ?? 0;
  const on = (kind, name, more = {}, style = "plain") =>
    key(kind + (more.outcome ?? more.side ?? ""), name, () => ui.press({ kind, ...more }), { kind: style });
  return [
    rounds.length
      ? make(
          "fieldset",
          { class: "of-board" },
          make("legend", {}, `${ui.say("label.board")} ${board}`),
          make(
            "div",
            { class: "row" },
            choice(
              "round",
              ui.say("label.round"),
              rounds.map((each) => each.number),
              round,
            ),
            choice("board", ui.say("label.board"), boards, board),
          ),
          make("h2", {}, ui.say("label.award")),
          keys(
            3,
            ui.say("label.award"),
            AWARDS.map((outcome) => on("Assign", outcome.replace("-", " – "), { round, board, outcome })),
          ),
          keys(
            3,
            ui.say("label.award"),
            on("Assign", ui.say("label.undecided"), { round, board, outcome: UNDECIDED }),
            on("Assign", ui.say("label.not-played"), { round, board, outcome: NOT_PLAYED }),
            on("Assign", ui.say("label.cancelled"), { round, board, outcome: CANCELLED }),
          ),
          make("h2", {}, ui.say("label.result")),
          keys(
            2,
            ui.say("label.result"),
            on("WrongDirection", ui.say("label.wrong-direction"), { round, board }),
            on("ViewBoard", ui.say("label.view-board"), { board }),
            on("Erase", ui.say("label.erase"), { round, board }, "plain danger"),
          ),
        )
      : null,
    keys(
      2,
      ui.heading,
      on("Swap", `${ui.say("label.swap")}: ${ui.say("label.side.NS")}`, { side: "NS" }),
      on("Swap", `${ui.say("label.swap")}: ${ui.say("label.side.EW")}`, { side: "EW" }),
      on("ChangePlayers", ui.say("label.change-players")),
      on("Status", ui.say("label.status")),
      on("Reset", ui.say("label.reset"), {}, "plain danger"),
    ),
    ui.back(),
  ];
}

export const status = (ui, screen) => [
  make(
    "dl",
    { class: "people" },
    make("div", {}, make("dt", {}, ui.say("label.played")), make("dd", {}, String(screen.played))),
    make("div", {}, make("dt", {}, ui.say("label.unsent")), make("dd", {}, String(screen.unsent))),
  ),
  screen.refused.length
    ? make(
        "ul",
        { lang: "en" },
        screen.refused.map((sentence) => make("li", {}, sentence)),
      )
    : null,
  ui.ok(),
];
