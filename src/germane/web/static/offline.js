// The judging screen in a single file: documents come from the page itself, answers stay in this browser until they
// are downloaded.

import { byId, element, setText } from "./dom.js";
import { Screen } from "./screen.js";

const bundle = JSON.parse(byId("data-bundle").textContent);
const kept = `germane:bundle:${bundle.bundle}`;

class Bundle {
  constructor() {
    this.lines = [];
    try {
      this.lines = JSON.parse(localStorage.getItem(kept) ?? "[]");
    } catch {
      // Nothing can be kept: the screen says so when the first answer is given.
    }
  }

  async work({ want, seen, holding, answered }) {
    const mine = new Set([...seen, ...holding, ...answered]);
    const put_off = [];
    const open = [];
    for (const task of bundle.tasks) {
      const last = this.last(task.task);
      if (mine.has(task.task) || (last && last.kind !== "later")) continue;
      (last ? put_off : open).push(task);
    }
    return { lost: [], tasks: [...open, ...put_off].slice(0, want) };
  }

  // The last word on a task: what an undo struck does not count.
  last(task) {
    const said = this.lines.filter((line) => line.task === task && line.kind !== "comment");
    const struck = new Set(said.filter((line) => line.kind === "undo").map((line) => line.supersedes));
    return said.filter((line) => line.kind !== "undo" && !struck.has(line.event)).at(-1) ?? null;
  }

  comment(task) {
    return this.lines.filter((line) => line.task === task && line.kind === "comment").at(-1)?.text ?? "";
  }

  async task(id) {
    return bundle.tasks.find((task) => task.task === id);
  }

  async history() {
    return bundle.tasks.map((task) => ({ task, said: this.last(task.task) })).filter(({ said }) => said)
      .sort((a, b) => this.lines.indexOf(b.said) - this.lines.indexOf(a.said))
      .map(({ task, said }) => ({ task: task.task, label: task.label,
        answer: { event: said.event, kind: said.kind, grade: said.grade, comment: this.comment(task.task) } }));
  }

  async send(answers) {
    const known = new Set(this.lines.map((line) => line.event));
    for (const answer of answers) {
      if (known.has(answer.event)) continue;
      const task = bundle.tasks.find((one) => one.task === answer.task);
      this.lines.push({ bundle: bundle.bundle, assessor: bundle.assessor, pool: bundle.pool, ...answer,
        rubric: bundle.rubric, topic: task.raw.topic, doc: task.raw.doc });
    }
    localStorage.setItem(kept, JSON.stringify(this.lines));
    this.count();
    return answers.map(({ event }) => ({ event, status: "stored", extra: false, reason: "" }));
  }

  count() {
    const done = bundle.tasks.filter((task) => this.last(task.task) && this.last(task.task).kind !== "later").length;
    setText(byId("progress"), `${done} of ${bundle.tasks.length} judged`);
    byId("download").disabled = !this.lines.length;
  }

  download() {
    const text = this.lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
    const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    const link = element("a", { href: address, download: `answers-${bundle.bundle}.jsonl` });
    document.body.append(link);
    link.click();
    link.remove();
  }
}

const server = new Bundle();
byId("download").addEventListener("click", () => server.download());
const me = { name: bundle.assessor, project: `bundle:${bundle.bundle}`, rubric: bundle.scale };
const screen = new Screen(server, me);
screen.start().then(() => server.count());
