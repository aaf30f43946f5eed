// Texts of keys, notices and headings in one language (overtrick/control/languages).

// Return the text of a key, or of a message with its figures. A figure that is missing is a dash.
export function say(texts, message) {
  if (typeof message === "string") return texts[message] ?? message;
  return texts[message.key].replace(/\{(\w+)\}/g, (_, name) => {
    const figure = message.about[name] || "–";
    return name === "seat" ? texts[`label.seat.${figure}`] : figure;
  });
}
