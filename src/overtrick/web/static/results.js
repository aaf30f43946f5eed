// A page of results fetches itself anew when the session has changed, every few seconds at most.

import { follow } from "./request.js";

const session = location.pathname.split("/")[2];
let newest = 0;
let waiting = null;

function soon(least) {
  // Not all at the same moment.
  if (!waiting) waiting = setTimeout(renew, least + Math.random() * 1700);
}

async function renew() {
  waiting = null;
  try {
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, fresh] = [document.querySelector("main"), page.querySelector("main")];
    if (now.innerHTML !== fresh.innerHTML) now.replaceWith(fresh);
    // A large event's pages are made now and then; the newest results may not be in them yet.
    if (Number(answer.headers.get("x-version")) < newest) soon(2000);
  } catch {
    soon(3000);
  }
}

follow(
  () => `/results/${session}/follow/version`,
  (event) => {
    newest = Number(JSON.parse(event.data).version);
    soon(300);
  },
);
