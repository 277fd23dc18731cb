// The judging screen: a trail of documents seen, the one shown, and a few to come, ready to be shown at once.

import { Clock } from "./clock.js";
import { askFor, onDialogs } from "./dialogs.js";
import { byId, setText } from "./dom.js";
import { Guard } from "./guard.js";
import { matcherOf, termsOf } from "./highlight.js";
import { actionOf } from "./keys.js";
import { Outbox, newId } from "./outbox.js";
import { Panels } from "./panels.js";
import { DocumentView } from "./view.js";

const AHEAD = 5;
const KEPT_VIEWS = 25;
const HEARTBEAT = 20000;
const AWAY = 600000;
// Actions that change something: one slip of a finger must not run them twice.
const GUARDED = new Set(["grade", "cannot", "later", "undo"]);

export class Screen {
  constructor(server, me) {
    this.server = server;
    this.me = me;
    this.grades = me.rubric.grades;
    this.trail = []; // documents shown, oldest first
    this.at = -1; // which of them is on the screen; -1 is none
    this.queue = []; // documents to come
    this.said = []; // answers that can be undone, oldest first
    this.ownTerms = new Map(); // by topic
    this.finished = false;
    this.inOthersHands = 0; // documents that may come back, where nothing else is left
    this.asking = false;
    this.askAgain = false;
    this.clock = new Clock();
    this.guard = new Guard();
    this.keyAt = null; // when the key was pressed that the next document answers
    this.judgedHere = 0;
    this.progress = null;
    this.stage = byId("stage");
    this.panels = new Panels(me.rubric);
    this.outbox = new Outbox(`${me.project}:${me.name}`, (answers) => server.send(answers), (now) => this.saving(now),
      (answer, receipt) => this.received(answer, receipt));
  }

  get current() {
    return this.trail[this.at] ?? null;
  }

  async start() {
    this.listen();
    this.outbox.flush();
    await this.recall();
    await this.ask({ progress: true });
    setInterval(() => this.beat(), HEARTBEAT);
  }

  // Load judgments given before this page was opened, so that one can go back to them.
  async recall() {
    try {
      for (const one of (await this.server.history()).reverse()) {
        this.trail.push({ task: one.task, label: one.label, topic: null, view: null, answers: [one.answer],
          comment: one.answer.comment, seconds: 0 });
        this.said.push({ task: one.task, event: one.answer.event });
      }
    } catch {
      // Without the network there is nothing to go back to yet.
    }
    this.at = this.trail.length;
    this.waitingForNext = true;
  }

  // ---- what comes next

  // `keep` renews what is only prefetched, too; it need not be done with every document.
  async ask({ progress = false, keep = false } = {}) {
    if (this.asking) {
      this.askAgain = true;
      return;
    }
    this.asking = true;
    const shown = this.current;
    const answered = this.outbox.waiting().map((answer) => answer.task);
    const isOpen = shown && !this.isAnswered(shown);
    const wanted = {
      seen: isOpen && !answered.includes(shown.task) ? [shown.task] : [],
      holding: this.queue.map((entry) => entry.task),
      answered: [...new Set(answered)].slice(0, 60),
      want: Math.max(0, AHEAD - this.queue.length),
      progress,
      keep,
    };
    try {
      const found = await this.server.work(wanted);
      this.drop(found.lost, shown);
      for (const task of found.tasks) this.enqueue(task);
      if (found.progress) this.progress = { ...found.progress, since: this.judgedHere };
      this.finished = wanted.want > 0 && !found.tasks.length && !this.queue.length;
      this.inOthersHands = found.in_others_hands ?? 0;
      this.unreachable = null;
    } catch (error) {
      this.unreachable = error;
      if (error.status === 401) this.outbox.flush();
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.ask(), 3000);
    }
    this.asking = false;
    if (this.waitingForNext) this.forward();
    this.showProgress();
    if (this.askAgain) {
      this.askAgain = false;
      this.ask();
    }
  }

  enqueue(task) {
    const isKnown = (entry) => entry.task === task.task;
    if (this.queue.some(isKnown) || this.outbox.waiting().some((answer) => answer.task === task.task)) return;
    // A document on screen without a judgment must not be queued again; a skipped or withdrawn one may.
    if (this.trail.some((entry) => isKnown(entry) && !entry.answers.length && entry === this.current)) return;
    const entry = { ...task, answers: task.answer ? [task.answer] : [], comment: task.answer?.comment ?? "", seconds: 0 };
    this.build(entry);
    this.queue.push(entry);
  }

  build(entry) {
    entry.view = new DocumentView(entry.document, entry.label, this.matcherFor(entry.topic), (inner) => this.listenTo(inner));
    this.stage.append(entry.view.root);
  }

  matcherFor(topic) {
    return matcherOf(termsOf(`${this.ownTerms.get(topic.id) ?? ""} ${topic.title} ${topic.description}`));
  }

  drop(lost, shown) {
    const gone = new Set(lost);
    for (const entry of this.queue.filter((one) => gone.has(one.task))) entry.view.root.remove();
    this.queue = this.queue.filter((entry) => !gone.has(entry.task));
    if (shown && gone.has(shown.task) && shown === this.current) {
      this.panels.notice("Enough other assessors have this document now. You can still grade it; it counts as an extra judgment.");
    }
  }

  showProgress() {
    if (this.progress) this.panels.showProgress(this.progress, this.judgedHere - this.progress.since);
  }

  saving(now) {
    this.panels.showState(now);
    // What was waiting for an acknowledgement may have made room for more.
    if (now.state === "saved" && this.waitingForNext && !this.asking) this.ask();
  }

  isAnswered(entry) {
    return entry.answers.length > 0;
  }

  // ---- moving

  forward() {
    const isLast = this.at >= this.trail.length - 1;
    if (!isLast) return this.show(this.at + 1);
    if (!this.queue.length) return this.showNothing();
    this.trail.push(this.queue.shift());
    return this.show(this.trail.length - 1);
  }

  back() {
    const from = this.waitingForNext ? this.trail.length : this.at;
    if (from > 0) this.show(from - 1);
    else this.panels.notice("This is the first document.");
  }

  async show(place) {
    this.leave();
    this.waitingForNext = false;
    this.at = place;
    document.documentElement.dataset.done = "false";
    const entry = this.current;
    if (!entry.view) {
      if (!(await this.fetchAgain(entry)) || this.current !== entry) return;
    }
    byId("nothing").hidden = true;
    entry.view.root.hidden = false;
    this.guard.shown();
    this.clock.start(entry);
    this.hit = -1;
    this.stage.scrollTop = 0;
    this.panels.showTopic(entry.topic);
    this.panels.showAnswer(entry);
    this.panels.notice("");
    this.stage.focus({ preventScroll: true });
    document.documentElement.dataset.task = entry.task;
    if (this.keyAt !== null) measure(this.keyAt);
    this.keyAt = null;
    this.forgetOldViews();
    setTimeout(() => this.ask(), 0);
  }

  leave() {
    const entry = this.current;
    if (entry?.view) {
      this.clock.stop();
      entry.view.root.hidden = true;
    }
  }

  async fetchAgain(entry) {
    byId("nothing").hidden = false;
    setText(byId("nothing-text"), "Loading the document…");
    try {
      const found = await this.server.task(entry.task);
      Object.assign(entry, { topic: found.topic, label: found.label, document: found.document });
      this.build(entry);
      return true;
    } catch (error) {
      setText(byId("nothing-text"), `Could not load the document: ${error.message}`);
      return false;
    }
  }

  forgetOldViews() {
    this.trail.forEach((entry, place) => {
      if (entry.view && Math.abs(place - this.at) > KEPT_VIEWS) {
        entry.view.root.remove();
        entry.view = null;
        entry.document = null;
      }
    });
  }

  showNothing() {
    this.leave();
    this.at = this.trail.length;
    this.waitingForNext = true;
    delete document.documentElement.dataset.task;
    byId("nothing").hidden = false;
    const waits = this.outbox.waiting().length;
    let text = "Loading the next document…";
    if (this.unreachable) {
      text = `Cannot reach the server. ${waits ? `${waits} judgments are saved in this browser and will be sent when it is back. ` : ""}Keep this page open.`;
    } else if (this.finished && !waits) {
      text = this.inOthersHands ? "Other assessors are working on the rest. Check back in a few minutes." : "All done. Thank you!";
    }
    setText(byId("nothing-text"), text);
    document.documentElement.dataset.done = String(this.finished && !waits && !this.unreachable);
    this.panels.notice("");
    this.panels.showAnswer(null);
  }

  // ---- answering

  answer(kind, { grade = null, text = "", supersedes = null } = {}) {
    const entry = this.current;
    if (!entry?.view || this.waitingForNext) return;
    if (kind === "grade" && entry.document.kind === "missing") {
      this.panels.notice("No document to grade. Press X for “cannot judge” or L to skip.");
      return;
    }
    this.clock.count();
    const event = this.record(entry.task, kind, { grade, text, supersedes, seconds: entry.seconds });
    if (kind === "comment") {
      entry.comment = text;
      this.panels.showAnswer(entry);
      return;
    }
    const earlier = entry.answers.findLast((one) => one.kind !== "later");
    const first = !earlier;
    entry.answers.push({ event, kind, grade });
    this.said.push({ task: entry.task, event });
    if (first && kind !== "later") this.judgedHere += 1;
    this.panels.announce(kind === "grade" ? `Graded ${this.labelOf(grade)}.` : kind === "later" ? "Skipped." : "Marked as cannot judge.");
    const moved = Promise.resolve(this.forward());
    if (earlier && kind !== "later") {
      const change = `${this.wordFor(earlier)} → ${this.wordFor({ kind, grade })}`;
      moved.then(() => this.panels.notice(`This replaced your earlier judgment of ${entry.label}: ${change}. Press U to undo.`));
    }
    this.showProgress();
  }

  // The judgment replaced one given in another browser, which this window does not know.
  received(answer, receipt) {
    const given = this.trail.find((entry) => entry.answers.some((one) => one.event === answer.event));
    const isKnown = (event) => this.trail.some((entry) => entry.answers.some((one) => one.event === event));
    if (!given || !receipt.replaces || isKnown(receipt.replaces)) return;
    this.panels.notice(`Your judgment of ${given.label} replaced one you gave in another browser. Press U to undo.`);
  }

  wordFor({ kind, grade }) {
    return kind === "grade" ? this.labelOf(grade) : "cannot judge";
  }

  record(task, kind, { grade = null, text = "", supersedes = null, seconds = null } = {}) {
    const event = newId();
    this.outbox.add({ event, task, kind, grade, rubric: this.me.rubric.version, supersedes, text,
      time: new Date().toISOString(), seconds: seconds === null ? null : Math.round(seconds * 10) / 10 });
    return event;
  }

  undo() {
    const last = this.said.pop();
    if (!last) {
      this.panels.notice("Nothing to undo.");
      return;
    }
    this.record(last.task, "undo", { supersedes: last.event });
    let place = this.trail.findLastIndex((entry) => entry.task === last.task);
    const queued = this.queue.findIndex((entry) => entry.task === last.task);
    if (queued >= 0) this.queue.splice(queued, 1)[0].view.root.remove();
    if (place < 0) place = this.at;
    const entry = this.trail[place];
    const isJudged = () => entry.answers.some((one) => one.kind !== "later");
    const wasJudged = isJudged();
    entry.answers = entry.answers.filter((one) => one.event !== last.event);
    if (wasJudged && !isJudged()) this.judgedHere -= 1;
    this.show(place).then(() => this.panels.notice("Judgment withdrawn. Grade again, or press → to continue."));
    this.panels.announce("Undone.");
    this.showProgress();
  }

  labelOf(grade) {
    return this.grades.find((one) => one.value === grade)?.label ?? String(grade);
  }

  beat() {
    if (!document.hidden && this.clock.idle < AWAY) this.ask({ progress: true, keep: true });
  }

  // ---- listening

  listen() {
    this.listenTo(document);
    document.addEventListener("click", (event) => {
      const button = event.target.closest?.("[data-action]");
      if (!button) return;
      const { action } = button.dataset;
      if (this.isSlip(event, action)) return;
      this.act(action === "grade" ? { action, grade: Number(button.dataset.grade) } : { action });
      if (button.closest("#bar, article")) this.stage.focus({ preventScroll: true });
    });
    document.addEventListener("visibilitychange", () => {
      this.clock.count();
      if (!document.hidden) this.ask({ keep: true });
    });
    addEventListener("storage", (event) => this.hear(event));
    addEventListener("beforeunload", (event) => {
      if (this.outbox.unkept.size) event.preventDefault();
    });
    onDialogs({
      comment: (text) => text !== this.current?.comment && this.answer("comment", { text }),
      find: (text) => this.find(text),
      closed: () => this.stage.focus({ preventScroll: true }),
    });
  }

  // Listen to keys in the page and in the document frame alike.
  listenTo(target) {
    target.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointermove", "pointerdown", "wheel", "scroll"]) {
      target.addEventListener(kind, () => this.clock.active(), { passive: true, capture: true });
    }
  }

  key(event) {
    this.clock.active();
    const open = document.querySelector("dialog[open]");
    if (open) {
      if (event.key === "?" && open.id === "help") open.close();
      return;
    }
    const found = actionOf(event, this.grades);
    if (!found) return;
    event.preventDefault();
    if (this.isSlip(event, found.action)) return;
    if (found.action === "grade" && this.current) this.keyAt = event.timeStamp;
    this.act(found);
  }

  isSlip(event, action) {
    if (!GUARDED.has(action) || !this.guard.isSlip(event)) return false;
    this.panels.notice(`Ignored the second ${event.type === "keydown" ? "key press" : "click"}: it came too fast to be meant for this document.`);
    return true;
  }

  act({ action, grade, pages }) {
    const scroll = (to) => this.stage.scrollTo({ top: to, behavior: "instant" });
    const actions = {
      grade: () => this.answer("grade", { grade }),
      cannot: () => this.answer("cannot"),
      later: () => this.answer("later"),
      undo: () => this.undo(),
      back: () => this.back(),
      forward: () => (this.at < this.trail.length - 1 || this.current?.answers.length) && this.forward(),
      comment: () => this.current?.view && askFor("comment", this.current.comment),
      excerpt: () => this.toggleExcerpt(),
      hit: () => this.nextHit(1),
      "hit-before": () => this.nextHit(-1),
      find: () => this.current?.view && askFor("find", this.ownTerms.get(this.current.topic.id) ?? ""),
      topic: () => byId("topic-more").toggleAttribute("open"),
      help: () => byId("help").showModal(),
      close: () => document.querySelector("dialog[open]")?.close(),
      "dismiss-refused": () => this.outbox.dismissRefused(),
      scroll: () => scroll(this.stage.scrollTop + pages * this.stage.clientHeight),
      start: () => scroll(0),
      end: () => scroll(this.stage.scrollHeight),
    };
    actions[action]?.();
  }

  // Another window of the same person has answered something.
  hear(event) {
    if (!event.key?.startsWith(this.outbox.prefix) || event.newValue === null) return;
    const answer = JSON.parse(event.newValue);
    if (answer.kind === "comment" || answer.kind === "undo") return;
    const queued = this.queue.findIndex((entry) => entry.task === answer.task);
    if (queued >= 0) this.queue.splice(queued, 1)[0].view.root.remove();
    const seen = this.trail.find((entry) => entry.task === answer.task);
    if (seen) {
      seen.answers.push({ event: answer.event, kind: answer.kind, grade: answer.grade });
      if (seen === this.current) {
        this.panels.showAnswer(seen);
        this.panels.notice("You judged this in another window. Grade again to change it, or press → to continue.");
      }
    }
    this.ask();
  }

  find(text) {
    const { topic } = this.current;
    this.ownTerms.set(topic.id, text);
    for (const entry of [...this.trail, ...this.queue]) {
      if (entry.view && entry.topic.id === topic.id) entry.view.remark(this.matcherFor(topic));
    }
    this.hit = -1;
    this.nextHit(1);
  }

  toggleExcerpt() {
    const view = this.current?.view;
    if (!view) return;
    if (!view.canToggle) this.panels.notice("This is already the whole document.");
    view.toggle();
    this.hit = -1;
  }

  nextHit(step) {
    const marks = this.current?.view?.marks() ?? [];
    if (!marks.length) {
      this.panels.notice("No query word occurs here.");
      return;
    }
    marks[this.hit]?.classList.remove("here");
    const next = this.hit + step;
    this.hit = this.hit < 0 && step < 0 ? marks.length - 1 : (next + marks.length) % marks.length;
    marks[this.hit].classList.add("here");
    marks[this.hit].scrollIntoView({ block: "center", behavior: "instant" });
    this.panels.notice(`${this.hit + 1} of ${marks.length} highlighted words`);
  }
}

// From the key to the frame in which the next document is on the screen.
function measure(start) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.measure("key-to-next-document", { start, end: performance.now() });
    channel.port2.postMessage(null);
  });
}
