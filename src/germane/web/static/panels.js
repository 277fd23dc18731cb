// The panels around the document: topic, grades, progress and save state.

import { byId, element, paragraphs, setText } from "./dom.js";

const STATES = {
  saved: () => (document.body.classList.contains("offline") ? "Saved in this browser" : "Saved"),
  saving: () => "Saving…",
  offline: (count) => `Offline: ${counted(count)} saved in this browser`,
  stuck: (count) => `Not sent: ${counted(count)} saved in this browser. Tell the organiser`,
  "signed-out": (count) => `Signed out: ${counted(count)} saved in this browser. Open your link again`,
};

function counted(judgments) {
  return `${judgments} judgment${judgments === 1 ? "" : "s"}`;
}

export class Panels {
  constructor(rubric) {
    this.rubric = rubric;
    this.topic = null;
    // Where there is little room the document comes first; T shows the description.
    if (matchMedia("(max-width: 60rem), (max-height: 34rem)").matches) byId("topic-more").removeAttribute("open");
    this.drawGrades();
  }

  drawGrades() {
    byId("grades").replaceChildren(...this.rubric.grades.map((grade) => element("button",
      { type: "button", class: "grade", "data-action": "grade", "data-grade": grade.value, "aria-pressed": "false",
        "aria-keyshortcuts": grade.key, title: grade.text || grade.label },
      element("kbd", {}, grade.key), element("span", {}, grade.label))));
    const listed = this.rubric.grades.map((grade) => [
      element("dt", {}, element("kbd", {}, grade.key), ` ${grade.label}`),
      element("dd", {}, grade.text, grade.text ? " " : "",
        grade.value === this.rubric.rel ? element("em", {}, "Relevant from this grade up.") : null)]).flat();
    for (const place of document.querySelectorAll("[data-rubric]")) {
      place.replaceChildren(element("dl", { class: "grade-list" }, ...listed.map((node) => node.cloneNode(true))),
        ...paragraphs(this.rubric.text));
    }
  }

  showTopic(topic) {
    if (this.topic === topic.id) return;
    this.topic = topic.id;
    setText(byId("topic-title"), topic.title || topic.id);
    setText(byId("topic-id"), topic.title ? `Topic ${topic.id}` : "Topic");
    byId("topic-text").replaceChildren(...paragraphs(topic.description),
      ...(topic.narrative ? [element("h3", {}, "What is relevant"), ...paragraphs(topic.narrative)] : []));
    byId("topic-more").hidden = !topic.description && !topic.narrative;
    document.body.classList.toggle("no-description", byId("topic-more").hidden);
  }

  showAnswer(entry) {
    const last = entry?.answers.at(-1) ?? null;
    for (const button of byId("grades").children) {
      button.setAttribute("aria-pressed", String(last?.kind === "grade" && Number(button.dataset.grade) === last.grade));
    }
    for (const button of document.querySelectorAll("#bar [data-action=cannot], #bar [data-action=later]")) {
      button.setAttribute("aria-pressed", String(last?.kind === button.dataset.action));
    }
    const note = byId("own-comment");
    note.hidden = !entry?.comment;
    setText(note, entry?.comment ? `Your comment: ${entry.comment}` : "");
    for (const button of byId("bar").querySelectorAll("button")) {
      if (!["undo", "back", "help"].includes(button.dataset.action)) button.disabled = entry === null;
    }
  }

  // `more` were judged since the server counted.
  showProgress(progress, more) {
    const judged = progress.judged + more;
    const parts = [`${judged} of ${Math.max(judged, progress.judged + progress.left)} judged`, `${progress.today + more} today`];
    if (progress.topic === this.topic) parts.unshift(`${Math.max(0, progress.left_in_topic - more)} left in this topic`);
    setText(byId("progress"), parts.join(" · "));
  }

  showState({ state, count, unkept, refused, reason }) {
    const mark = byId("saved");
    mark.dataset.state = state;
    mark.title = reason;
    setText(mark, STATES[state](count));
    byId("unkept").hidden = !unkept;
    byId("refused").hidden = !refused.length;
    byId("refused-list").replaceChildren(...refused.map(({ answer, reason: why }) =>
      element("li", {}, `${answer.kind}${answer.grade === null ? "" : ` ${answer.grade}`}: ${why}`)));
  }

  notice(text) {
    setText(byId("notice"), text);
    byId("notice").classList.toggle("empty", !text);
  }

  announce(text) {
    setText(byId("spoken"), text);
  }
}
