// Requests of the pages to the server. A failure is never silent: it becomes a sentence for whoever looks at the page.

const PATIENCE = 30_000; // milliseconds; a server that neither answers nor fails is as good as none
const SLOWEST = 8000; // milliseconds between two attempts at most

// The server could not be reached, or could not do it; the message is a sentence for the director.
export class Failure extends Error {}

// Return how long to wait before the next attempt: longer each time, but never long.
export const backoff = (attempt) => Math.min(SLOWEST, 500 * 2 ** attempt);

function ask(address, options = {}) {
  const patience = new AbortController();
  const late = setTimeout(() => patience.abort(), PATIENCE);
  options.signal?.addEventListener("abort", () => patience.abort());
  return fetch(address, { ...options, signal: patience.signal })
    .then(async (answer) => ({ answer, text: await answer.text() }))
    .finally(() => clearTimeout(late));
}

// Return a page of ours that has the wanted part; anything else is a Failure.
export async function fetchPage(address, wanted, options) {
  const { answer, text } = await ask(address, options).catch(() => {
    throw new Failure("The desk does not answer.");
  });
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!answer.ok)
    throw new Failure(page.querySelector(".problem")?.textContent || "The desk cannot answer now.");
  if (answer.redirected || !page.querySelector(wanted))
    throw new Failure("The desk asks who you are: open this page again.");
  return page;
}

// What was sent without an answer, with the id under which it counts once.
const unanswered = new Map();

// Send a form; return whether it was done, the sentence that says so, and where to go on.
export async function sendForm(form, button, token) {
  const body = new FormData(form, button);
  if (!body.get("token")) body.set("token", token);
  const isFile = form.enctype === "multipart/form-data";
  const content = [
    form.action,
    ...[...body].map(([name, value]) => [name, value.name ?? value, value.size]),
  ].join("\n");
  const once =
    unanswered.get(content) ??
    Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
  unanswered.set(content, once);
  body.set("once", once);
  if (button) button.disabled = true; // only now: a form does not send a key that cannot be pressed
  try {
    const { answer, text } = await ask(form.action, {
      method: "POST",
      headers: { accept: "application/json" },
      body: isFile ? body : new URLSearchParams(body),
    });
    const { sentence, go } = JSON.parse(text);
    // After an error of the server nobody knows whether it was saved, so the id stays.
    if (answer.status < 500) unanswered.delete(content);
    return { ok: answer.ok, sentence, go };
  } catch {
    return {
      ok: false,
      sentence: "No answer came, so it is not known whether this was saved. Send it again: it counts once.",
    };
  } finally {
    if (button) button.disabled = false;
  }
}

// Follow a stream of regions; a stream that the server has refused or ended is opened again.
export function follow(address, heard, noted = () => {}) {
  let attempt = 0;
  let events;
  let due;
  let isOver = false;

  function open() {
    events = new EventSource(address());
    events.addEventListener("regions", heard);
    events.addEventListener("open", () => {
      attempt = 0;
      noted(true);
    });
    events.addEventListener("over", () => events.close());
    events.addEventListener("error", () => {
      noted(false);
      // A browser itself tries again after a lost connection, but not after an error of the server.
      if (events.readyState !== EventSource.CLOSED || isOver) return;
      due = setTimeout(open, backoff(attempt));
      attempt += 1;
    });
  }

  open();
  addEventListener("pagehide", () => {
    isOver = true;
    clearTimeout(due);
    events.close();
  });
}
