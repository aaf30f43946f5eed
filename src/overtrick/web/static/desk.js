// The director's desk: sends forms without leaving the page, opens dialogs, filters lists, and rings for calls.

import { say, sendForms } from "./forms.js";
import { fetchPage } from "./request.js";
import { isLoud, ring, setLoud } from "./sound.js";

const dialog = document.getElementById("dialog");

// Open a page of the desk as a dialog.
async function open(address) {
  const page = await fetchPage(address, "main").catch((failure) => say(failure.message));
  if (!page) return;
  dialog.replaceChildren(...page.querySelector("main").children);
  dialog.setAttribute("aria-label", dialog.querySelector("h1")?.textContent.trim() ?? "Form");
  if (!dialog.open) dialog.showModal();
  // A dialog with much to read before its first field puts autofocus on its heading.
  dialog.querySelector("[autofocus], select, input:not([type=hidden])")?.focus();
}

function close() {
  // The message line may be in the dialog (forms.js); it must stay on the page.
  document.body.append(document.getElementById("said"));
  dialog.close();
  // What opened the dialog may be gone.
  if (document.activeElement === document.body)
    document.getElementById("main").focus({ preventScroll: true });
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

sendForms("act", (form, { ok, sentence }) => {
  const problem = form.querySelector("[data-problem]");
  if (problem) problem.textContent = ok ? "" : sentence;
  if (ok && dialog.open) close();
  if (ok && "clear" in form.dataset) form.reset();
  if (ok || !problem) say(sentence);
});

// Show the sum of the percentages of a weighted score.
document.addEventListener("input", ({ target }) => {
  const side = target.dataset.percent;
  if (!side) return;
  const fields = [...target.form.querySelectorAll(`[data-percent="${side}"]`)];
  const sum = fields.reduce((total, each) => total + (Number(each.value.replace(",", ".")) || 0), 0);
  const rounded = Math.round(sum * 100) / 100;
  target.form.querySelector(`[data-sum="${side}"]`).textContent =
    `${rounded} %${rounded === 100 ? "" : ", must be 100 %"}`;
});

// Search: hide the entries that do not contain every typed word, also after a live update.
const search = document.querySelector("[data-search]");

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of document.querySelectorAll("[data-find]")) {
    const fields = [...each.querySelectorAll("input:not([type=hidden])")].map((input) => input.value);
    const text = [each.textContent, ...fields].join(" ").toLowerCase();
    each.hidden = !words.every((word) => text.includes(word));
  }
}

if (search) {
  search.addEventListener("input", filter);
  document.addEventListener("placed", filter);
}

// Keep the open or closed state of details when a live update replaces them.
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

// Ring two tones for each new call for the director, and show the number of calls in the title.
const CALL = [
  [0, 880],
  [0.22, 660],
];
const announced = new Set();

function announceCalls(isFirst) {
  const calls = (document.querySelector("[data-calls]")?.dataset.calls ?? "").split(" ").filter(Boolean);
  const newCalls = calls.filter((call) => !announced.has(call));
  for (const call of newCalls) announced.add(call);
  document.title = document.title.replace(/^\(\d+\) /, "");
  if (calls.length) document.title = `(${calls.length}) ${document.title}`;
  if (newCalls.length && !isFirst && isLoud()) ring(CALL);
}

announceCalls(true);
document.addEventListener("placed", (event) => {
  if (event.detail === "calls") announceCalls(false);
});

const sound = document.getElementById("sound");
if (sound) {
  sound.checked = isLoud();
  sound.addEventListener("change", () => setLoud(sound.checked));
  document.getElementById("try-sound").addEventListener("click", () => ring(CALL));
}
