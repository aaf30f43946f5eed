// The projector: a clock, and a ranking that scrolls slowly when it is longer than the screen.

const clock = document.getElementById("clock");

function tick() {
  const now = new Date();
  clock.textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  clock.dateTime = now.toISOString();
}
tick();
setInterval(tick, 1000);

const SCREEN = 24; // seconds in which a screen's height goes by
const REST = 5000; // milliseconds at the top and at the end
const HANDS_OFF = 15000; // milliseconds after somebody has scrolled

// Rows change their places while this goes on; where it is depends on nothing but itself.
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
    const went = Math.min(now - before, 100);
    before = now;
    const room = box.scrollHeight - box.clientHeight;
    if (now >= rests) {
      if (room <= 4) {
        position = 0;
      } else if (isAtEnd) {
        isAtEnd = false;
        position = box.scrollTop = 0;
        rests = now + REST;
      } else {
        // Where somebody has left it, or where it was; a browser may round what it is told.
        if (Math.abs(position - box.scrollTop) > 2) position = box.scrollTop;
        position = Math.min(room, position + (box.clientHeight * went) / (SCREEN * 1000));
        box.scrollTop = position;
        if (position >= room - 1) {
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
