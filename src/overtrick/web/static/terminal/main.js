// The page of a terminal: a machine that answers every key on the device, its memory, its screen, and the courier.

import { choicesOf } from "./choices.js";
import { Courier } from "./courier.js";
import { key, make } from "./dom.js";
import { draw, noticeText, surface } from "./draw.js";
import { OwnPhone } from "./own_phone.js";
import { Stage } from "./stages.js";
import { Terminal } from "./terminal.js";
import { LANGUAGES, Language } from "./vocabulary.js";

const { session, place } = document.body.dataset;
const base = `/t/${session}/${place}`;
const LOOK_AGAIN = 20_000; // milliseconds between looks at a list that others change
const WHOLE = ["RoundScreen", "RankingScreen", "SummaryScreen", "MenuScreen", "WaitingScreen"];
// What others change is on these, and on those above more than a stream brings.
const LISTS = [...WHOLE, "ResultsScreen"];

const element = (id) => document.getElementById(id);
const now = () => new Date().toISOString();
const chance = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");

// What is kept on the device ----------------------------------------------------------------------------------------

let isKept = true;

function keep(name, text) {
  try {
    localStorage.setItem(`overtrick ${name}`, text);
  } catch {
    isKept = false;
  }
}

function kept(name) {
  try {
    return localStorage.getItem(`overtrick ${name}`);
  } catch {
    isKept = false;
    return null;
  }
}

const given = new URLSearchParams(location.search).get("code");
if (given) {
  keep(`code ${base}`, given);
  history.replaceState(null, "", base); // the code is on the device now, and not in the address for all to see
}
let code = given ?? kept(`code ${base}`) ?? "";

if (!kept("device")) keep("device", `phone-${chance()}`);

function remembered() {
  try {
    return Terminal.read(kept(`memory ${base}`) ?? "");
  } catch {
    return null; // nothing there, or nothing that can be read: it starts again, and what it had sent is safe
  }
}

// Two windows of a device must not both go on with one memory: the newest has it.
const windows = new BroadcastChannel(`overtrick ${base}`);
windows.postMessage("mine");
windows.addEventListener("message", () => {
  courier.stop();
  element("screen").replaceChildren(
    make("h1", {}, say("label.elsewhere")),
    key("here", say("label.ok"), () => location.reload(), { kind: "go" }),
  );
  element("keys").replaceChildren();
});

const before = remembered();
const terminal = before ?? new Terminal(kept("device") ?? `phone-${chance()}`, session, [], "");
// The ids of this run's entries must differ from those of any other, also of a second window.
Object.assign(terminal.machine, { run: chance(), count: 0 });
const phone = /-/.test(place) ? new OwnPhone(terminal) : null;

// Texts -------------------------------------------------------------------------------------------------------------

const texts = {};
const say = (name) => texts[spoken]?.[name] ?? "";
let spoken = "";

const asked = new Set();

// Have the texts of a language: those that are kept at once, and newer ones when they come.
async function learn(language) {
  const text = kept(`texts ${language}`);
  if (text) texts[language] ??= JSON.parse(text);
  if (asked.has(language)) return;
  asked.add(language);
  const fresh = fetch(`/t/texts/${language}.json`)
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
    .then((found) => {
      keep(`texts ${language}`, found);
      texts[language] = JSON.parse(found);
    })
    .catch(() => asked.delete(language)); // without the network the kept ones serve
  if (!text) await fresh;
}

// The screen --------------------------------------------------------------------------------------------------------

let typing = {};
let shownAs = "";
let isAsking = false;
let isWrongCode = false;
let looking = 0;

// Which screen it is, and about what: what is half typed belongs to it.
const identity = ({ screen, key: name, board, seat, round, purpose }) =>
  [screen, name, board, seat, round, purpose].join("|");

function type(changes) {
  typing = { ...typing, ...changes };
  paint();
}

async function press(input) {
  typing = {};
  // The device does not know the PIN: the server does.
  const checked = input.kind === "Pin" ? { kind: "Pin", ...(await courier.checkPin(input.pin)) } : input;
  terminal.press(checked, now());
  changed();
}

// Something has happened: keep it, move on, show it, send it.
function changed() {
  if (phone?.move(now())) courier.connect();
  keep(`memory ${base}`, terminal.write());
  paint();
  if (terminal.unsent().length) courier.send();
}

async function paint() {
  const { language } = terminal;
  if (!texts[language]) await learn(language);
  if (!texts[language] && !spoken) await learn(Language.ENGLISH);
  const display = phone ? phone.between(terminal.display) : terminal.display;
  spoken = texts[display.language] ? display.language : spoken || Language.ENGLISH;
  if (!texts[spoken] || courier.isStopped) return;
  document.documentElement.lang = spoken;
  const ui = surface({
    display,
    choices: choicesOf(terminal.machine),
    texts: texts[spoken],
    press,
    typing,
    type,
    later,
  });
  paintHead(display);
  paintKeys(ui);
  const isNew = isAsking ? "code" : identity(display.screen);
  if (isNew !== shownAs) typing = ui.typing = {};
  const focused = document.activeElement?.dataset?.key;
  element("screen").replaceChildren(...(isAsking ? askCode() : draw(ui)));
  const notice =
    isAsking && isWrongCode ? say("label.wrong-code") : noticeText(texts[spoken], display.notice);
  // The call stands in the head already.
  element("notice").textContent = notice === element("call").textContent ? "" : notice;
  if (isNew !== shownAs) {
    shownAs = isNew;
    scrollTo(0, 0);
    element("said").textContent = element("screen").querySelector("h1")?.textContent ?? "";
    element("screen").querySelector("h1")?.focus({ preventScroll: true });
    lookAgain(display.screen.screen);
  } else if (focused) {
    element("screen")
      .querySelector(`[data-key="${CSS.escape(focused)}"]:not(:disabled)`)
      ?.focus({ preventScroll: true });
  }
  document.body.dataset.stage = isAsking ? "code" : display.screen.screen;
}

// Paint again when a moment has passed, unless something else is shown by then.
function later(changes, delay) {
  const mine = Object.assign(typing, changes);
  setTimeout(() => mine === typing && paint(), delay + 10);
}

function paintHead({ unsent, call }) {
  const sent = element("sent");
  const state = unsent
    ? `${say("label.unsent")}: ${unsent}`
    : courier.isOnline
      ? say("label.sent")
      : say("label.offline");
  sent.textContent = isKept ? state : say("label.not-kept");
  sent.classList.toggle("waiting", unsent > 0 || !courier.isOnline || !isKept);
  sent.dataset.unsent = unsent;
  element("call").textContent = call ? say(`call.${call}`) : "";
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
  const wanted = [
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
        make("option", { value: each, selected: each === spoken, lang: each }, name),
      ),
    ),
  );
  const isOpen = element("options")?.open ?? false;
  element("keys").replaceChildren(
    ...wanted.map(keyOf).filter(Boolean),
    make(
      "details",
      { id: "options", open: isOpen },
      make("summary", {}, say("label.options")),
      make(
        "div",
        { class: "options" },
        language,
        key("colours", say("label.colours"), otherColours, { kind: "quiet" }),
        ...rare.map(keyOf).filter(Boolean),
      ),
    ),
  );
}

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
        keep(`code ${base}`, code);
        isWrongCode = true;
        courier.connect();
      },
      { kind: "go", char: "Enter" },
    ),
  ];
}

function otherColours() {
  const root = document.documentElement;
  const isDark = root.dataset.colours
    ? root.dataset.colours === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  wear(isDark ? "light" : "dark");
  keep("colours", root.dataset.colours);
}

function wear(colours) {
  document.documentElement.dataset.colours = colours;
  document.getElementById("dark").media = colours === "dark" ? "screen" : "not all";
}
if (kept("colours")) wear(kept("colours"));

// Lists that others change are looked at again while they are shown.
function lookAgain(name) {
  clearInterval(looking);
  if (!LISTS.includes(name)) return;
  const look = () => courier.look().catch(() => {});
  if (WHOLE.includes(name)) look();
  looking = setInterval(look, LOOK_AGAIN);
}

// What people do ----------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const isField = event.target.matches("input, select, summary");
  if (isField && !(event.target.matches("input") && ["Enter", "Escape"].includes(event.key))) return;
  if (event.key === "Enter" && event.target.matches("button, summary")) return;
  const char = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = element("screen").querySelector(`[data-char="${CSS.escape(char)}"]:not(:disabled)`);
  if (!found) return;
  event.preventDefault();
  found.click();
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  element("screen").querySelector('[data-key="ok"]')?.click();
});

document.addEventListener("input", ({ target }) => {
  const { field, number } = target.dataset;
  if (!field) return;
  typing = { ...typing, [field]: number === undefined ? target.value : Number(target.value) };
  // The keys of this screen hold what was typed when they were drawn.
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

// What the network brings -------------------------------------------------------------------------------------------

let isFirst = !before;

// A short snapshot with what the last whole one had besides: ranks, the summary, and the field on earlier boards.
function completed(snapshot) {
  const had = terminal.machine.snapshot;
  const isSame = had && ["incarnation", "section", "table"].every((name) => had[name] === snapshot[name]);
  if (!isSame) return snapshot;
  const fresh = new Set(snapshot.compared.map((line) => line.board));
  const compared = [...had.compared.filter((line) => !fresh.has(line.board)), ...snapshot.compared];
  return { ...snapshot, compared, ranks: had.ranks, summary: had.summary };
}

const courier = new Courier(base, {
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
  told(news) {
    const { snapshot, lobby, is_short: isShort } = news;
    isAsking = false;
    terminal.follow(news.timeline);
    terminal.update(isShort && snapshot ? completed(snapshot) : snapshot, lobby);
    if (phone) {
      phone.hear(news);
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
  changed: () => paint(),
});

paint();
await courier.connect();

// Service workers are for secure pages; over plain HTTP in the hall the open page itself goes on without the network.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker
    .register("/t/sw.js", { scope: "/t/" })
    .then(() => navigator.serviceWorker.ready)
    // This page came before the worker, which has not seen it.
    .then((worker) => worker.active.postMessage({ keep: base }))
    .catch(() => {});
  navigator.serviceWorker.addEventListener("message", () => {
    document.body.dataset.kept = "yes";
  });
}
for (const language of Object.values(Language)) await learn(language);
