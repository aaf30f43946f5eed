// A page of results fetches itself anew when the session has changed, every few seconds at most.

const session = location.pathname.split("/")[2];
const events = new EventSource(`/results/${session}/follow/version`);
let newest = 0;
let waiting = null;

function soon(least) {
  // Not all at the same moment.
  waiting ??= setTimeout(renew, least + Math.random() * 1700);
}

async function renew() {
  waiting = null;
  try {
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, fresh] = [document.querySelector("main"), page.querySelector("main")];
    if (now.innerHTML !== fresh.innerHTML) now.replaceWith(fresh);
    // A large event's pages are made now and then; the newest results may not be in them yet.
    if (Number(answer.headers.get("x-version")) < newest) soon(2000);
  } catch {
    soon(3000);
  }
}

events.addEventListener("regions", (event) => {
  newest = Number(JSON.parse(event.data).version);
  soon(300);
});
addEventListener("pagehide", () => events.close());
