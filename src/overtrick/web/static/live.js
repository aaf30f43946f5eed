// The live page on a projector: the time of day, and a ranking that scrolls slowly if it is longer than the screen.

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

if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  for (const box of document.querySelectorAll(".scroller, .coming")) roll(box);
}
