// Follows a page: puts what the server sends where it belongs, and lets the clocks run in between.

const main = document.querySelector("main[data-stream]");
const lamp = document.getElementById("connection");
let received = performance.now();

function say(text) {
  if (lamp && lamp.textContent !== text) lamp.textContent = text;
}

const stream = new EventSource(main.dataset.stream);

stream.addEventListener("open", () => say("live"));

stream.addEventListener("error", () => {
  say(
    stream.readyState === EventSource.CLOSED
      ? "not live: load the page again"
      : "connection lost, trying again",
  );
});

stream.addEventListener("regions", (event) => {
  received = performance.now();
  // All text in it was escaped by the server, and the page's policy lets no script in it run.
  for (const [name, html] of Object.entries(JSON.parse(event.data))) {
    const region = document.getElementById(name);
    if (region) region.innerHTML = html;
  }
});

stream.addEventListener("over", () => {
  stream.close();
  say("the session is over");
  for (const face of document.querySelectorAll("time[data-since]")) delete face.dataset.since;
});

setInterval(() => {
  if (stream.readyState !== EventSource.OPEN) return;
  const passed = (performance.now() - received) / 1000;
  for (const face of document.querySelectorAll("time[data-since]")) {
    const seconds = Math.floor(Number(face.dataset.since) + passed);
    face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}, 500);
