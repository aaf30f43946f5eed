// What was entered and not yet answered: kept on the device (IndexedDB), sent in order, again and again, until it is.

function opened() {
  return new Promise((resolve, reject) => {
    const asking = indexedDB.open("overtrick", 1);
    asking.onupgradeneeded = () => {
      asking.result.createObjectStore("entries", { keyPath: "number", autoIncrement: true });
      asking.result.createObjectStore("tables");
    };
    asking.onsuccess = () => resolve(asking.result);
    asking.onerror = () => reject(asking.error);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export class Outbox {
  constructor(place, code, changed, refused) {
    Object.assign(this, { place, code, changed, refused, waiting: [], isSending: false, isOnline: true });
  }

  async open() {
    this.database = await opened();
    const everything = await done(this.database.transaction("entries").objectStore("entries").getAll());
    this.waiting = everything.filter((entry) => entry.place === this.place);
    setInterval(() => this.send(), 3000);
    addEventListener("online", () => this.send());
    this.send();
  }

  async keep(entry) {
    const kept = { ...entry, id: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`, place: this.place };
    const change = this.database.transaction("entries", "readwrite");
    kept.number = await done(change.objectStore("entries").add(kept));
    this.waiting.push(kept);
    this.changed();
    this.send();
    return kept;
  }

  async send() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.waiting.length) {
        const entry = this.waiting[0];
        const answer = await fetch(`${this.place}/entries`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-table-code": this.code() },
          body: JSON.stringify(entry),
        });
        this.isOnline = true;
        const isFinal = answer.ok || (answer.status >= 400 && answer.status < 500 && ![401, 403, 408, 429].includes(answer.status));
        if (!isFinal) break;
        const { sentence } = await answer.json();
        await done(this.database.transaction("entries", "readwrite").objectStore("entries").delete(entry.number));
        this.waiting.shift();
        if (!answer.ok) this.refused(entry, sentence);
        this.changed();
      }
    } catch {
      this.isOnline = false;
    } finally {
      this.isSending = false;
      this.changed();
    }
  }

  async remember(table) {
    await done(this.database.transaction("tables", "readwrite").objectStore("tables").put(table, this.place));
  }

  remembered() {
    return done(this.database.transaction("tables").objectStore("tables").get(this.place));
  }
}
