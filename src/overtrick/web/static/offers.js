// The set-up page: looks up the movements for the numbers in the fields. Until the answer is there, no movement can be
// chosen, so that nobody starts a movement for other numbers.

import { backoff, fetchPage } from "./request.js";

const PAUSE = 200; // milliseconds to wait after a key, as another digit may follow

const form = document.querySelector("form[data-offers]");
const start = form.querySelector(".start button");
const message = document.getElementById("looking");
const fields = () => [...form.querySelectorAll("[data-numbers] input, [data-numbers] select")];
// Return the numbers of all fields as one text, to compare them; `value` returns the value of a field.
const read = (value) => new URLSearchParams(fields().map((each) => [each.name, value(each)])).toString();
const readTyped = () => read((each) => each.value);
// Return the value that the server has put into a field.
const rendered = (each) =>
  each.defaultValue ?? [...each.options].find((option) => option.defaultSelected)?.value ?? each.value;
// Return labels and names of the fields, to see whether the server sends other fields.
const shape = (sizes) =>
  [...sizes.querySelectorAll("label")]
    .map((label) => `${label.textContent.trim()} ${label.querySelector("input").name}`)
    .join();

let offered = read(rendered); // the numbers that the offers on the page are for
let requested = offered; // the numbers that are being looked up
let lookup = 0; // counts the lookups; only the answer to the last one counts
let due; // the timer of the next lookup
let abortController; // aborts the current lookup

function cancel() {
  lookup += 1;
  clearTimeout(due);
  abortController?.abort();
}

// Disable the offers and the start button, and say why.
function wait(sentence) {
  const offers = document.getElementById("offers");
  offers.inert = true;
  offers.ariaBusy = "true";
  start.disabled = true;
  message.textContent = sentence;
  message.hidden = false;
}

// Enable the offers, which belong to the numbers in the fields.
function settle() {
  const offers = document.getElementById("offers");
  offers.inert = false;
  offers.ariaBusy = "false";
  // There may be no movement for these numbers.
  start.disabled = !form.elements.offered;
  message.hidden = true;
}

// Look up the movements for the numbers in the fields, unless they are on the page or being looked up.
function update(delay = 0) {
  const now = readTyped();
  if (now === offered) {
    cancel();
    requested = offered;
    settle();
    return;
  }
  if (now === requested) return;
  cancel();
  requested = now;
  wait("Looking for movements…");
  const number = lookup;
  due = setTimeout(() => fetchOffers(number, 0), delay);
}

// Fetch the offers; try again after a failure until another lookup begins.
async function fetchOffers(number, attempt) {
  const sent = new URLSearchParams(new FormData(form));
  sent.delete("token");
  abortController = new AbortController();
  requested = readTyped();
  try {
    const page = await fetchPage(`/desk/new?${sent}`, "#offers", { signal: abortController.signal });
    if (number === lookup) showOffers(page, sent);
  } catch (failure) {
    if (number !== lookup) return;
    wait(`${failure.message} Trying again…`);
    due = setTimeout(() => fetchOffers(number, attempt + 1), backoff(attempt));
  }
}

// Put the offers of the answer on the page.
function showOffers(page, sent) {
  document.getElementById("offers").replaceWith(page.getElementById("offers"));
  offered = requested;
  const sizes = document.getElementById("sizes");
  const fresh = page.getElementById("sizes");
  // Replace the fields only if there are other ones, so that nobody loses the field in which they type.
  if (shape(sizes) !== shape(fresh)) {
    const focused = document.activeElement?.name;
    const now = new Map(fields().map((each) => [each.name, each.value]));
    sizes.replaceWith(fresh);
    offered = read((each) => (fresh.contains(each) ? each.value : sent.get(each.name)));
    for (const each of fresh.querySelectorAll("input")) {
      // Keep a number that was typed after the request was sent; `update` looks it up.
      if (sent.has(each.name) && now.get(each.name) !== sent.get(each.name))
        each.value = now.get(each.name) ?? each.value;
    }
    if (focused && document.activeElement === document.body) form.elements[focused]?.focus();
  }
  requested = offered;
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
  // Another kind of game asks for other numbers.
  if (event.target.name === "game") {
    for (const each of form.querySelectorAll("[name^=count]")) each.closest("label").remove();
  }
  update();
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-numbers] input")) return;
  event.preventDefault(); // Enter in a number field shows the movements; it must not start the session
  update();
});
// Look up movements for values typed before this script loaded, or restored by the browser.
addEventListener("pageshow", () => update());
update();
