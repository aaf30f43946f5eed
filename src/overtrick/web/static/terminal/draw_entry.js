// The screens of a board's entry: number, contract, declarer, lead, result, calls, cards, confirmation.

import { SKIPPED } from "./bridge.js";
import { cardName, key, keypad, keys, make, rankName } from "./dom.js";
import { deal } from "./draw_lists.js";
import { CARDS, Doubling, ResultEntryMethod, SIGNS, STRAINS, SUITS } from "./vocabulary.js";

const LEVELS = [1, 2, 3, 4, 5, 6, 7];

// Return dealer and vulnerability in words.
function boardFacts(ui, { dealer, vulnerable }) {
  const who = vulnerable.length === 1 ? `side.${vulnerable[0]}` : vulnerable.length ? "both" : "nobody";
  return [
    `${ui.say("label.dealer")}: ${ui.say(`label.seat.${dealer}`)}`,
    `${ui.say("label.vulnerable")}: ${ui.say(`label.${who}`)}`,
  ];
}

// Return the head of an entry: the board as it lies on the table, with the contract and lead so far, and the pairs.
// The vulnerable sides of the board are red, a dot marks the dealer; the words beside it say the same.
function boardHead(ui, screen) {
  const { board = 0, contract = "", lead = "", remaining, dealer, vulnerable, sides } = screen;
  const isRed = (side) => (vulnerable.includes(side) ? ` red-${side.toLowerCase()}` : "");
  return make(
    "div",
    { class: "board-head" },
    board
      ? make(
          "div",
          {
            class: `board-mark dealer-${dealer.toLowerCase()}${isRed("NS")}${isRed("EW")}`,
            "aria-hidden": "true",
          },
          String(board),
        )
      : null,
    make(
      "div",
      { class: "so-far" },
      contract
        ? make(
            "p",
            { class: "contract" },
            make("span", { class: "big" }, contract),
            lead ? make("span", {}, `${ui.say("label.lead")} ${cardName(lead)}`) : null,
          )
        : null,
      board ? boardFacts(ui, screen).map((words) => make("p", {}, words)) : null,
      remaining === null ? null : make("p", { class: "soft" }, `${ui.say("label.remaining")}: ${remaining}`),
    ),
    make(
      "div",
      { class: "board-pairs" },
      sides.map(({ side, numbers, names }) =>
        make(
          "p",
          {},
          make(
            "span",
            { class: "seat-name" },
            [ui.say(`label.side.${side}`), numbers.join(" + ")].join(" ").trim(),
          ),
          names.map((name) => make("strong", { title: name }, name || "–")),
        ),
      ),
    ),
  );
}

const strainLabel = (ui, { letter, suit }) =>
  suit ? ui.say(`label.suit.${letter}`) : ui.say("label.notrump");
const strainText = (ui, strain) => (strain.suit ? strain.symbol : ui.say("label.notrump"));

export function board(ui, screen) {
  const typed = ui.typing.board ?? "";
  const { boards } = ui.choices;
  const give = (number) => ui.press({ kind: "Board", board: number });
  const confirm = () => (typed ? give(Number(typed)) : ui.press({ kind: "Confirm" }));
  return [
    boardHead(ui, screen),
    make(
      "div",
      { class: "boards-left" },
      boards.map((number) => key(`board-${number}`, String(number), () => give(number), { kind: "board" })),
    ),
    boards.length > 12 ? keypad(ui, typed, 3, (changed) => ui.type({ board: changed })) : null,
    typed ? make("p", { class: "big" }, typed) : null,
    screen.asked || typed ? ui.ok(confirm) : null,
    ui.back(),
  ];
}

const notPlayed = (ui, kind = "plain") =>
  key("not-played", ui.say("label.not-played"), () => ui.press({ kind: "NoPlay" }), { kind });
const pending = (ui, kind = "plain") =>
  ui.can("PendRuling")
    ? key("pending", ui.say("label.undecided"), () => ui.press({ kind: "PendRuling" }), { kind })
    : null;

export function contract(ui, screen) {
  const { level, strain } = ui.typing;
  const choose = (chosen) => {
    const bid = { ...ui.typing, ...chosen };
    if (bid.level !== undefined && bid.strain !== undefined) ui.press({ kind: "Bid", ...bid });
    else ui.type(chosen);
  };
  return [
    boardHead(ui, screen),
    keys(
      7,
      ui.say("label.level"),
      LEVELS.map((each) =>
        key(`level-${each}`, String(each), () => choose({ level: each }), {
          char: String(each),
          pressed: level === each,
        }),
      ),
    ),
    keys(
      5,
      ui.say("label.contract"),
      STRAINS.map((each, place) =>
        key(`strain-${each.letter}`, strainText(ui, each), () => choose({ strain: place }), {
          char: each.letter[0].toLowerCase(),
          pressed: strain === place,
          label: strainLabel(ui, each),
          kind: "tall",
        }),
      ),
    ),
    keys(
      ui.can("PendRuling") ? 3 : 2,
      ui.say("label.result"),
      key("pass-out", ui.say("label.pass"), () => ui.press({ kind: "PassOut" }), {
        char: "p",
        kind: "plain",
      }),
      notPlayed(ui),
      pending(ui),
    ),
    ui.back(),
  ];
}

export function declarer(ui, screen) {
  const { doubling } = ui.choices;
  const labels = {
    [Doubling.UNDOUBLED]: "label.undoubled",
    [Doubling.DOUBLED]: "label.double",
    [Doubling.REDOUBLED]: "label.redouble",
  };
  return [
    boardHead(ui, screen),
    keys(
      3,
      ui.say("label.double"),
      Object.values(Doubling).map((each) =>
        key(`double-${each}`, SIGNS[each] || "–", () => ui.press({ kind: "Double", doubling: each }), {
          pressed: doubling === each,
          label: `${SIGNS[each]} ${ui.say(labels[each])}`,
          char: each === Doubling.DOUBLED ? "x" : null,
        }),
      ),
    ),
    make(
      "div",
      { class: "compass keys-compass", role: "group", "aria-label": ui.heading },
      ["N", "W", "E", "S"].map((seat, place) =>
        key(`seat-${seat}`, ui.say(`label.seat.${seat}`), () => ui.press({ kind: "Declarer", seat }), {
          char: seat.toLowerCase(),
          kind: `place ${["top", "left", "right", "bottom"][place]}`,
        }),
      ),
    ),
    ui.back(),
  ];
}

export function pair(ui, screen) {
  return [
    boardHead(ui, screen),
    keys(
      2,
      ui.say("label.pair"),
      ui.choices.pairs.map((number) =>
        key(
          `pair-${number}`,
          `${ui.say("label.pair")} ${number}`,
          () => ui.press({ kind: "PairNumber", pair: number }),
          { kind: "tall" },
        ),
      ),
    ),
    screen.is_required ? null : ui.ok(),
    ui.back(),
  ];
}

// Return keys for suits and ranks, and `more`; `give` gets the card when both are chosen, in either order.
function card(ui, give, more = null) {
  const { suit, rank } = ui.typing;
  const choose = (chosen) => {
    const typed = { ...ui.typing, ...chosen };
    if (typed.suit && typed.rank) give(typed.suit + typed.rank);
    else ui.type(chosen);
  };
  return [
    keys(
      4,
      ui.say("label.lead"),
      SUITS.map((each) =>
        key(`suit-${each.letter}`, each.symbol, () => choose({ suit: each.letter }), {
          char: each.letter.toLowerCase(),
          pressed: suit === each.letter,
          label: ui.say(`label.suit.${each.letter}`),
          kind: "tall",
        }),
      ),
    ),
    keys(
      5,
      ui.say("label.lead"),
      [..."AKQJT98765432"].map((each) =>
        key(`rank-${each}`, rankName(` ${each}`), () => choose({ rank: each }), {
          char: each === "T" ? "1" : each.toLowerCase(),
          pressed: rank === each,
        }),
      ),
      more,
    ),
  ];
}

export const lead = (ui, screen) => [
  boardHead(ui, screen),
  ...card(
    ui,
    (led) => ui.press({ kind: "Lead", card: led }),
    ui.can("SkipLead")
      ? key("skip-lead", ui.say("label.skip-lead"), () => ui.press({ kind: "SkipLead" }), {
          kind: "plain wide-key",
        })
      : null,
  ),
  screen.asked ? make("p", { class: "big" }, cardName(screen.asked)) : null,
  screen.asked ? ui.ok() : null,
  ui.back(),
];

// Return the keys of a result for an entry method: made first, then down.
function resultKeys(ui, method) {
  const { level } = ui.choices;
  const give = (value) => () => ui.press({ kind: "Result", value });
  const downs = Array.from({ length: level + 6 }, (_, under) => -under - 1);
  const down = keys(
    5,
    ui.say("label.result"),
    downs.map((value) => key(`result${value}`, `−${-value}`, give(value), { kind: "down" })),
  );
  if (method === ResultEntryMethod.TOTAL) {
    return [
      keys(
        5,
        ui.say("label.total"),
        Array.from({ length: 14 }, (_, value) => key(`result${value}`, String(value), give(value))),
      ),
    ];
  }
  if (method === ResultEntryMethod.AMERICAN) {
    const made = LEVELS.filter((value) => value >= level);
    return [
      keys(
        5,
        ui.say("label.american"),
        made.map((value) => key(`result${value}`, String(value), give(value), { char: String(value) })),
      ),
      down,
    ];
  }
  const made = Array.from({ length: 8 - level }, (_, over) => over);
  return [
    keys(
      5,
      ui.say("label.relative"),
      made.map((value) =>
        key(value ? `result+${value}` : "result=", value ? `+${value}` : "=", give(value), {
          char: value ? String(value) : "=",
        }),
      ),
    ),
    down,
  ];
}

export const result = (ui, screen) => [
  boardHead(ui, screen),
  make("p", { class: "soft" }, ui.say(`label.${screen.method}`)),
  ...resultKeys(ui, screen.method),
  ui.back(),
];

// Draw the result for the opponents. OK works after the seconds that the rules set, so that nobody confirms unread.
export function verify(ui, screen) {
  const until = ui.typing.until ?? Date.now() + screen.seconds * 1000;
  const left = until - Date.now();
  if (ui.typing.until === undefined) ui.later({ until }, left);
  return [
    boardHead(ui, { ...screen, contract: "", lead: "" }),
    make(
      "div",
      { class: "verify" },
      make("p", { class: "big" }, ui.words(screen.result)),
      screen.scores.some(Boolean)
        ? make("p", { class: "soft" }, screen.scores.filter(Boolean).join(" / "))
        : null,
      screen.lead ? make("p", {}, `${ui.say("label.lead")} ${cardName(screen.lead)}`) : null,
      screen.is_wrong_direction ? make("p", { class: "warn" }, ui.say("wrong-direction")) : null,
    ),
    ui.ok(null, left > 0),
    ui.back(),
  ];
}

// Recording -------------------------------------------------------------------------------------------------------

const turnLine = (ui, turn) => (turn ? make("p", { class: "turn" }, ui.say(`label.seat.${turn}`)) : null);

// Return a call as players read it.
const callText = (ui, call) => {
  if (call === "Pass") return call;
  if (call === SKIPPED) return "–";
  const strain = STRAINS.find((each) => call.endsWith(each.letter) && /^[1-7]/.test(call));
  return strain ? `${call[0]}${strainText(ui, strain)}` : call.toLowerCase();
};

export function auction(ui, screen) {
  const { calls: legal, first } = ui.choices;
  const order = ["W", "N", "E", "S"];
  const cells = [
    ...Array(order.indexOf(first)).fill(""),
    ...screen.calls.map((call) => callText(ui, call)),
    "?",
  ];
  const rows = Array.from({ length: Math.ceil(cells.length / 4) }, (_, line) =>
    cells.slice(line * 4, line * 4 + 4),
  );
  const give = (call) => () => ui.press({ kind: "MakeCall", call });
  const { level } = ui.typing;
  return [
    make("p", { class: "soft" }, boardFacts(ui, screen).join(" · ")),
    make(
      "table",
      { class: "auction" },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          order.map((seat) => make("th", { scope: "col" }, ui.say(`label.seat.${seat}`))),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((line) =>
          make(
            "tr",
            {},
            line.map((cell) => make("td", {}, cell)),
          ),
        ),
      ),
    ),
    keys(
      7,
      ui.say("label.level"),
      LEVELS.map((each) =>
        key(`level-${each}`, String(each), () => ui.type({ level: each }), {
          char: String(each),
          pressed: level === each,
          disabled: !STRAINS.some((strain) => legal.has(`${each}${strain.letter}`)),
        }),
      ),
    ),
    keys(
      5,
      ui.say("label.contract"),
      STRAINS.map((each) =>
        key(`strain-${each.letter}`, strainText(ui, each), give(`${level}${each.letter}`), {
          char: each.letter[0].toLowerCase(),
          label: strainLabel(ui, each),
          disabled: !level || !legal.has(`${level}${each.letter}`),
          kind: "tall",
        }),
      ),
    ),
    keys(
      3,
      ui.say("label.double"),
      key("call-Pass", "Pass", give("Pass"), { char: "p" }),
      key("call-X", "x", give("X"), {
        char: "x",
        label: `x ${ui.say("label.double")}`,
        disabled: !legal.has("X"),
      }),
      key("call-XX", "xx", give("XX"), {
        label: `xx ${ui.say("label.redouble")}`,
        disabled: !legal.has("XX"),
      }),
    ),
    key("call-skip", ui.say("label.skip"), give(SKIPPED), { kind: "quiet" }),
    notPlayed(ui, "quiet"),
    pending(ui, "quiet"),
    ui.back(),
    screen.deal ? deal(ui, screen.deal) : null,
  ];
}

export function play(ui, screen) {
  const { cards: legal, trick, won } = ui.choices;
  const give = (each) => () => ui.press({ kind: "PlayCard", card: each });
  const table = trick ? trick.cards.map(cardName).join("  ") : "";
  return [
    make("p", { class: "big" }, screen.contract),
    make("p", {}, `${ui.say("label.side.NS")} ${won.NS} · ${ui.say("label.side.EW")} ${won.EW}`),
    turnLine(ui, screen.turn),
    table ? make("p", { class: "big" }, table) : null,
    pack(ui, (each) => ({ press: give(each), disabled: !legal.has(each) }), { hasSmall: true }),
    make(
      "details",
      { class: "claim" },
      make("summary", {}, ui.say("label.claim")),
      ...resultKeys(ui, ui.choices.method),
    ),
    ui.back(),
    screen.deal ? deal(ui, screen.deal) : null,
  ];
}

// Return all fifty-two cards, one row for each suit; with `hasSmall` also an unnamed small card of each suit.
function pack(ui, of, { hasSmall = false } = {}) {
  return make(
    "div",
    { class: hasSmall ? "pack small" : "pack", role: "group", "aria-label": ui.heading },
    SUITS.map((suit) =>
      make(
        "div",
        { class: "pack-suit" },
        make("span", { class: "pack-name" }, suit.symbol),
        [...(hasSmall ? [`${suit.letter}x`] : []), ...CARDS.filter((each) => each[0] === suit.letter)]
          .reverse()
          .map((each) => {
            const { press, disabled = false, pressed = null } = of(each);
            return key(`card-${each}`, rankName(each), press, {
              disabled,
              pressed,
              label: `${ui.say(`label.suit.${suit.letter}`)} ${rankName(each)}`,
              kind: suit.letter.toLowerCase(),
            });
          }),
      ),
    ),
  );
}

export function enterHand(ui) {
  const chosen = ui.typing.cards ?? [];
  const { taken } = ui.choices;
  const toggle = (each) => () =>
    ui.type({ cards: chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each] });
  return [
    make("p", { class: "big" }, `${chosen.length} / 13`),
    pack(ui, (each) => ({
      press: toggle(each),
      pressed: chosen.includes(each),
      disabled: taken.has(each) || (chosen.length >= 13 && !chosen.includes(each)),
    })),
    ui.ok(() => ui.press({ kind: "Cards", cards: chosen }), chosen.length !== 13),
    ui.back(),
  ];
}
