// Live updates of a page: the server streams the regions and table rows that have changed, and they replace the old
// ones.

import { replaceContent } from "./forms.js";
import { follow } from "./request.js";

const stream = document.body.dataset.stream;

// The newest HTML of regions in which a form was kept instead of replaced.
const newest = new Map();

// Replace the HTML of a region; keep scroll positions, the focus, and forms that somebody is typing in. A form that was
// saved is replaced even if it has the focus.
function replaceRegion(name, html) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const scroll = [...region.querySelectorAll(".wide")].map((each) => each.scrollLeft);
    const focused = region.contains(document.activeElement) ? find(region, document.activeElement) : null;
    let kept = false;
    replaceContent(region, html, (form) => {
      const isKept = form.dataset.touched || (!form.dataset.saved && form.contains(document.activeElement));
      kept ||= isKept;
      return isKept;
    });
    if (kept) newest.set(name, html);
    else newest.delete(name);
    region.querySelectorAll(".wide").forEach((each, number) => {
      each.scrollLeft = scroll[number] ?? 0;
    });
    if (focused && document.activeElement === document.body) focus(focused() ?? region);
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

// Focus an element, or a region of which the focused button is gone, so that the keyboard continues there.
function focus(element) {
  if ("region" in element.dataset) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

// An update that came before the answer is shown when the form is saved.
document.addEventListener("saved", ({ target }) => {
  const name = target.closest("[data-region]")?.dataset.region;
  if (newest.has(name)) replaceRegion(name, newest.get(name));
});

// Update the rows of a region's tables. `tables` lists [table number, isAll, rows]; a row is its key and its cells,
// where 0 is an unchanged cell, a text its new text, and [html] its new HTML. With isAll the list has every row in the
// new order, and rows that are not in it are removed.
function updateTables(name, tables) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const bodies = region.querySelectorAll("tbody");
    for (const [number, isAll, rows] of tables) {
      const body = bodies[number];
      const rowOf = new Map([...body.rows].map((row) => [row.dataset.row, row]));
      let nextRow = body.firstElementChild;
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
        if (row === nextRow) nextRow = nextRow.nextElementSibling;
        else body.insertBefore(row, nextRow);
      }
      while (isAll && nextRow) {
        const removed = nextRow;
        nextRow = nextRow.nextElementSibling;
        removed.remove();
      }
    }
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

// Return a function that finds the same link, field or button in the new HTML of a region, undefined if it is gone.
function find(region, element) {
  const keyOf = (each) =>
    [
      each.tagName,
      each.getAttribute("href"),
      each.name,
      each.type,
      each.textContent.trim(),
      formKey(each.form),
    ].join("\n");
  const same = (key) =>
    [...region.querySelectorAll("a, button, input, select, textarea, summary")].filter(
      (each) => keyOf(each) === key,
    );
  const key = keyOf(element);
  const number = same(key).indexOf(element);
  return () => same(key)[number] ?? same(key).at(-1);
}

// Return a text that identifies a form on its page: its key, or its address and hidden fields.
function formKey(form) {
  if (!form) return "";
  const hidden = [...form.querySelectorAll("input[type=hidden]")].map((each) => `${each.name}=${each.value}`);
  return form.dataset.key ?? [form.getAttribute("action"), ...hidden].join("&");
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
        if (typeof part === "string") replaceRegion(name, part);
        else updateTables(name, part);
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
