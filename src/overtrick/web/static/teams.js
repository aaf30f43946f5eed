// The desk of team events: sends forms without leaving the page, and moves from board to board with Enter.

import { replaceContent, say, sendForms } from "./forms.js";
import { fetchPage } from "./request.js";

// Reload the regions of the page, except the forms that somebody is typing in.
async function reloadRegions() {
  const page = await fetchPage(location.href, "main", { cache: "no-store" }).catch(() => null);
  if (!page) {
    say("Saved, but this page could not be updated. Please reload it.");
    return;
  }
  for (const region of document.querySelectorAll("[data-region]")) {
    const fresh = page.querySelector(`[data-region="${region.dataset.region}"]`);
    if (!fresh) continue;
    const active = document.activeElement;
    replaceContent(region, fresh.innerHTML, (form) => form.dataset.touched);
    const newField = active.id && document.getElementById(active.id);
    if (newField && newField !== document.activeElement) {
      newField.focus();
      if (newField !== active) newField.select?.();
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !("entry" in event.target.dataset)) return;
  event.preventDefault();
  // Go through all boards of one room, then of the other: score slips are sorted by room.
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

sendForms("do", async (form, { ok, sentence, go }) => {
  form.classList.toggle("refused", !ok);
  say(sentence);
  if (!ok) return;
  if (go) location.href = go;
  else await reloadRegions();
});
