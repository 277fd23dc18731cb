// One query: the rankings of the two systems side by side, and the breakdown of the value of each.
import { readBlock } from "./blocks.js";
import { byId, el, nameOf, replaceChildren, scrolling, swatch } from "./dom.js";
import { measured, signed } from "./format.js";
import { wordsOf } from "./document.js";
import { wholeQuestion } from "./questions.js";
import { rankingTable } from "./ranking.js";
import { valuesOf } from "./scores.js";
import { choose, state, watch } from "./state.js";
import { sortable } from "./tables.js";
import { workedTable } from "./worked.js";

let opener = null;
let asked = false;

/** Open a query; when it is closed, the keyboard goes back to where it was opened. */
export function openQuery(query, from = document.activeElement) {
  opener = from;
  asked = true;
  if (state.query === query) byId("query-heading")?.focus();
  choose({ query, document: null });
}

/** Scroll to the query that is opened next: for links. */
export function revealQuery() {
  asked = true;
}

function close() {
  choose({ query: null, document: null });
  (opener?.isConnected ? opener : byId("filter")).focus();
}

export function showQuery(panel, report, values) {
  watch(["query", "measure", "a", "b"], async () => {
    const q = state.query;
    panel.hidden = q === null;
    if (q === null) return replaceChildren(panel);
    const [rankings, worked, { texts, words }] = await Promise.all(["rankings", "worked", "documents"].map(readBlock));
    const systems = state.a === state.b ? [state.a] : [state.b, state.a];
    const measure = report.measures[state.measure];
    replaceChildren(
      panel,
      el(
        "div",
        { class: "bar" },
        el("h3", { id: "query-heading", tabindex: "-1" }, "Query ", nameOf(report.queries[q])),
        el("button", { type: "button", disabled: q === 0, click: () => openQuery(q - 1, opener) }, "Previous"),
        el("button", { type: "button", disabled: q === report.queries.length - 1, click: () => openQuery(q + 1, opener) }, "Next"),
        el("button", { type: "button", click: close }, "Close"),
      ),
      wholeQuestion(report, q),
      scrolling("All measures", allMeasures(report, values, systems, q)),
      el("h4", {}, "Rankings"),
      el("p", { class: "hint" }, `Top ${report.depth} of each ranking, plus every relevant document.`),
      el("div", { class: "beside" }, systems.map((r) => rankingTable(report, rankings[q], { texts, words: wordsOf(words, report.queries[q]) }, systems, r))),
      el("h4", {}, `How ${measure.name} is computed`),
      el("p", { class: "hint" }, `${measure.formula || measure.summary}. Ranks that add nothing are omitted.`),
      el("div", { class: "beside" }, systems.map((r) => workedTable(report, rankings, worked, state.measure, r, q, valuesOf(values, state.measure, r)[q]))),
    );
    if (asked) {
      asked = false;
      byId("query-heading").focus({ preventScroll: true });
      panel.scrollIntoView({ block: "start" });
    }
  });
}

function allMeasures(report, values, systems, q) {
  const value = (m, r) => valuesOf(values, m, r)[q];
  const columns = [
    { title: "Measure", value: (m) => report.measures[m].name, heading: true },
    ...systems.map((r) => ({
      title: el("span", {}, swatch(r === state.b ? "B" : "A"), " ", nameOf(report.systems[r])),
      value: (m) => value(m, r),
      show: (m) => measured(value(m, r), report.measures[m]),
      numeric: true,
    })),
  ];
  if (systems.length === 2) {
    const gain = (m) => (value(m, state.b) === null || value(m, state.a) === null ? null : value(m, state.b) - value(m, state.a));
    columns.push({ title: el("span", {}, nameOf(report.systems[state.b]), " − ", nameOf(report.systems[state.a])), value: gain, show: (m) => signed(gain(m)), numeric: true });
  }
  return sortable({ caption: "All measures for this query", columns, rows: [...report.measures.keys()], plain: true }).table;
}
