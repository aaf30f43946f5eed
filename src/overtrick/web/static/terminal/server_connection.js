// The connection to the server: sends entries in order, repeats them until each is answered, and receives news.
// A network failure never loses an entry: it stays in the outbox of the terminal.

const BATCH = 40; // entries in a request at most
const RETRY = 3000; // milliseconds between attempts
const TIMEOUT = 15_000; // milliseconds
const DELETED = 410; // the status for a session in the bin, which may be restored
const DELETED_RETRY = 10_000; // milliseconds between attempts then
// Return whether a status means that the same entries may be accepted later.
const isForLater = (status) => [401, 403, 408, DELETED, 425, 429].includes(status) || status >= 500;

// Fetch with a timeout: a network that neither answers nor fails counts as a failure.
function ask(address, options) {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), TIMEOUT);
  return fetch(address, { ...options, signal: timeout.signal }).finally(() => clearTimeout(timer));
}

export class ServerConnection {
  // `code`, `at` and `unsent` return the table's code, the phone's table and the entries to send. `answered` gets the
  // answers to entries, `updated` the news; `changed` is called when the network comes or goes, `refused` when the
  // server wants another code, `deleted` when the session is in the bin.
  constructor(base, { code, at, unsent, answered, updated, changed, refused, deleted }) {
    Object.assign(this, {
      base,
      code,
      at,
      unsent,
      answered,
      updated,
      changed,
      refused,
      deleted,
      isOnline: true,
      interruptions: 0, // how often the browser has said that the network is gone
      isSending: false,
      events: null,
    });
    setInterval(() => this.isStopped || (this.unsent().length && this.send()), RETRY);
    addEventListener("online", () => this.connect());
    addEventListener("offline", () => this.interrupt());
  }

  // The network is gone. Close the stream: it may still report that it was opened, and may never report its end. Try
  // again all the same, because a server on this computer answers without a network.
  interrupt() {
    this.interruptions += 1;
    this.events?.close();
    this.events = null;
    this.noteOnline(false);
    this.connectLater();
  }

  connectLater() {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), RETRY);
  }

  noteOnline(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.changed();
  }

  get headers() {
    return { "content-type": "application/json", accept: "application/json", "x-table-code": this.code() };
  }

  // Send the outbox in batches until it is empty or the server does not answer.
  async send() {
    if (this.isSending || this.isStopped) return;
    this.isSending = true;
    try {
      for (let waiting = this.unsent(); waiting.length; waiting = this.unsent()) {
        const entries = waiting.slice(0, BATCH);
        const { interruptions } = this;
        const answer = await ask(`${this.base}/entries`, {
          method: "POST",
          headers: this.headers,
          body: JSON.stringify({ sent: new Date().toISOString(), entries }),
        });
        this.noteOnline(interruptions === this.interruptions); // else the answer is older than the interruption
        if (isForLater(answer.status)) break;
        const { answers, sentence } = await answer.json();
        // A request that the server cannot read counts as refused, so that the players see it; a retry would not help.
        this.answered(
          answer.ok ? answers : entries.map(({ id }) => ({ id, reason: "not-allowed", sentence })),
        );
        if (answer.ok && entries.some((entry) => entry.command.kind === "log-on")) await this.fetchNews();
      }
    } catch {
      this.noteOnline(false);
    } finally {
      this.isSending = false;
    }
  }

  // Ask the server whether a PIN is the director's; return its permission, `wrong`, `often` (too many attempts), or an
  // empty object if the server does not answer.
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

  // Fetch the news of the table; return whether the code is right. Throw an error if the server cannot answer.
  async fetchNews() {
    const { interruptions } = this;
    const answer = await ask(`${this.base}/table.json?at=${this.at()}`, { headers: this.headers });
    this.noteOnline(interruptions === this.interruptions);
    if (answer.status === 403) {
      this.refused();
      return false;
    }
    if (answer.status === DELETED) {
      this.events?.close();
      this.deleted();
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.connect(), DELETED_RETRY);
      return false;
    }
    if (!answer.ok) throw new Error(answer.status); // connect tries again
    this.updated(await answer.json());
    return true;
  }

  // Fetch the news, send the outbox, and open the stream; try again later if the server does not answer.
  async connect() {
    if (this.isStopped) return;
    try {
      if (!(await this.fetchNews())) return;
    } catch {
      this.noteOnline(false);
      this.connectLater();
      return;
    }
    this.send();
    this.follow();
  }

  // Open the stream of news, unless it is open for this table and code.
  follow() {
    const address = `${this.base}/stream?at=${this.at()}&code=${encodeURIComponent(this.code())}`;
    if (this.events?.address === address && this.events.readyState !== EventSource.CLOSED) return;
    this.events?.close();
    this.events = new EventSource(address);
    this.events.address = address;
    this.events.addEventListener("regions", (event) =>
      this.updated(JSON.parse(JSON.parse(event.data).table)),
    );
    this.events.addEventListener("open", () => {
      this.noteOnline(true);
      this.send();
    });
    this.events.addEventListener("error", () => {
      this.noteOnline(false);
      if (this.events?.readyState === EventSource.CLOSED) this.connectLater();
    });
  }

  stop() {
    this.isStopped = true;
    this.events?.close();
  }
}
