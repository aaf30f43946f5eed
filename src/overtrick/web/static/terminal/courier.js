// Carries entries to the server, in order, again and again until each is answered, and news of the table back.

const BATCH = 40;
const AGAIN = 3000; // milliseconds
const PATIENCE = 15_000;
const isForLater = (status) => [401, 403, 408, 425, 429].includes(status) || status >= 500;

// Ask the server; a network that neither answers nor fails is as good as none.
function ask(address, options) {
  const patience = new AbortController();
  const late = setTimeout(() => patience.abort(), PATIENCE);
  return fetch(address, { ...options, signal: patience.signal }).finally(() => clearTimeout(late));
}

export class Courier {
  // `answered` gets the answer to each entry, `told` the news, `changed` is called when the network comes or goes.
  constructor(base, { code, at, unsent, answered, told, changed, refused }) {
    Object.assign(this, {
      base,
      code,
      at,
      unsent,
      answered,
      told,
      changed,
      refused,
      isOnline: true,
      isSending: false,
      events: null,
    });
    setInterval(() => this.isStopped || (this.unsent().length && this.send()), AGAIN);
    addEventListener("online", () => this.connect());
    addEventListener("offline", () => this.noteOnline(false));
  }

  noteOnline(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.changed();
  }

  get headers() {
    return { "content-type": "application/json", accept: "application/json", "x-table-code": this.code() };
  }

  async send() {
    if (this.isSending || this.isStopped) return;
    this.isSending = true;
    try {
      for (let waiting = this.unsent(); waiting.length; waiting = this.unsent()) {
        const entries = waiting.slice(0, BATCH);
        const answer = await ask(`${this.base}/entries`, {
          method: "POST",
          headers: this.headers,
          body: JSON.stringify({ sent: new Date().toISOString(), entries }),
        });
        this.noteOnline(true);
        if (isForLater(answer.status)) break;
        const { answers, sentence } = await answer.json();
        // What cannot even be read is refused, for someone to see, rather than sent for ever.
        this.answered(
          answer.ok ? answers : entries.map(({ id }) => ({ id, reason: "not-allowed", sentence })),
        );
        if (answer.ok && entries.some((entry) => entry.command.kind === "log-on")) await this.look();
      }
    } catch {
      this.noteOnline(false);
    } finally {
      this.isSending = false;
    }
  }

  // Ask whether a PIN is the director's: a permission, `wrong`, `often`, or nothing where the server does not answer.
  async checkPin(pin) {
    try {
      const answer = await ask(`${this.base}/pin`, {
        method: "POST",
        headers: this.headers,
        body: JSON.stringify({ pin }),
      });
      if (answer.status === 403) return { answer: "wrong" };
      if (answer.status === 429) return { answer: "often" };
      return answer.ok ? { permission: (await answer.json()).permission } : {};
    } catch {
      this.noteOnline(false);
      return {};
    }
  }

  // What is known of the table at this moment; whether the code was right.
  async look() {
    const answer = await ask(`${this.base}/table.json?at=${this.at()}`, { headers: this.headers });
    this.noteOnline(true);
    if (answer.status === 403) {
      this.refused();
      return false;
    }
    if (!answer.ok) throw new Error(answer.status); // the server cannot answer now, and is asked again
    this.told(await answer.json());
    return true;
  }

  // Look, send what waits, and follow what happens.
  async connect() {
    if (this.isStopped) return;
    try {
      if (!(await this.look())) return;
    } catch {
      this.noteOnline(false);
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.connect(), AGAIN);
      return;
    }
    this.send();
    this.follow();
  }

  follow() {
    const address = `${this.base}/stream?at=${this.at()}&code=${encodeURIComponent(this.code())}`;
    if (this.events?.address === address && this.events.readyState !== EventSource.CLOSED) return;
    this.events?.close();
    this.events = new EventSource(address);
    this.events.address = address;
    this.events.addEventListener("regions", (event) => this.told(JSON.parse(JSON.parse(event.data).table)));
    this.events.addEventListener("open", () => {
      this.noteOnline(true);
      this.send();
    });
    this.events.addEventListener("error", () => {
      this.noteOnline(false);
      if (this.events?.readyState === EventSource.CLOSED) {
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.connect(), AGAIN);
      }
    });
  }

  stop() {
    this.isStopped = true;
    this.events?.close();
  }
}
