// Requests of the pages to the server. A failure is never silent: it becomes a message on the page.

const TIMEOUT = 30_000; // milliseconds
const LONGEST_WAIT = 8000; // milliseconds between two attempts

// A request that failed. Its message is a sentence for the director.
export class Failure extends Error {}

// Return the milliseconds to wait before the next attempt: exponential, with a limit.
export const backoff = (attempt) => Math.min(LONGEST_WAIT, 500 * 2 ** attempt);

// Fetch with a timeout; return the answer and its text.
function fetchText(address, options = {}) {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), TIMEOUT);
  options.signal?.addEventListener("abort", () => timeout.abort());
  return fetch(address, { ...options, signal: timeout.signal })
    .then(async (answer) => ({ answer, text: await answer.text() }))
    .finally(() => clearTimeout(timer));
}

// Return a page that contains an element for the selector; throw a Failure for anything else.
export async function fetchPage(address, selector, options) {
  const { answer, text } = await fetchText(address, options).catch(() => {
    throw new Failure("The server does not answer.");
  });
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!answer.ok)
    throw new Failure(page.querySelector(".problem")?.textContent || "The server cannot answer now.");
  if (answer.redirected || !page.querySelector(selector))
    throw new Failure("You are not logged in any more. Reload this page.");
  return page;
}

// Forms that were sent and not answered, with their idempotency id: the server counts a repeated id once.
const unanswered = new Map();

// Send a form; return whether it was accepted, the message for the director, and the page to go to, if any.
export async function sendForm(form, button, token) {
  const body = new FormData(form, button);
  if (!body.get("token")) body.set("token", token);
  const isFile = form.enctype === "multipart/form-data";
  const content = [
    form.action,
    ...[...body].map(([name, value]) => [name, value.name ?? value, value.size]),
  ].join("\n");
  const repeatId =
    unanswered.get(content) ??
    Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
  unanswered.set(content, repeatId);
  body.set("once", repeatId);
  // A disabled button would lose the focus.
  button?.setAttribute("aria-disabled", "true");
  try {
    const { answer, text } = await fetchText(form.action, {
      method: "POST",
      headers: { accept: "application/json" },
      body: isFile ? body : new URLSearchParams(body),
    });
    const { sentence, go } = JSON.parse(text);
    // After a server error it is unknown whether the form was saved, so keep the id for the next attempt.
    if (answer.status < 500) unanswered.delete(content);
    return { ok: answer.ok, sentence, go };
  } catch {
    return {
      ok: false,
      sentence: "The server did not confirm this. Please send it again: it counts only once.",
    };
  } finally {
    button?.removeAttribute("aria-disabled");
  }
}

// Reload the page of a session that was moved to the bin, so that it does not go on showing results.
async function reloadIfGone() {
  const { answer } = await fetchText(location.href, { method: "HEAD" }).catch(() => ({}));
  if (answer?.status === 410) location.reload();
}

// Follow a stream of regions. `received` gets the events, `changed` whether the stream is open. A stream that the
// server has refused or ended is opened again.
export function follow(address, received, changed = () => {}) {
  let attempt = 0;
  let events;
  let due;
  let isOver = false;

  function open() {
    events = new EventSource(address());
    events.addEventListener("regions", received);
    events.addEventListener("open", () => {
      attempt = 0;
      changed(true);
    });
    events.addEventListener("over", () => events.close());
    events.addEventListener("error", () => {
      changed(false);
      // The browser itself reconnects after a lost connection, but not after an error status.
      if (events.readyState !== EventSource.CLOSED || isOver) return;
      reloadIfGone();
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
