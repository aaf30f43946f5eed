// The desk of team events: forms are sent without leaving the page, and boards are typed one after the other.

import { replaceContent, say, sendForms } from "./forms.js";
import { fetchPage } from "./request.js";

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
    replaceContent(region, fresh.innerHTML, (form) => form.dataset.touched);
    const again = active.id && document.getElementById(active.id);
    if (again && again !== document.activeElement) {
      again.focus();
      if (again !== active) again.select?.();
    }
  }
}

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

sendForms("do", async (form, { ok, sentence, go }) => {
  form.classList.toggle("refused", !ok);
  say(sentence);
  if (!ok) return;
  if (go) location.href = go;
  else await renew();
});
