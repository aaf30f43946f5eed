// A results page that reloads its content when the session has changed, every few seconds at most.

import { follow } from "./request.js";

const session = location.pathname.split("/")[2];
let newest = 0; // the session's version by the stream
let waiting = null; // the timer of the next reload

function reloadSoon(least) {
  // A random delay spreads the requests of many pages.
  if (!waiting) waiting = setTimeout(reload, least + Math.random() * 1700);
}

async function reload() {
  waiting = null;
  try {
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [oldMain, newMain] = [document.querySelector("main"), page.querySelector("main")];
    if (oldMain.innerHTML !== newMain.innerHTML) oldMain.replaceWith(newMain);
    // The server renders the pages of a large event only now and then: ask again if this one is too old.
    // It marks a page whose double dummy figures are being computed.
    const isPending = document.querySelector("[data-pending]");
    if (Number(answer.headers.get("x-version")) < newest || isPending) reloadSoon(2000);
  } catch {
    reloadSoon(3000);
  }
}

if (document.querySelector("[data-pending]")) reloadSoon(1000);
follow(
  () => `/results/${session}/follow/version`,
  (event) => {
    newest = Number(JSON.parse(event.data).version);
    reloadSoon(300);
  },
);
