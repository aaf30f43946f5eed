// What the keys of screens and notices say. The texts are those of overtrick.control, one language at a time.

// A key, a notice or the head of a screen as a sentence.
export function say(texts, message) {
  if (typeof message === "string") return texts[message] ?? message;
  return texts[message.key].replace(/\{(\w+)\}/g, (_, name) => {
    const figure = message.about[name] || "–";
    return name === "seat" ? texts[`label.seat.${figure}`] : figure;
  });
}
