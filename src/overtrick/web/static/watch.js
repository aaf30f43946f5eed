// The table page for spectators: counts its clocks on between two live updates.

let received = performance.now();

document.addEventListener("placed", (event) => {
  if (event.detail === "clocks") received = performance.now();
});

setInterval(() => {
  if (document.body.classList.contains("silent")) return;
  const passed = (performance.now() - received) / 1000;
  for (const face of document.querySelectorAll("time[data-since]")) {
    const seconds = Math.floor(Number(face.dataset.since) + passed);
    face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}, 500);
