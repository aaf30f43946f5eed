// The screens with lists: results of a board, scores, ranking, next seating, hand record, summary.

import { parseDeal } from "./bridge.js";
import { key, make, row, table } from "./dom.js";
import { CARDS, SEATS, SUITS } from "./vocabulary.js";

// Return the initials of a side in the player's language, with its full name for screen readers.
export function sideHead(ui, side) {
  const letters = [...side].map((seat) => [...ui.say(`label.seat.${seat}`)][0]).join("");
  return make("abbr", { title: ui.say(`label.side.${side}`) }, letters);
}

export const people = (ui, players) =>
  make(
    "dl",
    { class: "people" },
    players.map(({ seat, number, name }) =>
      make(
        "div",
        {},
        make("dt", {}, ui.say(`label.seat.${seat}`)),
        make(
          "dd",
          {},
          name || "",
          name && number ? make("span", { class: "soft" }, ` ${number}`) : number || (name ? "" : "–"),
        ),
      ),
    ),
  );

// Return the results of a board as a table: frequencies, or a traveller if the lines have pairs.
export function lines(ui, results) {
  if (!results.length) return null;
  const isFrequency = results.every((line) => !line.ns);
  const scores =
    results[0].scores.length === 2 ? [sideHead(ui, "NS"), sideHead(ui, "EW")] : [ui.say("label.score")];
  const heads = isFrequency
    ? ["×", ui.say("label.result"), ...scores]
    : [sideHead(ui, "NS"), sideHead(ui, "EW"), ui.say("label.result"), ...scores];
  return table(
    ui.heading,
    heads,
    results.map((line) =>
      row(
        [...(isFrequency ? [String(line.count)] : [line.ns, line.ew]), ui.words(line.result), ...line.scores],
        { class: line.is_own ? "own" : false, "aria-current": line.is_own ? "true" : false },
      ),
    ),
  );
}

export function results(ui, screen) {
  const { points } = screen;
  return [
    points
      ? make(
          "div",
          { class: "points" },
          ["NS", "EW"].map((side, place) =>
            make("p", {}, make("span", {}, ui.say(`label.side.${side}`)), make("strong", {}, points[place])),
          ),
        )
      : null,
    lines(ui, screen.lines),
    make(
      "div",
      { class: "keys c2" },
      screen.page + 1 < screen.pages
        ? key(
            "more",
            `${ui.say("label.more")} ${screen.page + 1}/${screen.pages}`,
            () => ui.press({ kind: "More" }),
            { kind: "plain", char: " " },
          )
        : null,
      screen.page && ui.can("Repeat")
        ? key("again", ui.say("label.again"), () => ui.press({ kind: "Repeat" }), { kind: "plain" })
        : null,
      screen.has_hand && ui.can("ShowHand")
        ? key("hand", ui.say("label.hand"), () => ui.press({ kind: "ShowHand" }), { kind: "plain" })
        : null,
    ),
    ui.ok(),
  ];
}

// Return the four hands, North at the top.
export function deal(ui, text) {
  const hands = parseDeal(text);
  return make(
    "div",
    { class: "deal" },
    SEATS.map((seat) =>
      make(
        "div",
        { class: seat.toLowerCase() },
        make("span", { class: "soft" }, ui.say(`label.seat.${seat}`)),
        SUITS.map((suit) => {
          const held = CARDS.filter((card) => card[0] === suit.letter && hands[seat].has(card)).reverse();
          return make(
            "div",
            {},
            `${suit.symbol} ${held.map((card) => (card[1] === "T" ? "10" : card[1])).join(" ") || "–"}`,
          );
        }),
      ),
    ),
  );
}

export const hand = (ui, screen) => [deal(ui, screen.deal), ui.ok()];

export function recap(ui, screen) {
  const scores =
    screen.lines[0]?.[2].length === 2 ? [sideHead(ui, "NS"), sideHead(ui, "EW")] : [ui.say("label.score")];
  const canCorrect = screen.can_correct && ui.can("Correct");
  return [
    screen.lines.length
      ? table(
          ui.heading,
          [
            ui.say("label.board"),
            ui.say("label.result"),
            ...scores,
            ...(canCorrect ? [make("span", { class: "hidden" }, ui.say("label.correct"))] : []),
          ],
          screen.lines.map(([board, result, figures]) =>
            row([
              String(board),
              ui.words(result),
              ...figures,
              ...(canCorrect
                ? [
                    key(
                      `correct-${board}`,
                      ui.say("label.correct"),
                      () => ui.press({ kind: "Correct", board }),
                      { kind: "quiet small", label: `${ui.say("label.correct")} ${board}` },
                    ),
                  ]
                : []),
            ]),
          ),
        )
      : make("p", { class: "soft" }, "–"),
    ui.ok(),
  ];
}

export const ranking = (ui, screen) => [
  screen.lines.length
    ? make(
        "div",
        { class: "points" },
        screen.lines.map(([side, rank, score]) =>
          make(
            "p",
            {},
            make("span", {}, ui.say(`label.side.${side}`)),
            make("strong", {}, rank),
            make("span", {}, score),
          ),
        ),
      )
    : make("p", { class: "soft" }, ui.say("no-ranking")),
  ui.ok(),
];

// Return the final scores of the pairs: rank, best and worst board, and the link to the score card.
export const finals = (ui, scores) =>
  make(
    "div",
    { class: "finals" },
    scores.map((final) =>
      make(
        "section",
        {},
        make("h2", {}, `${ui.say(`label.side.${final.side}`)} · ${ui.say("label.pair")} ${final.pair}`),
        final.rank
          ? make(
              "p",
              {},
              ui.say(final.is_final ? "label.final-rank" : "label.rank-so-far"),
              make("strong", {}, `${final.rank} / ${final.of}`),
              make("strong", {}, final.score),
            )
          : null,
        [
          ["label.best-board", final.best],
          ["label.worst-board", final.worst],
        ].map(([label, line]) =>
          line
            ? make(
                "p",
                {},
                ui.say(label),
                make("span", {}, `${line.board}: ${ui.words(line.outcome)}`),
                make("strong", {}, line.points),
              )
            : null,
        ),
        ui.results
          ? make(
              "a",
              { class: "button quiet", href: `${ui.results}${final.card}` },
              ui.say("label.score-card"),
            )
          : null,
        (final.players ?? [])
          .filter((player) => player.address)
          .map((player) => make("a", { class: "button quiet", href: player.address }, player.name)),
      ),
    ),
  );

// Return a line for each sit-out: the round, the pair, and where it plays next.
export const sitOuts = (ui, rounds) =>
  rounds.map(({ round, pair, after }) =>
    make(
      "p",
      { class: "sit-out" },
      `${ui.say("label.round")} ${round}: ${ui.say("label.sit-out")}, ${ui.say("label.pair")} ${pair}`,
      after ? ` → ${ui.say("label.round")} ${after.round}: ${ui.say("label.table")} ${after.table}` : null,
    ),
  );

export const nextSeating = (ui, screen) => [
  make(
    "div",
    { class: "points" },
    screen.places.map((place) =>
      make(
        "p",
        {},
        make("span", {}, ui.say(`label.side.${place.side}`)),
        place.is_sit_out
          ? make("strong", {}, ui.say("label.sit-out"))
          : make("strong", {}, `${ui.say("label.table")} ${place.table}`),
        make(
          "span",
          {},
          place.is_sit_out
            ? `${ui.say("label.round")} ${place.round}`
            : ui.say(`label.side.${place.next_side}`),
        ),
        place.after
          ? make(
              "span",
              {},
              `${ui.say("label.round")} ${place.after.round}: ${ui.say("label.table")} ${place.after.table}, `,
              ui.say(`label.side.${place.after.side}`),
            )
          : null,
      ),
    ),
  ),
  ui.ok(),
];

export const summary = (ui, screen) => [
  ...["NS", "EW"].map((side) => {
    const own = screen.lines.filter(([each]) => each === side);
    return own.length
      ? make(
          "section",
          {},
          make("h2", {}, ui.say(`label.side.${side}`)),
          table(
            ui.say(`label.side.${side}`),
            [ui.say("label.board"), ui.say("label.result"), ui.say("label.points")],
            own.map(([, board, outcome, points]) => row([String(board), ui.words(outcome), points])),
          ),
        )
      : null;
  }),
  ui.ok(),
];
