// Suggestions of known players in the fields of a name: a datalist that the server fills while somebody types.

const WAIT = 150; // milliseconds without a key before the server is asked

const list = document.getElementById("known-players");
const suggested = new Map();
let timer;

const playerText = ({ first, last, number }) =>
  [[last, first].filter(Boolean).join(", "), number].filter(Boolean).join(" · ");

// Return the known players for a text; none if the server does not answer, because the fields work without.
async function fetchPlayers(text) {
  const answer = await fetch(`/desk/members/suggest?${new URLSearchParams({ q: text })}`).catch(() => null);
  return answer?.ok ? answer.json() : [];
}

// Write a player into the fields around one of them.
function fill(field, player) {
  for (const part of ["first", "last", "number"]) {
    const other = field.closest("[data-player]").querySelector(`[data-part="${part}"]`);
    if (other) other.value = player[part];
  }
}

async function suggest(field) {
  const text = field.value.trim();
  if (text.length < 2) return;
  const players = await fetchPlayers(text);
  if (field.value.trim() !== text) return;
  suggested.clear();
  for (const player of players) suggested.set(playerText(player), player);
  list.replaceChildren(...[...suggested.keys()].map((each) => new Option("", each)));
}

// Fill in the name of a number that was typed whole.
async function lookUp(field) {
  const number = field.value.trim();
  const player = number && (await fetchPlayers(number)).find((each) => each.number === number);
  if (player && field.value.trim() === number) fill(field, player);
}

if (list) {
  document.addEventListener("input", ({ target }) => {
    if (target.getAttribute("list") !== list.id) return;
    clearTimeout(timer);
    const player = suggested.get(target.value);
    if (player) fill(target, player);
    else timer = setTimeout(() => suggest(target), WAIT);
  });
  document.addEventListener("change", ({ target }) => {
    if (target.getAttribute("list") === list.id && target.dataset.part === "number") lookUp(target);
  });
}
