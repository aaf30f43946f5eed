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

const SCREEN = 24; // seconds to scroll by the height of the screen
const REST = 5000; // milliseconds of rest at the top and at the end
const HANDS_OFF = 15000; // milliseconds of rest after somebody has scrolled

// Scroll a box for ever. The position depends on time only, since live updates move the rows meanwhile.
function roll(box) {
  let position = 0;
  let before = performance.now();
  let rests = before + REST;
  let isAtEnd = false;

  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    box.addEventListener(
      kind,
      () => {
        rests = performance.now() + HANDS_OFF;
        isAtEnd = false;
      },
      { passive: true },
    );
  }

  function step(now) {
    const elapsed = Math.min(now - before, 100);
    before = now;
    const distance = box.scrollHeight - box.clientHeight;
    if (now >= rests) {
      if (distance <= 4) {
        position = 0;
      } else if (isAtEnd) {
        isAtEnd = false;
        position = box.scrollTop = 0;
        rests = now + REST;
      } else {
        // Go on from where somebody has scrolled to. A browser may round scrollTop, so ignore small differences.
        if (Math.abs(position - box.scrollTop) > 2) position = box.scrollTop;
        position = Math.min(distance, position + (box.clientHeight * elapsed) / (SCREEN * 1000));
        box.scrollTop = position;
        if (position >= distance - 1) {
          isAtEnd = true;
          rests = now + REST;
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
const fitted = new Map(); // what each box was fitted to

const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

function fit(box) {
  const tables = box.querySelectorAll("table");
  const rows = box.querySelectorAll("tbody tr").length;
  const now = [
    innerWidth,
    innerHeight,
    tables.length,
    rows,
    box.querySelector(".final, .welcome") !== null,
  ].join();
  if (fitted.get(box) === now && !overflows(box)) return;
  fitted.set(box, now);
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
  for (const box of boxes) roll(box);
}
