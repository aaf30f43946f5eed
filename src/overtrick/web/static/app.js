// Live updates of a page: the server streams the regions and table rows that have changed, and they replace the old
// ones.

import { replaceContent } from "./forms.js";
import { follow } from "./request.js";

const stream = document.body.dataset.stream;

// Replace the HTML of a region; keep scroll positions, the focus, and forms that somebody is typing in.
function place(name, html) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const scroll = [...region.querySelectorAll(".wide")].map((each) => each.scrollLeft);
    const focused = region.contains(document.activeElement) ? describe(document.activeElement) : null;
    replaceContent(region, html, (form) => form.contains(document.activeElement) || form.dataset.touched);
    region.querySelectorAll(".wide").forEach((each, number) => {
      each.scrollLeft = scroll[number] ?? 0;
    });
    if (focused && document.activeElement === document.body) region.querySelector(focused)?.focus();
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

// Update the rows of a region's tables. `tables` lists [table number, isAll, rows]; a row is its key and its cells,
// where 0 is an unchanged cell, a text its new text, and [html] its new HTML. With isAll the list has every row in the
// new order, and rows that are not in it are removed.
function patch(name, tables) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const bodies = region.querySelectorAll("tbody");
    for (const [number, isAll, rows] of tables) {
      const body = bodies[number];
      const rowOf = new Map([...body.rows].map((row) => [row.dataset.row, row]));
      let place = body.firstElementChild;
      for (const [key, ...cells] of rows) {
        let row = rowOf.get(key);
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

// Return a selector that finds the same link or field in new HTML, null if there is none.
function describe(element) {
  if (element.getAttribute("href")) return `a[href="${CSS.escape(element.getAttribute("href"))}"]`;
  return element.getAttribute("name") ? `[name="${CSS.escape(element.getAttribute("name"))}"]` : null;
}

if (stream) {
  // After a lost connection, continue after the last event that the page has received.
  const address = () => {
    const url = new URL(stream, location.href);
    if (document.body.dataset.mark) url.searchParams.set("after", document.body.dataset.mark);
    return url;
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

// Submit a form that only selects what to show as soon as it changes.
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});
