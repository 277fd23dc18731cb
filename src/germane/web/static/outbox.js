// Answers on their way: in the browser's storage from the moment they are given until the server says it has them.
// All windows of a person share the storage, so whichever is open sends them all; sending one twice does no harm.

const BATCH = 50;
const WAITS = [1000, 2000, 5000, 10000, 15000];

export class Outbox {
  // `send(answers)` gives receipts or throws; `changed(state)` hears of every change, `received` of every receipt.
  constructor(name, send, changed, received) {
    this.prefix = `germane:${name}:answer:`;
    this.refusedPrefix = `germane:${name}:refused:`;
    this.countKey = `germane:${name}:count`;
    this.lockName = `germane:${name}`;
    this.send = send;
    this.changed = changed;
    this.received = received;
    this.unkept = new Map(); // answers that the storage would not take
    this.state = "saved";
    this.reason = "";
    this.sending = false;
    this.failures = 0;
    this.timer = null;
    addEventListener("online", () => this.flush());
    addEventListener("storage", (event) => {
      if (event.key?.startsWith(this.prefix)) this.tell();
    });
  }

  add(answer) {
    const last = Number(localStorage.getItem(this.countKey) ?? 0);
    const place = Math.max(last + 1, Date.now());
    const key = `${this.prefix}${String(place).padStart(16, "0")}:${answer.event}`;
    try {
      localStorage.setItem(this.countKey, String(place));
      localStorage.setItem(key, JSON.stringify(answer));
    } catch {
      this.unkept.set(key, answer);
    }
    this.tell();
    // After the next document is drawn: saving must not be felt.
    setTimeout(() => this.flush(), 0);
  }

  // The keys of what waits, in the order in which it was answered.
  keys() {
    const found = [...this.unkept.keys()];
    for (let at = 0; at < localStorage.length; at += 1) {
      const key = localStorage.key(at);
      if (key.startsWith(this.prefix)) found.push(key);
    }
    return found.sort();
  }

  waiting() {
    return this.keys().map((key) => this.read(key)).filter((answer) => answer !== null);
  }

  read(key) {
    if (this.unkept.has(key)) return this.unkept.get(key);
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  forget(key) {
    this.unkept.delete(key);
    localStorage.removeItem(key);
  }

  refused() {
    const found = [];
    for (let at = 0; at < localStorage.length; at += 1) {
      const key = localStorage.key(at);
      if (key.startsWith(this.refusedPrefix)) found.push({ key, ...JSON.parse(localStorage.getItem(key)) });
    }
    return found;
  }

  dismissRefused() {
    for (const { key } of this.refused()) localStorage.removeItem(key);
    this.tell();
  }

  async flush() {
    if (this.sending) {
      this.again = true;
      return;
    }
    this.sending = true;
    clearTimeout(this.timer);
    try {
      // One window at a time, so that the order of answers is kept.
      if (navigator.locks) await navigator.locks.request(this.lockName, () => this.sendAll());
      else await this.sendAll();
      this.failures = 0;
      this.state = "saved";
      this.reason = "";
    } catch (error) {
      this.state = stateAfter(error.status);
      this.reason = error.message;
      this.timer = setTimeout(() => this.flush(), WAITS[Math.min(this.failures, WAITS.length - 1)]);
      this.failures += 1;
    }
    this.sending = false;
    this.tell();
    if (this.again) {
      this.again = false;
      if (this.state === "saved") this.flush();
    }
  }

  async sendAll() {
    for (let keys = this.keys(); keys.length; keys = this.keys()) {
      const batch = [];
      for (const key of keys.slice(0, BATCH)) {
        const answer = this.read(key);
        if (answer === null) this.forget(key);
        else batch.push([key, answer]);
      }
      if (!batch.length) continue;
      if (this.state === "saved") this.state = "saving";
      this.tell();
      const receipts = await this.send(batch.map(([, answer]) => answer));
      const byEvent = new Map(receipts.map((receipt) => [receipt.event, receipt]));
      let settled = 0;
      for (const [key, answer] of batch) {
        const receipt = byEvent.get(answer.event);
        if (!receipt) continue;
        if (receipt.status === "refused") {
          const kept = JSON.stringify({ answer, reason: receipt.reason });
          // In the place of the answer itself, so that a full storage has room for it.
          this.forget(key);
          localStorage.setItem(`${this.refusedPrefix}${answer.event}`, kept);
        }
        this.forget(key);
        this.received(answer, receipt);
        settled += 1;
      }
      if (!settled) throw new Error("the server did not acknowledge");
    }
  }

  tell() {
    const count = this.keys().length;
    const state = count && this.state === "saved" ? "saving" : this.state;
    this.changed({ state: count || state !== "saving" ? state : "saved", count, unkept: this.unkept.size,
      refused: this.refused(), reason: this.reason });
  }
}

function stateAfter(status) {
  if (status === 401 || status === 409) return "signed-out";
  return status >= 400 && status < 500 && status !== 429 ? "stuck" : "offline";
}

// A uuid, also where the page is not on a secure address.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
