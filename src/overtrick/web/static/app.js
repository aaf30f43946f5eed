// Keeps a page as the journal is: the server sends the parts that have changed, and they take their places.

const stream = document.body.dataset.stream;

function place(name, html) {
  for (const region of document.querySelectorAll(`[data-region="${name}"]`)) {
    const typing = new Map();
    // What someone is typing in is not taken away; its form keeps what was typed.
    for (const form of region.querySelectorAll("form[data-key]")) {
      if (form.contains(document.activeElement) || form.dataset.touched) typing.set(form.dataset.key, form);
    }
    const scroll = [...region.querySelectorAll(".wide")].map((each) => each.scrollLeft);
    const focused = region.contains(document.activeElement) ? describe(document.activeElement) : null;
    region.innerHTML = html;
    for (const form of region.querySelectorAll("form[data-key]")) {
      if (typing.has(form.dataset.key)) form.replaceWith(typing.get(form.dataset.key));
    }
    region.querySelectorAll(".wide").forEach((each, number) => { each.scrollLeft = scroll[number] ?? 0; });
    if (focused && document.activeElement === document.body) region.querySelector(focused)?.focus();
    region.dispatchEvent(new CustomEvent("placed", { bubbles: true, detail: name }));
  }
}

function describe(element) {
  if (element.getAttribute("href")) return `a[href="${CSS.escape(element.getAttribute("href"))}"]`;
  return element.getAttribute("name") ? `[name="${CSS.escape(element.getAttribute("name"))}"]` : null;
}

if (stream) {
  const events = new EventSource(stream);
  events.addEventListener("regions", (event) => {
    for (const [name, html] of Object.entries(JSON.parse(event.data))) place(name, html);
  });
  events.addEventListener("open", () => document.body.classList.remove("silent"));
  events.addEventListener("error", () => document.body.classList.add("silent"));
  addEventListener("pagehide", () => events.close());
}

// A form that only asks is sent as soon as it is changed.
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});
