// The projector: a clock, and a ranking that scrolls slowly when it is longer than the screen.

const clock = document.getElementById("clock");
const scroller = document.querySelector(".scroller");

function tick() {
  const now = new Date();
  clock.textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  clock.dateTime = now.toISOString();
}
tick();
setInterval(tick, 1000);

const STEP = 0.5;
const REST = 4000;
let rests = performance.now() + REST;

function roll(now) {
  const room = scroller.scrollHeight - scroller.clientHeight;
  if (room > 4 && now > rests) {
    if (scroller.scrollTop >= room - 1) {
      rests = now + REST;
      setTimeout(() => { scroller.scrollTop = 0; rests = performance.now() + REST; }, REST);
    } else {
      position = Math.max(position, scroller.scrollTop) + STEP;
      scroller.scrollTop = position;
    }
  }
  if (scroller.scrollTop === 0) position = 0;
  requestAnimationFrame(roll);
}
let position = 0;
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) requestAnimationFrame(roll);
