// The round clock of a page: the server sends a reading and when the next phase begins; in between the page counts
// down.

import { isLoud, ring } from "./sound.js";

const WARNING = [
  [0, 740],
  [0.3, 740],
];
const END = [
  [0, 660, 0.4],
  [0.4, 880, 0.4],
  [0.8, 660, 0.4],
  [1.2, 880, 0.6],
];
let reading = null; // the server's last reading; null if the clock is off
let readAt = 0; // the time of that reading
let lastPhase = ""; // round and phase of that reading, to ring once for each change
let timer; // of the next request

const clock = () => document.querySelector("[data-clock]");

// Fetch the reading and show it; with `sounds`, ring if the phase has changed.
async function fetchReading(sounds) {
  clearTimeout(timer);
  const element = clock();
  if (!element) {
    reading = null;
    lastPhase = "";
    show();
    return;
  }
  let wait = 60;
  try {
    const answer = await fetch(element.dataset.clock);
    if (!answer.ok) throw new Error(answer.status);
    reading = await answer.json();
    readAt = performance.now();
    const phase = `${reading.round} ${reading.phase} ${reading.warning}`;
    if (sounds && lastPhase && phase !== lastPhase && isLoud()) {
      if (reading.phase === "warning") ring(WARNING);
      if (reading.phase === "moving" || reading.phase === "over") ring(END);
    }
    lastPhase = phase;
    // A random delay spreads the requests of many pages.
    if (reading.changes_in !== null) wait = Math.min(wait, reading.changes_in + 0.05 + Math.random() * 0.3);
    show();
  } catch {
    wait = 3;
  }
  clearTimeout(timer);
  timer = setTimeout(() => fetchReading(true), wait * 1000);
}

const PHASE_TEXTS = {
  "not started": () => "",
  playing: (now) => `Round ${now.round} of ${now.rounds}`,
  warning: (now) => `Round ${now.round} of ${now.rounds}`,
  moving: (now) => `Move for round ${now.round + 1}`,
  paused: (now) => `Round ${now.round}, clock paused`,
  over: () => "Time is up",
};

function show() {
  const isPaused = !reading || reading.phase === "paused";
  const left = reading ? Math.max(0, reading.left - (isPaused ? 0 : (performance.now() - readAt) / 1000)) : 0;
  const seconds = Math.ceil(left - 0.001);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  for (const face of document.querySelectorAll("[data-clock], [data-face]")) {
    face.dataset.phase = reading?.phase ?? "";
    face.querySelector(".left").textContent = reading ? text : "–:––";
    face.querySelector(".phase").textContent = reading
      ? PHASE_TEXTS[reading.phase](reading)
      : "The clock is off.";
  }
  for (const late of document.querySelectorAll("[data-late]")) {
    late.textContent = reading?.late.length ? `Late: ${reading.late.join(", ")}` : "";
  }
  for (const table of document.querySelectorAll("[data-at]")) {
    table.classList.toggle("late", Boolean(reading?.late.includes(table.dataset.at)));
  }
  for (const row of document.querySelectorAll(".plan tr[data-round]")) {
    row.classList.toggle("now", Number(row.dataset.round) === reading?.round);
  }
}

setInterval(() => {
  if (reading) show();
}, 250);
let pending;
document.addEventListener("placed", (event) => {
  if (event.detail === "clock") fetchReading(true);
  else if (document.querySelector("[data-late]") && clock()) {
    // A table that has just finished is no longer late; wait a moment, as results come in groups.
    if (!pending)
      pending = setTimeout(() => {
        pending = undefined;
        fetchReading(true);
      }, 700);
  }
});
fetchReading(false);
