// The pace on the desk's clock page: fetched every half minute, and soon after a result has come in.

import { fetchPage } from "./request.js";

const EVERY = 30_000; // milliseconds
const SOON = 3000; // milliseconds; results come in groups
const box = document.querySelector("[data-pace]");
const endField = document.getElementById("end-by");
const storageKey = `end ${box.dataset.pace}`;
let due; // the timer of the next request
let isSoon = false; // true if that timer was set after a result
let requests = 0; // the number of requests, so that an older answer does not replace a newer one

async function refresh() {
  isSoon = false;
  clearTimeout(due);
  due = setTimeout(refresh, EVERY);
  requests += 1;
  const request = requests;
  try {
    const page = await fetchPage(`${box.dataset.pace}?end=${encodeURIComponent(endField.value)}`, "#pace");
    if (request === requests) box.replaceChildren(page.querySelector("#pace"));
  } catch (failure) {
    if (request === requests) box.textContent = failure.message;
  }
}

endField.value = sessionStorage.getItem(storageKey) ?? "";
endField.addEventListener("input", () => {
  sessionStorage.setItem(storageKey, endField.value);
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
