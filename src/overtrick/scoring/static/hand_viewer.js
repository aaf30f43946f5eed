// The hand viewer: steps through a recorded play, with declarer's double dummy tricks after each card that could be
// played. It needs no server: the play is in the element's data-play. The page has the play as a table inside the
// element, which browsers without scripts show. Keys: arrows, Home, End. Touch: buttons, cards, or a swipe.

const SEATS = ["N", "E", "S", "W"];
const NAMES = { N: "North", E: "East", S: "South", W: "West" };
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RANKS = "23456789TJQKA";
const SWIPE = 40; // pixels
const LEGEND = "Small figures: declarer's tricks, double dummy, after that card. Bold: the best cards.";

/** The places of viewers, so that a page that renews itself shows the same card again. */
const places = new Map();

/** Return the seat that wins a trick of one to four cards. */
export function winner(leader, cards, trump) {
  const value = (card) =>
    (card[0] === trump ? 200 : card[0] === cards[0][0] ? 100 : 0) + RANKS.indexOf(card[1]);
  let best = 0;
  cards.forEach((card, place) => {
    if (value(card) > value(cards[best])) best = place;
  });
  return SEATS[(SEATS.indexOf(leader) + best) % 4];
}

/** Return the position after a number of cards: hands, trick, whose turn it is, tricks won, and figures. */
export function position(play, step) {
  const declarer = SEATS.indexOf(play.declarer);
  let leader = SEATS[(declarer + 1) % 4];
  let trick = [];
  const gone = new Set();
  const won = { declarer: 0, defenders: 0 };
  for (const card of play.cards.slice(0, step)) {
    if (trick.length === 4) trick = [];
    trick.push(card);
    gone.add(card);
    if (trick.length === 4) {
      const first = winner(leader, trick, play.trump);
      won[(SEATS.indexOf(first) - declarer) % 2 ? "defenders" : "declarer"] += 1;
      leader = first;
    }
  }
  const isBetween = trick.length === 4;
  const shownLeader = isBetween ? lastLeader(play, step) : leader;
  const turn = SEATS[(SEATS.indexOf(leader) + (isBetween ? 0 : trick.length)) % 4];
  return {
    gone,
    won,
    trick: Object.fromEntries(
      trick.map((card, place) => [SEATS[(SEATS.indexOf(shownLeader) + place) % 4], card]),
    ),
    turn: gone.size === 52 ? "" : turn,
    figures: play.figures[step] ?? {},
    next: play.cards[step] ?? "",
  };
}

function lastLeader(play, step) {
  const first = play.cards[step - 4];
  return SEATS.find((seat) => play.hands[seat].includes(first));
}

/** Return the tricks that a card cost the side that played it; 0 if that is not known. */
export function cost(play, step) {
  const figures = play.figures[step];
  const card = play.cards[step];
  if (!figures || !(card in figures)) return 0;
  const seat = SEATS.find((each) => play.hands[each].includes(card));
  const isDeclarer = (SEATS.indexOf(seat) - SEATS.indexOf(play.declarer)) % 2 === 0;
  const values = Object.values(figures);
  return isDeclarer ? Math.max(...values) - figures[card] : figures[card] - Math.min(...values);
}

const rank = (card) => (card[1] === "T" ? "10" : card[1]);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const suit = (card) => element("span", { class: `suit ${card[0].toLowerCase()}` }, SUITS[card[0]]);

class HandViewer extends (globalThis.HTMLElement ?? Object) {
  connectedCallback() {
    this.play = JSON.parse(this.dataset.play);
    this.key = JSON.stringify([this.play.hands, this.play.cards]);
    this.step = places.get(this.key) ?? 0;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = document.querySelector('link[rel="stylesheet"][href$="style.css"]');
    this.view = element("div", { class: "viewer", role: "group", "aria-label": "Play, card by card" });
    root.replaceChildren(...(sheet ? [sheet.cloneNode()] : []), this.view);
    this.view.addEventListener("keydown", (event) => this.onKey(event));
    this.view.addEventListener("touchstart", (event) => {
      this.from = event.touches[0].clientX;
    });
    this.view.addEventListener("touchend", (event) => {
      const moved = event.changedTouches[0].clientX - this.from;
      if (Math.abs(moved) > SWIPE) this.go(this.step + (moved < 0 ? 1 : -1));
    });
    this.build();
    this.draw();
  }

  onKey(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 4, ArrowUp: -4, Home: -52, End: 52 };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.go(this.step + steps[event.key]);
  }

  go(step) {
    this.step = Math.min(this.play.cards.length, Math.max(0, step));
    places.set(this.key, this.step);
    this.draw();
  }

  build() {
    const button = (label, title, step) => {
      const made = element("button", { type: "button", "aria-label": title, title }, label);
      made.addEventListener("click", () => this.go(step()));
      return made;
    };
    this.table = element("div", { class: "table" });
    this.words = element("p", { class: "words", "aria-live": "polite" });
    this.back = [button("|◀", "To the start", () => 0), button("◀", "Card before", () => this.step - 1)];
    this.on = [
      button("▶", "Next card", () => this.step + 1),
      button("▶|", "To the end", () => this.play.cards.length),
    ];
    this.view.replaceChildren(
      this.table,
      this.words,
      element("div", { class: "keys" }, ...this.back, ...this.on),
      ...(this.play.figures.length ? [element("p", { class: "note" }, LEGEND)] : []),
    );
  }

  draw() {
    const now = position(this.play, this.step);
    const isOnCard = this.shadowRoot.activeElement?.classList.contains("card");
    this.table.replaceChildren(
      ...SEATS.map((seat) => this.hand(seat, now)),
      element(
        "div",
        { class: "trick" },
        ...SEATS.map((seat) =>
          element(
            "span",
            { class: `at-${seat}` },
            ...(now.trick[seat] ? [suit(now.trick[seat]), rank(now.trick[seat])] : []),
          ),
        ),
      ),
    );
    this.words.replaceChildren(...this.sentence(now));
    const isEnd = this.step === this.play.cards.length;
    for (const key of this.back) key.disabled = this.step === 0;
    for (const key of this.on) key.disabled = isEnd;
    // The keyboard stays in the viewer when its button is gone or disabled.
    if (isOnCard) (this.table.querySelector("button.card") ?? this.back.at(-1)).focus();
    if (this.shadowRoot.activeElement?.disabled) (isEnd ? this.back : this.on).at(isEnd ? -1 : 0).focus();
  }

  sentence(now) {
    const words = [];
    if (this.step) {
      const card = this.play.cards[this.step - 1];
      const seat = SEATS.find((each) => this.play.hands[each].includes(card));
      const lost = cost(this.play, this.step - 1);
      words.push(`${this.step}. ${NAMES[seat]} `, suit(card), rank(card));
      words.push(lost ? ` cost ${lost} ${lost === 1 ? "trick" : "tricks"}. ` : ". ");
    } else {
      words.push(`${NAMES[now.turn]} leads. `);
    }
    words.push(`Declarer ${now.won.declarer}, defenders ${now.won.defenders}.`);
    return words;
  }

  hand(seat, now) {
    const isTurn = now.turn === seat;
    const rows = Object.keys(SUITS).map((letter) => {
      const cards = this.play.hands[seat].filter((card) => card[0] === letter && !now.gone.has(card));
      return element(
        "div",
        { class: "row" },
        element("span", { class: `suit ${letter.toLowerCase()}` }, SUITS[letter]),
        ...(cards.length ? cards.map((card) => this.card(card, isTurn, now)) : [" –"]),
      );
    });
    const declares = seat === this.play.declarer ? " (declarer)" : "";
    const title = element("strong", {}, `${NAMES[seat]}${declares}`);
    return element("div", { class: `hand at-${seat}${isTurn ? " turn" : ""}` }, title, ...rows);
  }

  card(card, isTurn, now) {
    const figure = isTurn ? now.figures[card] : undefined;
    const isNext = isTurn && card === now.next;
    const values = Object.values(now.figures);
    const isDeclarer = (SEATS.indexOf(now.turn) - SEATS.indexOf(this.play.declarer)) % 2 === 0;
    const best = isDeclarer ? Math.max(...values) : Math.min(...values);
    const classes = `card${isNext ? " next" : ""}${figure === best ? " best" : ""}`;
    if (!isNext) return element("span", { class: classes }, rank(card), ...this.figure(figure));
    const attributes = { type: "button", class: classes, title: "Play this card" };
    const made = element("button", attributes, rank(card), ...this.figure(figure));
    made.addEventListener("click", () => this.go(this.step + 1));
    return made;
  }

  figure(tricks) {
    return tricks === undefined ? [] : [element("sub", {}, String(tricks))];
  }
}

globalThis.customElements?.define("hand-viewer", HandViewer);
