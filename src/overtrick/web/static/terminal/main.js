// The page of a terminal: connects the terminal (terminal.js) with the device's storage, the screen, the keyboard and
// the server (server_connection.js). The terminal answers every key on the device, also without the network.

import { choicesOf } from "./choices.js";
import { key, make } from "./dom.js";
import { draw, drawingContext, noticeText } from "./draw.js";
import { OwnPhone } from "./own_phone.js";
import { ServerConnection } from "./server_connection.js";
import { Stage } from "./stages.js";
import { Terminal } from "./terminal.js";
import { LANGUAGES, Language } from "./vocabulary.js";

const { session, place } = document.body.dataset;
const base = `/t/${session}/${place}`;
const LONGEST_PRESS = 1000; // milliseconds for which a pressed pointer delays drawing
const REFRESH = 20_000; // milliseconds between fetches for a screen that lists results of others
// Screens with data that the stream does not send (ranks, the summary): fetch the whole snapshot when they open.
const WHOLE = ["RoundScreen", "RankingScreen", "SummaryScreen", "MenuScreen", "WaitingScreen", "EndScreen"];
// Screens with data of other tables: fetch again while they are open.
const LISTS = [...WHOLE, "ResultsScreen"];

const element = (id) => document.getElementById(id);
const now = () => new Date().toISOString();
// Return a random text for ids.
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");

// Storage of the device ---------------------------------------------------------------------------------------------

let isStored = true; // false if the browser refuses to store

function store(name, text) {
  try {
    localStorage.setItem(`overtrick ${name}`, text);
  } catch {
    isStored = false;
  }
}

function stored(name) {
  try {
    return localStorage.getItem(`overtrick ${name}`);
  } catch {
    isStored = false;
    return null;
  }
}

const scannedCode = new URLSearchParams(location.search).get("code");
if (scannedCode) {
  store(`code ${base}`, scannedCode);
  history.replaceState(null, "", base); // remove the code from the address, where others could read it
}
let code = scannedCode ?? stored(`code ${base}`) ?? "";

if (!stored("device")) store("device", `phone-${randomId()}`);

// Return the stored terminal, null if there is none.
function readTerminal() {
  try {
    return Terminal.read(stored(`memory ${base}`) ?? "");
  } catch {
    return null; // missing or unreadable: start again; the server has everything that was sent
  }
}

// Two windows of a device must not use the same memory: the newest window has it, and older ones stop.
const windows = new BroadcastChannel(`overtrick ${base}`);
windows.postMessage("mine");
windows.addEventListener("message", () => {
  connection.stop();
  element("screen").replaceChildren(
    make("h1", {}, say("label.elsewhere")),
    key("here", say("label.ok"), () => location.reload(), { kind: "go" }),
  );
  element("keys").replaceChildren();
});

const storedTerminal = readTerminal();
const terminal = storedTerminal ?? new Terminal(stored("device") ?? `phone-${randomId()}`, session, [], "");
// Entry ids must differ from those of every other run, including a second window.
Object.assign(terminal.machine, { run: randomId(), count: 0 });
const phone = /-/.test(place) ? new OwnPhone(terminal) : null;

// Texts -------------------------------------------------------------------------------------------------------------

const texts = {};
const say = (name) => texts[shownLanguage]?.[name] ?? "";
let shownLanguage = ""; // the language of the screen

const requested = new Set();

// Load the texts of a language: stored ones at once, newer ones when the server sends them.
async function loadTexts(language) {
  const text = stored(`texts ${language}`);
  if (text) texts[language] ??= JSON.parse(text);
  if (requested.has(language)) return;
  requested.add(language);
  const fresh = fetch(`/t/texts/${language}.json`)
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
    .then((answer) => {
      store(`texts ${language}`, answer);
      texts[language] = JSON.parse(answer);
    })
    .catch(() => requested.delete(language)); // offline: the stored texts are used
  if (!text) await fresh;
}

// The screen --------------------------------------------------------------------------------------------------------

let typing = {}; // the half-typed input of the screen
let shownIdentity = ""; // the identity of the screen
let isAsking = false; // true while the page asks for the table's code
let isWrongCode = false;
let isDeleted = false; // true while the session is in the bin
let refreshing = 0; // the timer of the refresh

// Return the identity of a screen. Half-typed input is dropped when it changes.
const identity = ({ screen, key: name, board, seat, round, purpose }) =>
  [screen, name, board, seat, round, purpose].join("|");

function type(changes) {
  typing = { ...typing, ...changes };
  paint();
}

async function press(input) {
  typing = {};
  // Only the server knows the PIN.
  const checked = input.kind === "Pin" ? { kind: "Pin", ...(await connection.checkPin(input.pin)) } : input;
  terminal.press(checked, now());
  changed();
}

// Handle a change of the terminal: store it, draw it, send the new entries.
function changed() {
  if (phone?.logOnOrOff(now())) connection.connect();
  store(`memory ${base}`, terminal.write());
  paint();
  if (terminal.unsent().length) connection.send();
}

// Drawing replaces the keys. If that happens between the two halves of a click, the browser drops the click, so the
// screen stays as it is while a pointer is down.
let isPointerDown = false;
let isPaintDue = false;
let pressLimit = 0; // the timer that releases a pointer whose release is never reported

function releasePointer() {
  clearTimeout(pressLimit);
  isPointerDown = false;
  if (isPaintDue) paint();
}

addEventListener("pointerdown", () => {
  isPointerDown = true;
  clearTimeout(pressLimit);
  pressLimit = setTimeout(releasePointer, LONGEST_PRESS); // a release outside the window is not reported
});
// The click follows its pointerup before the timer.
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(releasePointer));

// Draw the screen, and keep the focus on the key that had it.
async function paint() {
  isPaintDue = isPointerDown;
  if (isPaintDue) return;
  const { language } = terminal;
  if (!texts[language]) await loadTexts(language);
  if (!texts[language] && !shownLanguage) await loadTexts(Language.ENGLISH);
  const display = phone ? phone.displayBetweenTables(terminal.display) : terminal.display;
  shownLanguage = texts[display.language] ? display.language : shownLanguage || Language.ENGLISH;
  if (!texts[shownLanguage] || connection.isStopped) return;
  document.documentElement.lang = shownLanguage;
  const ui = drawingContext({
    display,
    choices: choicesOf(terminal.machine),
    texts: texts[shownLanguage],
    press,
    typing,
    type,
    later,
    results: document.body.dataset.results,
  });
  paintHead(display);
  paintKeys(ui);
  const nowShown = isDeleted ? "deleted" : isAsking ? "code" : identity(display.screen);
  if (nowShown !== shownIdentity) typing = ui.typing = {};
  const focused = document.activeElement?.dataset?.key;
  element("screen").replaceChildren(...(isDeleted ? showDeleted() : isAsking ? askCode() : draw(ui)));
  const notice =
    isAsking && isWrongCode ? say("label.wrong-code") : noticeText(texts[shownLanguage], display.notice);
  // The head shows the call already.
  element("notice").textContent = notice === element("call").textContent ? "" : notice;
  if (nowShown !== shownIdentity) {
    shownIdentity = nowShown;
    scrollTo(0, 0);
    element("said").textContent = element("screen").querySelector("h1")?.textContent ?? "";
    element("screen").querySelector("h1")?.focus({ preventScroll: true });
    startRefresh(display.screen.screen);
  } else if (focused) {
    element("screen")
      .querySelector(`[data-key="${CSS.escape(focused)}"]:not(:disabled)`)
      ?.focus({ preventScroll: true });
  }
  document.body.dataset.stage = isDeleted ? "deleted" : isAsking ? "code" : display.screen.screen;
}

// Draw again after a delay, unless the screen has changed by then.
function later(changes, delay) {
  const input = Object.assign(typing, changes);
  setTimeout(() => input === typing && paint(), delay + 10);
}

function paintHead({ unsent, call, keys }) {
  const sent = element("sent");
  const state = unsent
    ? `${say("label.unsent")}: ${unsent}`
    : connection.isOnline
      ? say("label.sent")
      : say("label.offline");
  sent.textContent = isStored ? state : say("label.not-kept");
  sent.classList.toggle("waiting", unsent > 0 || !connection.isOnline || !isStored);
  sent.dataset.unsent = unsent;
  element("call").textContent = call ? say(`call.${call}`) : "";
  element("take-back").replaceChildren(
    ...(keys.includes("WithdrawCall")
      ? [
          key("WithdrawCall", say("label.withdraw-call"), () => press({ kind: "WithdrawCall" }), {
            kind: "quiet",
          }),
        ]
      : []),
  );
  const { choice, snapshot } = terminal.machine;
  const table = choice ? choice.join("") : phone ? "" : place;
  element("where").textContent = [
    table && `${say("label.table")} ${table}`,
    phone && place,
    snapshot && terminal.machine.round ? `${say("label.round")} ${terminal.machine.round}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function paintKeys(ui) {
  const common = [
    ["CallDirector", "label.call-director"],
    ["ShowScores", "label.scores"],
    ["ShowRanking", "label.ranking"],
  ];
  const rare = [
    ["Director", "label.director"],
    ["Reset", "label.reset"],
  ];
  const isMenu = ui.display.screen.screen === "MenuScreen";
  const keyOf = ([kind, label]) =>
    ui.can(kind) && !(isMenu && kind === "Reset")
      ? key(kind, say(label), () => press({ kind }), {
          kind: "quiet",
          disabled: kind === "CallDirector" && Boolean(ui.display.call),
        })
      : null;
  const language = make(
    "label",
    {},
    say("label.language"),
    make(
      "select",
      { id: "language" },
      Object.entries(LANGUAGES).map(([each, name]) =>
        make("option", { value: each, selected: each === shownLanguage, lang: each }, name),
      ),
    ),
  );
  const isOpen = element("options")?.open ?? false;
  element("keys").replaceChildren(
    ...common.map(keyOf).filter(Boolean),
    make(
      "details",
      { id: "options", open: isOpen },
      make("summary", {}, say("label.options")),
      make(
        "div",
        { class: "options" },
        language,
        key("colours", say("label.colours"), switchColours, { kind: "quiet" }),
        ...rare.map(keyOf).filter(Boolean),
      ),
    ),
  );
}

// Return the screen of a session in the bin.
function showDeleted() {
  element("keys").replaceChildren();
  return [make("h1", { tabindex: "-1" }, say("label.deleted"))];
}

// Return the screen that asks for the table's code.
function askCode() {
  return [
    make("h1", { tabindex: "-1" }, say("label.code")),
    make(
      "form",
      { class: "typed" },
      make("input", {
        name: "code",
        "aria-label": say("label.code"),
        autocomplete: "off",
        autocapitalize: "characters",
        maxlength: "12",
        "data-field": "code",
        value: typing.code ?? "",
      }),
    ),
    key(
      "ok",
      say("label.ok"),
      () => {
        code = (typing.code ?? "").trim();
        store(`code ${base}`, code);
        isWrongCode = true;
        connection.connect();
      },
      { kind: "go", char: "Enter" },
    ),
  ];
}

// Switch between light and dark.
function switchColours() {
  const root = document.documentElement;
  const isDark = root.dataset.colours
    ? root.dataset.colours === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  applyColours(isDark ? "light" : "dark");
  store("colours", root.dataset.colours);
}

function applyColours(colours) {
  document.documentElement.dataset.colours = colours;
  document.getElementById("dark").media = colours === "dark" ? "screen" : "not all";
}
if (stored("colours")) applyColours(stored("colours"));

// Fetch the table again and again while a screen lists results of others.
function startRefresh(name) {
  clearInterval(refreshing);
  if (!LISTS.includes(name)) return;
  const refresh = () => connection.fetchNews().catch(() => {});
  if (WHOLE.includes(name)) refresh();
  refreshing = setInterval(refresh, REFRESH);
}

// Keyboard and fields -----------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const isField = event.target.matches("input, select, summary");
  if (isField && !(event.target.matches("input") && ["Enter", "Escape"].includes(event.key))) return;
  if (event.key === "Enter" && event.target.matches("button, summary")) return;
  const char = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const button = element("screen").querySelector(`[data-char="${CSS.escape(char)}"]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  element("screen").querySelector('[data-key="ok"]')?.click();
});

document.addEventListener("input", ({ target }) => {
  const { field, number } = target.dataset;
  if (!field) return;
  typing = { ...typing, [field]: number === undefined ? target.value : Number(target.value) };
  // The handlers of the keys hold the text from when they were drawn, so draw them again.
  const caret = target.selectionStart;
  paint().then(() => {
    const again = element("screen").querySelector(`[data-field="${field}"]`);
    again?.focus({ preventScroll: true });
    if (again && caret !== null && again.setSelectionRange) again.setSelectionRange(caret, caret);
  });
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "language") press({ kind: "ChooseLanguage", language: target.value });
});

// Network -----------------------------------------------------------------------------------------------------------

let isFirst = !storedTerminal; // true until the page has chosen its table

// Return a short snapshot with the parts that only whole ones have: ranks, summary, and results of others on earlier
// boards, taken from the snapshot before.
function withPreviousParts(snapshot) {
  const previous = terminal.machine.snapshot;
  const isSame =
    previous && ["incarnation", "section", "table"].every((name) => previous[name] === snapshot[name]);
  if (!isSame) return snapshot;
  const newBoards = new Set(snapshot.compared.map((line) => line.board));
  const compared = [...previous.compared.filter((line) => !newBoards.has(line.board)), ...snapshot.compared];
  const { ranks, summary, finals } = previous;
  return { ...snapshot, compared, ranks, summary, finals };
}

const connection = new ServerConnection(base, {
  code: () => code,
  at: () => (phone ? phone.at : ""),
  unsent: () => terminal.unsent(),
  answered(answers) {
    for (const { id, version, reason, sentence, is_held: isHeld } of answers) {
      if (reason === undefined) terminal.acknowledge(id, version, isHeld);
      else terminal.refuse(id, reason, sentence);
    }
    changed();
  },
  updated(news) {
    const { snapshot, lobby, is_short: isShort } = news;
    isAsking = false;
    isDeleted = false;
    terminal.setTimeline(news.timeline);
    terminal.update(isShort && snapshot ? withPreviousParts(snapshot) : snapshot, lobby);
    if (phone) {
      phone.receive(news);
    } else if (isFirst && lobby.length && terminal.machine.stage === Stage.LOG_ON) {
      isFirst = false;
      terminal.press({ kind: "Choose", section: lobby[0].section, table: lobby[0].table }, now());
    }
    changed();
  },
  refused() {
    isAsking = true;
    paint();
  },
  deleted() {
    isDeleted = true;
    paint();
  },
  changed: () => paint(),
});

paint();
await connection.connect();

// Browsers allow service workers on secure pages only. Over plain HTTP an open page still works without the network,
// but it cannot be reloaded.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker
    .register("/t/sw.js", { scope: "/t/" })
    .then(() => navigator.serviceWorker.ready)
    // The page was loaded before the worker ran, so ask the worker to store it.
    .then((worker) => worker.active.postMessage({ keep: base }))
    .catch(() => {});
  navigator.serviceWorker.addEventListener("message", () => {
    document.body.dataset.kept = "yes";
  });
}
for (const language of Object.values(Language)) await loadTexts(language);
