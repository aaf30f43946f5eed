// The desk of team events: forms are sent without leaving the page, and boards are typed one after the other.

import { fetchPage, sendForm } from "./request.js";

const token = document.querySelector("[data-token]")?.dataset.token ?? "";
const said = document.getElementById("said");
let quiet;

function say(sentence) {
  said.textContent = sentence;
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    said.textContent = "";
  }, 6000);
}

// The page as it is now, except what someone is typing.
async function renew() {
  const page = await fetchPage(location.href, "main", { cache: "no-store" }).catch(() => null);
  if (!page) {
    say("Saved, but the page could not be renewed: what you see is from before. Load it again.");
    return;
  }
  for (const region of document.querySelectorAll("[data-region]")) {
    const fresh = page.querySelector(`[data-region="${region.dataset.region}"]`);
    if (!fresh) continue;
    const active = document.activeElement;
    const typing = new Map(
      [...region.querySelectorAll("form[data-touched]")].map((form) => [form.dataset.key, form]),
    );
    region.innerHTML = fresh.innerHTML;
    for (const form of region.querySelectorAll("form[data-key]")) {
      if (typing.has(form.dataset.key)) form.replaceWith(typing.get(form.dataset.key));
    }
    const again = active.id && document.getElementById(active.id);
    if (again && again !== document.activeElement) {
      again.focus();
      if (again !== active) again.select?.();
    }
  }
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-key]");
  if (form) form.dataset.touched = "1";
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !("entry" in event.target.dataset)) return;
  event.preventDefault();
  // Down the sheet of one room, and then to the other room: so the score slips come.
  const rooms = new Map();
  for (const each of document.querySelectorAll("[data-entry]")) {
    rooms.set(each.dataset.entry, [...(rooms.get(each.dataset.entry) ?? []), each]);
  }
  const entries = [...rooms.values()].flat();
  const next = entries[entries.indexOf(event.target) + 1];
  if (next) {
    next.focus();
    next.select();
  } else event.target.blur();
});

document.addEventListener("change", (event) => {
  if ("entry" in event.target.dataset) event.target.form.requestSubmit();
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("do" in form.dataset)) return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.dataset.confirm && !confirm(button.dataset.confirm)) return;
  const { ok, sentence, go } = await sendForm(form, button, token);
  form.classList.toggle("refused", !ok);
  say(sentence);
  if (!ok) return;
  delete form.dataset.touched;
  if (go) location.href = go;
  else await renew();
});
