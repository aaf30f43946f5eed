// Keeps a page as the journal is: the server sends the parts that have changed, and they take their places.

import { replaceContent } from "./forms.js";
import { follow } from "./request.js";

const stream = document.body.dataset.stream;

function place(name, html) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const scroll = [...region.querySelectorAll(".wide")].map((each) => each.scrollLeft);
    const focused = region.contains(document.activeElement) ? describe(document.activeElement) : null;
    // What someone is typing in is not taken away; its form keeps what was typed.
    replaceContent(region, html, (form) => form.contains(document.activeElement) || form.dataset.touched);
    region.querySelectorAll(".wide").forEach((each, number) => {
      each.scrollLeft = scroll[number] ?? 0;
    });
    if (focused && document.activeElement === document.body) region.querySelector(focused)?.focus();
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

// Rows are known by their key: those that changed get their new cells, and where the order did, all take their places.
function patch(name, tables) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const bodies = region.querySelectorAll("tbody");
    for (const [number, isAll, rows] of tables) {
      const body = bodies[number];
      const known = new Map([...body.rows].map((row) => [row.dataset.row, row]));
      let place = body.firstElementChild;
      for (const [key, ...cells] of rows) {
        let row = known.get(key);
        if (!row) {
          row = body.rows[0].cloneNode(true);
          row.dataset.row = key;
        }
        cells.forEach((text, cell) => {
          if (Array.isArray(text)) [row.cells[cell].innerHTML] = text;
          else if (text !== 0) row.cells[cell].textContent = text;
        });
        if (!isAll) continue;
        if (row === place) place = place.nextElementSibling;
        else body.insertBefore(row, place);
      }
      while (isAll && place) {
        const gone = place;
        place = place.nextElementSibling;
        gone.remove();
      }
    }
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

function describe(element) {
  if (element.getAttribute("href")) return `a[href="${CSS.escape(element.getAttribute("href"))}"]`;
  return element.getAttribute("name") ? `[name="${CSS.escape(element.getAttribute("name"))}"]` : null;
}

if (stream) {
  // A page that has news is followed from there.
  const address = () => {
    const asked = new URL(stream, location.href);
    if (document.body.dataset.mark) asked.searchParams.set("after", document.body.dataset.mark);
    return asked;
  };
  follow(
    address,
    (event) => {
      for (const [name, part] of Object.entries(JSON.parse(event.data))) {
        if (typeof part === "string") place(name, part);
        else patch(name, part);
      }
      document.body.dataset.mark = event.lastEventId;
    },
    (isOnline) => document.body.classList.toggle("silent", !isOnline),
  );
}

// A form that only asks is sent as soon as it is changed.
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});
