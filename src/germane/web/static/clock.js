// How long somebody looked at a document: only while the page is in sight and somebody is there.

const IDLE = 30000;

export class Clock {
  constructor() {
    this.entry = null; // what is looked at; its `seconds` grow
    this.since = 0;
    this.lastActive = performance.now();
    this.wasHidden = document.hidden;
  }

  // Milliseconds since the last sign of life.
  get idle() {
    return performance.now() - this.lastActive;
  }

  start(entry) {
    this.entry = entry;
    this.since = performance.now();
  }

  stop() {
    this.count();
    this.entry = null;
  }

  count() {
    const now = performance.now();
    const until = Math.min(now, this.lastActive + IDLE);
    if (this.entry && !this.wasHidden && until > this.since) this.entry.seconds += (until - this.since) / 1000;
    this.since = now;
    this.wasHidden = document.hidden;
  }

  active() {
    if (this.idle > IDLE) this.count();
    this.lastActive = performance.now();
  }
}
