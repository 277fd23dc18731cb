// Query texts, where they were given: queries go by their ids otherwise.
import { el, shortened } from "./dom.js";
import { NOTHING } from "./format.js";

const SHOWN_CHARACTERS = 300; // characters of a question in a table or beside a pointer; an open query shows them all

/** The title of a query's question, or null. */
export function titleOf(report, q) {
  return report.questions?.[q]?.title ?? null;
}

/** A query in one line, for places that take nothing but text. */
export function queryInWords(report, q) {
  const title = titleOf(report, q);
  return shortened(title === null ? report.queries[q] : `${report.queries[q]}: ${title}`);
}

/** What a row of a figure says of its question: nothing, where no questions were given. */
export function questionOf(report, q) {
  return report.questions ? { question: shortened(titleOf(report, q) ?? NOTHING, SHOWN_CHARACTERS) } : {};
}

/** The column of questions for a table whose rows are about queries; none, where no questions were given. */
export function questionColumns(report, title) {
  if (!report.questions) return [];
  return [{ title: "Query text", value: title, show: (row) => inWords(shortened(title(row) ?? NOTHING, SHOWN_CHARACTERS)) }];
}

/** The question of an open query, with all that was said about it. */
export function wholeQuestion(report, q) {
  const question = report.questions?.[q];
  if (!question) return null;
  const { title, description, narrative } = question;
  return el(
    "div",
    { class: "question" },
    el("p", { class: "title" }, inWords(title)),
    description && el("p", {}, inWords(description)),
    narrative && el("p", { class: "hint" }, inWords(narrative)),
  );
}

/** Words that somebody else chose, or pieces of them: isolated like names, but of several lines. */
export function inWords(text) {
  return el("bdi", { class: "words" }, text);
}
