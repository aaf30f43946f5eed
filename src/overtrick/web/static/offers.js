// The set-up page: the movements offered are those for the numbers in the fields, or cannot be chosen.

import { backoff, fetchPage } from "./request.js";

const PAUSE = 200; // milliseconds after a key, since another digit may follow

const form = document.querySelector("form[data-offers]");
const start = form.querySelector(".start button");
const looking = document.getElementById("looking");
const fields = () => [...form.querySelectorAll("[data-numbers] input, [data-numbers] select")];
const read = (value) => new URLSearchParams(fields().map((each) => [each.name, value(each)])).toString();
const typed = () => read((each) => each.value);
const rendered = (each) =>
  each.defaultValue ?? [...each.options].find((option) => option.defaultSelected)?.value ?? each.value;
const shape = (sizes) =>
  [...sizes.querySelectorAll("label")]
    .map((label) => `${label.textContent.trim()} ${label.querySelector("input").name}`)
    .join();

let offered = read(rendered); // the numbers that the offers on the page are for
let asked = offered; // the numbers that are being looked up
let lookup = 0; // counts the lookups; only the answer to the last one counts
let due;
let asking;

function cancel() {
  lookup += 1;
  clearTimeout(due);
  asking?.abort();
}

function wait(sentence) {
  const offers = document.getElementById("offers");
  offers.inert = true;
  offers.ariaBusy = "true";
  start.disabled = true;
  looking.textContent = sentence;
  looking.hidden = false;
}

function settle() {
  const offers = document.getElementById("offers");
  offers.inert = false;
  offers.ariaBusy = "false";
  // Without a movement for these numbers the page offers none.
  start.disabled = !form.elements.offered;
  looking.hidden = true;
}

// Look up the movements for the numbers in the fields, unless they are shown or being looked up.
function update(delay = 0) {
  const now = typed();
  if (now === offered) {
    cancel();
    asked = offered;
    settle();
    return;
  }
  if (now === asked) return;
  cancel();
  asked = now;
  wait("Looking for movements…");
  const mine = lookup;
  due = setTimeout(() => look(mine, 0), delay);
}

async function look(mine, attempt) {
  const sent = new URLSearchParams(new FormData(form));
  sent.delete("token");
  asking = new AbortController();
  asked = typed();
  try {
    const page = await fetchPage(`/desk/new?${sent}`, "#offers", { signal: asking.signal });
    if (mine === lookup) place(page, sent);
  } catch (failure) {
    if (mine !== lookup) return;
    wait(`${failure.message} Trying again…`);
    due = setTimeout(() => look(mine, attempt + 1), backoff(attempt));
  }
}

function place(page, sent) {
  document.getElementById("offers").replaceWith(page.getElementById("offers"));
  offered = asked;
  const sizes = document.getElementById("sizes");
  const fresh = page.getElementById("sizes");
  // The fields are only replaced by others, so that nobody loses the one in which they type.
  if (shape(sizes) !== shape(fresh)) {
    const focused = document.activeElement?.name;
    const now = new Map(fields().map((each) => [each.name, each.value]));
    sizes.replaceWith(fresh);
    offered = read((each) => (fresh.contains(each) ? each.value : sent.get(each.name)));
    for (const each of fresh.querySelectorAll("input")) {
      // What was typed since the question was sent stays, and is looked up.
      if (sent.has(each.name) && now.get(each.name) !== sent.get(each.name))
        each.value = now.get(each.name) ?? each.value;
    }
    if (focused && document.activeElement === document.body) form.elements[focused]?.focus();
  }
  asked = offered;
  update();
}

form.querySelector("[data-noscript]").remove();
const isNumber = (event) => event.target.closest("[data-numbers]");
form.addEventListener("input", (event) => {
  if (isNumber(event)) update(PAUSE);
});
form.addEventListener("focusout", (event) => {
  if (isNumber(event)) update();
});
form.addEventListener("change", (event) => {
  if (!isNumber(event)) return;
  // Another game has other numbers.
  if (event.target.name === "game") {
    for (const each of form.querySelectorAll("[name^=count]")) each.closest("label").remove();
  }
  update();
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-numbers] input")) return;
  event.preventDefault(); // who is typing numbers wants to see the movements, and not to start yet
  update();
});
// Numbers that were typed before this file was here, or that the browser kept of an earlier visit.
addEventListener("pageshow", () => update());
update();
