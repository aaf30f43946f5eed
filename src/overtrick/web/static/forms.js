// Forms that are sent without leaving the page, the message line that shows the answer, and the protection of forms
// that somebody is typing in.

import { sendForm } from "./request.js";

let timer;

// Show a message for six seconds, in the open dialog if there is one.
export function say(sentence) {
  const line = document.getElementById("said");
  (document.querySelector("dialog[open]") ?? document.body).append(line);
  line.textContent = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => {
    line.textContent = "";
  }, 6000);
}

// Send every form that has the attribute data-<mark>; `answered` gets the form and the answer.
export function sendForms(mark, answered) {
  const token = document.querySelector("[data-token]")?.dataset.token ?? "";
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(mark in form.dataset)) return;
    event.preventDefault();
    const button = event.submitter;
    if (button?.ariaDisabled) return; // it is being sent
    if (button?.dataset.confirm && !confirm(button.dataset.confirm)) return;
    const answer = await sendForm(form, button, token);
    await answered(form, answer);
    if (!answer.ok) return;
    delete form.dataset.touched;
    form.dataset.saved = "1";
    form.dispatchEvent(new CustomEvent("saved", { bubbles: true }));
  });
}

// Mark a form that somebody has typed in, so that a live update does not replace it.
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-key]");
  if (!form) return;
  form.dataset.touched = "1";
  delete form.dataset.saved;
});

// Replace the HTML of a region, except the forms with a data-key for which `isKept` is true.
export function replaceContent(region, html, isKept) {
  const forms = [...region.querySelectorAll("form[data-key]")].filter(isKept);
  const kept = new Map(forms.map((form) => [form.dataset.key, form]));
  region.innerHTML = html;
  for (const form of region.querySelectorAll("form[data-key]")) {
    if (kept.has(form.dataset.key)) form.replaceWith(kept.get(form.dataset.key));
  }
}
