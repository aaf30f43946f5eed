// Search in the list of a published page: shows items that contain every word. Without JavaScript, all are shown.
const field = document.getElementById("find");
const items = [...document.querySelectorAll(".told > li")];
field.closest("form").hidden = false;
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of items) {
    const text = item.textContent.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const part of document.querySelectorAll("main section")) {
    part.hidden = !part.querySelector(".told > li:not([hidden])");
  }
  const count = items.filter((item) => !item.hidden).length;
  document.getElementById("found").textContent = words.length ? `${count} found` : "";
});
field.form.addEventListener("submit", (event) => event.preventDefault());
