// A page of results fetches itself anew when the session has changed, at most every two seconds.

const session = location.pathname.split("/")[2];
const events = new EventSource(`/results/${session}/follow/version`);
let isFirst = true;
let waiting = null;

async function renew() {
  waiting = null;
  const answer = await fetch(location.href, { cache: "no-cache" });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
}

events.addEventListener("regions", () => {
  if (isFirst) { isFirst = false; return; }
  waiting ??= setTimeout(renew, 300 + Math.random() * 1700);
});
addEventListener("pagehide", () => events.close());
