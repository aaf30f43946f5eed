// The pace on the desk's clock page: fetched every half minute, and soon after a result has come in.

import { fetchPage } from "./request.js";

const EVERY = 30_000; // milliseconds
const SOON = 3000; // milliseconds; results come in groups
const box = document.querySelector("[data-pace]");
const by = document.getElementById("end-by");
const kept = `end ${box.dataset.pace}`;
let due; // the timer of the next request
let isSoon = false; // true if that timer was set after a result
let asked = 0; // the number of requests, so that an older answer does not replace a newer one

async function refresh() {
  isSoon = false;
  clearTimeout(due);
  due = setTimeout(refresh, EVERY);
  asked += 1;
  const mine = asked;
  try {
    const page = await fetchPage(`${box.dataset.pace}?end=${encodeURIComponent(by.value)}`, "#pace");
    if (mine === asked) box.replaceChildren(page.querySelector("#pace"));
  } catch (failure) {
    if (mine === asked) box.textContent = failure.message;
  }
}

by.value = sessionStorage.getItem(kept) ?? "";
by.addEventListener("input", () => {
  sessionStorage.setItem(kept, by.value);
  refresh();
});
document.addEventListener("placed", (event) => {
  // Every result changes the line in the header; the clock's keys change the schedule.
  if (!["line", "clock-keys"].includes(event.detail) || isSoon) return;
  isSoon = true;
  clearTimeout(due);
  due = setTimeout(refresh, SOON);
});
refresh();
