// The desk: forms are sent without leaving the page, a form opens over it, and a call for the director makes a sound.

import { say, sendForms } from "./forms.js";
import { fetchPage } from "./request.js";
import { isLoud, ring, setLoud } from "./sound.js";

const dialog = document.getElementById("dialog");

async function open(address) {
  const page = await fetchPage(address, "main").catch((failure) => say(failure.message));
  if (!page) return;
  dialog.replaceChildren(...page.querySelector("main").children);
  dialog.setAttribute("aria-label", dialog.querySelector("h1")?.textContent.trim() ?? "Form");
  if (!dialog.open) dialog.showModal();
  // Where much is to be read before anything is filled in, the reader begins at the top.
  dialog.querySelector("[autofocus], select, input:not([type=hidden])")?.focus();
}

function close() {
  document.body.append(document.getElementById("said"));
  dialog.close();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  if (link && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    open(link.href);
  }
  if (dialog.open && event.target.closest("[data-close]")) {
    event.preventDefault();
    close();
  }
});

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  close();
});

document.addEventListener("submit", async (event) => {
  if (!("get" in event.target.dataset)) return;
  event.preventDefault();
  await open(`${event.target.action}?${new URLSearchParams(new FormData(event.target))}`);
});

sendForms("act", (_form, { ok, sentence }) => {
  if (ok && dialog.open) close();
  say(sentence);
});

// Finding: what does not hold every word that was typed is hidden, also when it is placed anew.
const search = document.querySelector("[data-search]");

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of document.querySelectorAll("[data-find]")) {
    const fields = [...each.querySelectorAll("input:not([type=hidden])")].map((input) => input.value);
    const text = [each.textContent, ...fields].join(" ").toLowerCase();
    each.hidden = !words.every((word) => text.includes(word));
  }
}

if (search) {
  search.addEventListener("input", find);
  document.addEventListener("placed", find);
}

// A player who is known fills the whole seat.
document.addEventListener("input", ({ target }) => {
  const seat = target.list && target.closest(".seat");
  const found = seat && [...target.list.options].find((each) => each.value === target.value && target.value);
  if (!found) return;
  for (const part of ["first", "last", "number"]) {
    seat.querySelector(`[name^="${part}-"]`).value = found.dataset[part];
  }
});

// What was opened or closed stays so when its part is placed anew.
const opened = new Map();
document.addEventListener(
  "toggle",
  (event) => {
    const key = event.target.dataset?.keep;
    if (key) opened.set(key, event.target.open);
  },
  true,
);
document.addEventListener("placed", (event) => {
  for (const each of event.target.querySelectorAll("details[data-keep]")) {
    if (opened.has(each.dataset.keep)) each.open = opened.get(each.dataset.keep);
  }
});

document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

// A call for the director: two tones, once for each call.
const CALL = [
  [0, 880],
  [0.22, 660],
];
const heard = new Set();

function listen(isFirst) {
  const calls = (document.querySelector("[data-calls]")?.dataset.calls ?? "").split(" ").filter(Boolean);
  const fresh = calls.filter((call) => !heard.has(call));
  for (const call of fresh) heard.add(call);
  document.title = document.title.replace(/^\(\d+\) /, "");
  if (calls.length) document.title = `(${calls.length}) ${document.title}`;
  if (fresh.length && !isFirst && isLoud()) ring(CALL);
}

listen(true);
document.addEventListener("placed", (event) => {
  if (event.detail === "calls") listen(false);
});

const sound = document.getElementById("sound");
if (sound) {
  sound.checked = isLoud();
  sound.addEventListener("change", () => setLoud(sound.checked));
  document.getElementById("try-sound").addEventListener("click", () => ring(CALL));
}
