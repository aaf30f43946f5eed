// The live page on a projector: the time of day, text as large as the screen allows, and a slow scroll if the ranking
// is still longer than the screen.

const clock = document.getElementById("clock");

function tick() {
  const now = new Date();
  clock.textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  clock.dateTime = now.toISOString();
}
tick();
setInterval(tick, 1000);

const SECONDS_A_SCREEN = 24; // seconds to scroll by the height of the screen
const PAUSE = 5000; // milliseconds at the top and at the end
const PAUSE_AFTER_SCROLLING = 15000; // milliseconds after somebody has scrolled

// Scroll a box for ever. The position depends on time only, since live updates move the rows meanwhile.
function scrollSlowly(box) {
  let position = 0;
  let lastFrame = performance.now();
  let pausedUntil = lastFrame + PAUSE;
  let isAtEnd = false;

  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    box.addEventListener(
      kind,
      () => {
        pausedUntil = performance.now() + PAUSE_AFTER_SCROLLING;
        isAtEnd = false;
      },
      { passive: true },
    );
  }

  function step(now) {
    const elapsed = Math.min(now - lastFrame, 100);
    lastFrame = now;
    const distance = box.scrollHeight - box.clientHeight;
    if (now >= pausedUntil) {
      if (distance <= 4) {
        position = 0;
      } else if (isAtEnd) {
        isAtEnd = false;
        position = box.scrollTop = 0;
        pausedUntil = now + PAUSE;
      } else {
        // Go on from where somebody has scrolled to. A browser may round scrollTop, so ignore small differences.
        if (Math.abs(position - box.scrollTop) > 2) position = box.scrollTop;
        position = Math.min(distance, position + (box.clientHeight * elapsed) / (SECONDS_A_SCREEN * 1000));
        box.scrollTop = position;
        if (position >= distance - 1) {
          isAtEnd = true;
          pausedUntil = now + PAUSE;
        }
      }
    }
    requestAnimationFrame(step);
  }
  requestAnimationFrame(step);
}

// Choose the largest text with which everything in a box fits, and spread the rows over its height. A single long
// table may be broken into columns. If even the smallest text does not fit, the box scrolls.
const LARGEST = 2.4; // percent of the width of the window
const SMALLEST = 1.2;
const MOST_SPACE = 0.8; // em above and below the text of a row
const fitted = new Map(); // the window, tables and rows that each box was fitted to

const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

function fit(box) {
  const tables = box.querySelectorAll("table");
  const rows = box.querySelectorAll("tbody tr").length;
  const layout = [
    innerWidth,
    innerHeight,
    tables.length,
    rows,
    box.querySelector(".final, .welcome") !== null,
  ].join();
  if (fitted.get(box) === layout && !overflows(box)) return;
  fitted.set(box, layout);
  const isStacked = getComputedStyle(box).overflowY === "visible"; // a phone, where the page scrolls
  const set = (name, value) => box.style.setProperty(name, value);
  box.style.removeProperty("--fit");
  box.style.removeProperty("--space");
  delete box.dataset.columns;
  if (isStacked) return;
  const unit = innerWidth / 100;
  const sizeFor = (columns) => {
    if (columns > 1) box.dataset.columns = columns;
    else delete box.dataset.columns;
    let [low, high] = [Math.max(16, SMALLEST * unit), Math.max(18, LARGEST * unit)];
    set("--fit", `${high}px`);
    if (!overflows(box)) return high;
    set("--fit", `${low}px`);
    if (overflows(box)) return 0;
    for (let step = 0; step < 5; step += 1) {
      const middle = (low + high) / 2;
      set("--fit", `${middle}px`);
      if (overflows(box)) high = middle;
      else low = middle;
    }
    return low;
  };
  set("--space", "0.25em");
  const choices = tables.length === 1 && box.matches(".scroller") && rows > 12 ? [1, 2, 3] : [1];
  const sizes = choices.map((columns) => [sizeFor(columns), columns]);
  const [size, columns] = sizes.reduce((best, each) => (each[0] > best[0] ? each : best));
  if (columns > 1) box.dataset.columns = columns;
  else delete box.dataset.columns;
  if (!size) {
    set("--fit", `${Math.max(16, SMALLEST * unit)}px`);
    return;
  }
  set("--fit", `${size}px`);
  let [low, high] = [0.25, MOST_SPACE];
  for (let step = 0; step < 5; step += 1) {
    const middle = (low + high) / 2;
    set("--space", `${middle}em`);
    if (overflows(box)) high = middle;
    else low = middle;
  }
  set("--space", `${low}em`);
}

const boxes = [...document.querySelectorAll(".scroller, .coming")];
const fitAll = () => boxes.forEach(fit);
fitAll();
addEventListener("resize", fitAll);
document.addEventListener("placed", fitAll);

if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  for (const box of boxes) scrollSlowly(box);
}
