// Forms of a page: sent without leaving it, answered with a sentence, and kept while someone is typing in them.

import { sendForm } from "./request.js";

let quiet;

// Show a sentence for a while: above the page, or in the dialog that is open.
export function say(sentence) {
  const said = document.getElementById("said");
  (document.querySelector("dialog[open]") ?? document.body).append(said);
  said.textContent = sentence;
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    said.textContent = "";
  }, 6000);
}

// Send every form that has the attribute data-<mark>, and pass it on with the answer.
export function sendForms(mark, answered) {
  const token = document.querySelector("[data-token]")?.dataset.token ?? "";
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(mark in form.dataset)) return;
    event.preventDefault();
    const button = event.submitter;
    if (button?.dataset.confirm && !confirm(button.dataset.confirm)) return;
    const answer = await sendForm(form, button, token);
    if (answer.ok) delete form.dataset.touched;
    await answered(form, answer);
  });
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-key]");
  if (form) form.dataset.touched = "1";
});

// Replace the content of a region, except the forms with a key that are to be kept.
export function replaceContent(region, html, isKept) {
  const forms = [...region.querySelectorAll("form[data-key]")].filter(isKept);
  const kept = new Map(forms.map((form) => [form.dataset.key, form]));
  region.innerHTML = html;
  for (const form of region.querySelectorAll("form[data-key]")) {
    if (kept.has(form.dataset.key)) form.replaceWith(kept.get(form.dataset.key));
  }
}
