// A table's terminal. Every key is answered on the device; what is entered goes through the outbox.

import { Outbox } from "./outbox.js";

const { session, table: place } = document.body.dataset;
const base = `/t/${session}/${place}`;
const screen = document.getElementById("screen");
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣", NT: "NT" };
const SEATS = { N: "North", S: "South", E: "East", W: "West" };

let table = null;
let draft = null;
let stage = "round";
let problem = "";
let seenRound = 0;

const given = new URLSearchParams(location.search).get("code");
const codeKey = `overtrick-code-${base}`;
if (given) {
  localStorage.setItem(codeKey, given);
  history.replaceState(null, "", base); // the code is on the device now, and not in the address for all to see
}
const code = () => localStorage.getItem(codeKey) ?? "";

const outbox = new Outbox(base, code, show, (entry, sentence) => { problem = sentence; show(); });

// The table as it is with what waits in the outbox.
function entered(round) {
  const results = { ...round.results };
  for (const entry of outbox.waiting) {
    if (entry.kind === "result" && entry.round === round.round) results[entry.board] ??= words(entry);
  }
  return results;
}

const left = (round) => round.boards.filter((board) => !entered(round)[board]);
const current = () => table.rounds.find((round) => left(round).length);

function words(made) {
  if (made.outcome === "Pass") return "Pass";
  if (made.outcome === "NP") return "Not played";
  const { level, strain, doubling, declarer, tricks } = made.parts;
  return `${level}${SUITS[strain]}${doubling} ${declarer} ${tricks}`;
}

// Small pieces of the screen; all text is text.
function make(kind, attributes = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "press") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().map((child) => (typeof child === "string" ? suited(child) : child)));
  return element;
}

function suited(text) {
  const piece = document.createDocumentFragment();
  for (const part of text.split(/([♠♥♦♣])/)) {
    const name = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" }[part];
    if (!name) { piece.append(part); continue; }
    const suit = document.createElement("span");
    suit.className = `suit ${name}`;
    suit.textContent = part;
    piece.append(suit);
  }
  return piece;
}

function keys(columns, label, choices, chosen, press) {
  return make("div", { class: `keys ${columns}`, role: "group", "aria-label": label },
    choices.map(([value, text]) =>
      make("button", { type: "button", "data-key": value, "aria-pressed": String(chosen === value), press: () => press(value) }, text)));
}

function go(next) { stage = next; show(); screen.querySelector("button")?.focus({ preventScroll: true }); }

const SCREENS = {
  code: () => [
    make("h1", {}, "Which code is on the card?"),
    make("form", { class: "stack", id: "code-form" },
      make("label", {}, "Code", make("input", { name: "code", autocomplete: "off", autocapitalize: "characters", required: true, maxlength: 12 })),
      make("button", { class: "go" }, "Open this table")),
  ],

  round: () => {
    const round = current();
    if (!round) return SCREENS.end();
    const results = entered(round);
    return [
      make("h1", {}, `Round ${round.round}`),
      make("dl", { class: "table-of" }, Object.entries(SEATS).map(([seat, name]) =>
        make("div", {}, make("dt", { class: "soft" }, `${name} · pair ${"NS".includes(seat) ? round.ns : round.ew}`), make("dd", {}, round.players[seat] || "–")))),
      make("h2", {}, "Which board?"),
      make("div", { class: "boards-left" }, left(round).map((board) =>
        make("button", { type: "button", "data-board": board, press: () => begin(round, board) }, String(board)))),
      Object.keys(results).length ? scored(results) : "",
    ];
  },

  contract: () => [
    title(),
    keys("c7", "Level", [1, 2, 3, 4, 5, 6, 7].map((level) => [String(level), String(level)]), draft.level, set("level")),
    keys("c5", "In", ["C", "D", "H", "S", "NT"].map((strain) => [strain, SUITS[strain]]), draft.strain, set("strain")),
    keys("c3", "Doubled", [["", "–"], ["x", "x"], ["xx", "xx"]], draft.doubling, set("doubling")),
    keys("", "Played by", Object.entries(SEATS), draft.declarer, set("declarer")),
    make("button", { type: "button", class: "go", disabled: !(draft.level && draft.strain && draft.declarer), press: () => go(table.lead ? "lead" : "tricks") }, "Next"),
    make("div", { class: "keys c3" },
      make("button", { type: "button", "data-key": "Pass", press: () => plain("Pass") }, "Pass"),
      make("button", { type: "button", "data-key": "NP", press: () => plain("NP") }, "No play"),
      make("button", { type: "button", press: () => go("round") }, "Back")),
  ],

  lead: () => [
    title(),
    make("h2", {}, "What was led?"),
    keys("", "Suit", ["S", "H", "D", "C"].map((suit) => [suit, SUITS[suit]]), draft.leadSuit, set("leadSuit")),
    keys("c5", "Card", [..."AKQJ", "10", ..."98765432"].map((rank) => [rank, rank]), draft.leadRank, set("leadRank")),
    make("button", { type: "button", class: "go", disabled: !(draft.leadSuit && draft.leadRank), press: () => go("tricks") }, "Next"),
    make("div", { class: "keys c2" },
      make("button", { type: "button", "data-key": "no-lead", press: () => { draft.leadSuit = draft.leadRank = ""; go("tricks"); } }, "Skip"),
      make("button", { type: "button", press: () => go("contract") }, "Back")),
  ],

  tricks: () => {
    const most = 7 - Number(draft.level);
    const made = ["=", ...Array.from({ length: most }, (_, over) => `+${over + 1}`)];
    const down = Array.from({ length: Number(draft.level) + 6 }, (_, under) => `-${under + 1}`);
    return [
      title(),
      make("h2", {}, "What was the result?"),
      keys("", "Made", made.map((text) => [text, text]), draft.tricks, result),
      keys("c5", "Down", down.map((text) => [text, text]), draft.tricks, result),
      make("button", { type: "button", press: () => go(table.lead ? "lead" : "contract"), class: "quiet" }, "Back"),
    ];
  },

  verify: () => [
    make("p", {}, "East or West: is this right?"),
    make("div", { class: "verify" },
      make("p", {}, `Board ${draft.board}`),
      make("p", { class: "big" }, words(made())),
      draft.leadSuit && draft.leadRank ? make("p", {}, `Lead ${SUITS[draft.leadSuit]}${draft.leadRank}`) : ""),
    make("button", { type: "button", class: "go", "data-key": "agree", press: agree }, "Yes, East-West agree"),
    make("button", { type: "button", class: "quiet", press: () => go("contract") }, "No, change it"),
  ],

  next: () => {
    const round = table.rounds[seenRound - 1];
    return [
      make("h1", {}, `Round ${round.round} is over`),
      make("p", { class: "big" }, `North-South ${round.ns}: ${round.next.NS ?? "the end"}`),
      make("p", { class: "big" }, `East-West ${round.ew}: ${round.next.EW ?? "the end"}`),
      make("button", { type: "button", class: "go", press: () => go("round") }, "Next round"),
      scored(entered(round)),
    ];
  },

  end: () => [make("h1", {}, "All boards are played"), make("p", {}, "Thank you. Results are on the big screen.")],
};

function scored(results) {
  return make("table", { class: "done-boards" }, make("caption", {}, "Scored"), make("tbody", {},
    Object.entries(results).map(([board, text]) => make("tr", {}, make("th", { scope: "row", class: "text" }, board), make("td", { class: "text" }, text)))));
}

function title() {
  const so = [draft.level, draft.strain && SUITS[draft.strain], draft.doubling].filter(Boolean).join("");
  return make("h1", {}, `Board ${draft.board}${so ? ` · ${so}` : ""}${draft.declarer ? ` ${draft.declarer}` : ""}`);
}

function begin(round, board) {
  draft = { round: round.round, board, level: "", strain: "", doubling: "", declarer: "", tricks: "", leadSuit: "", leadRank: "", plain: "" };
  go("contract");
}

const set = (part) => (value) => {
  draft[part] = value;
  draft.plain = "";
  const focused = document.activeElement?.dataset.key;
  show();
  if (focused) screen.querySelector(`[data-key="${CSS.escape(focused)}"][aria-pressed="true"]`)?.focus();
};

function plain(outcome) { draft.plain = outcome; go("verify"); }
function result(tricks) { draft.tricks = tricks; go("verify"); }

function made() {
  if (draft.plain) return { outcome: draft.plain };
  const { level, strain, doubling, declarer, tricks } = draft;
  return { outcome: `${level}${strain}${doubling}${declarer}${tricks}`, parts: { level, strain, doubling, declarer, tricks } };
}

async function agree() {
  const lead = !draft.plain && draft.leadSuit && draft.leadRank ? `${draft.leadSuit}${draft.leadRank}` : "";
  const round = table.rounds[draft.round - 1];
  await outbox.keep({ kind: "result", round: draft.round, board: draft.board, lead, incarnation: table.incarnation, ...made() });
  draft = null;
  seenRound = round.round;
  go(left(round).length ? "round" : "next");
}

function show() {
  const count = outbox.waiting.length;
  const sent = document.getElementById("sent");
  sent.textContent = count ? `${count} not sent yet` : outbox.isOnline ? "All sent" : "No network";
  sent.classList.toggle("waiting", count > 0 || !outbox.isOnline);
  if (!table) return;
  document.getElementById("where").textContent = table.name;
  const call = document.getElementById("call");
  const isCalling = table.is_calling || outbox.waiting.some((entry) => entry.kind === "call");
  call.hidden = !table.calls;
  call.disabled = isCalling;
  call.textContent = isCalling ? "The director is called" : "Call the director";
  if (draft && entered(table.rounds[draft.round - 1] ?? { results: {} })[draft.board]) { draft = null; stage = "round"; }
  const pieces = SCREENS[stage]().filter(Boolean);
  if (problem) pieces.unshift(make("p", { class: "problem", role: "alert" }, problem, " ", make("button", { type: "button", class: "small quiet", press: () => { problem = ""; show(); } }, "Seen")));
  screen.replaceChildren(...pieces);
}

document.getElementById("call").addEventListener("click", () => {
  const round = current();
  outbox.keep({ kind: "call", round: round?.round ?? 0, board: draft?.board ?? 0 });
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== "code-form") return;
  event.preventDefault();
  localStorage.setItem(codeKey, new FormData(event.target).get("code").trim());
  start();
});

function take(fresh) {
  if (table && fresh.incarnation === table.incarnation && fresh.version < table.version) return;
  table = fresh;
  outbox.remember(table);
  show();
}

let events;

async function start() {
  try {
    const answer = await fetch(`${base}/table.json`, { headers: { "x-table-code": code() } });
    if (answer.status === 403) {
      screen.replaceChildren(...SCREENS.code());
      return;
    }
    if (!answer.ok) throw new Error("not there");
    take(await answer.json());
    outbox.send();
  } catch {
    outbox.isOnline = false;
    const kept = await outbox.remembered();
    if (kept && !table) take(kept);
    show();
    setTimeout(start, 3000);
    return;
  }
  events?.close();
  events = new EventSource(`${base}/stream?code=${encodeURIComponent(code())}`);
  events.addEventListener("regions", (event) => take(JSON.parse(JSON.parse(event.data).table)));
  events.addEventListener("open", () => { outbox.isOnline = true; outbox.send(); show(); });
  events.addEventListener("error", () => { outbox.isOnline = false; show(); });
}

const deviceKey = "overtrick-device";
await outbox.open();
if (!localStorage.getItem(deviceKey)) localStorage.setItem(deviceKey, `phone-${Math.random().toString(36).slice(2, 12)}`);
await start();
if (table && !sessionStorage.getItem(`overtrick-on-${base}`)) {
  sessionStorage.setItem(`overtrick-on-${base}`, "1");
  outbox.keep({ kind: "log-on", device: localStorage.getItem(deviceKey) });
}
// Service workers are for secure pages; over plain HTTP in the hall the open page itself goes on without the network.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/t/sw.js")
    .then(() => caches.open("overtrick-terminal-1"))
    .then((cache) => cache.add(base)) // this page came before the worker, which therefore has not seen it
    .then(() => { document.body.dataset.kept = "yes"; })
    .catch(() => {});
}
