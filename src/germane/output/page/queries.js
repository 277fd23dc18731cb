// Every query with its question and its value by system: sorted by any column, filtered by text, opened by its name.
import { el, nameOf, replaceChildren, scrolling } from "./dom.js";
import { counted, measured } from "./format.js";
import { openQuery, showQuery } from "./query.js";
import { questionColumns, titleOf } from "./questions.js";
import { valuesOf } from "./scores.js";
import { state, watch } from "./state.js";
import { sortable } from "./tables.js";

export function showQueries(section, report, values) {
  const count = el("span", { role: "status", class: "count" });
  const input = el("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false", input: filter });
  const holder = el("div");
  const detail = el("div", { id: "query", class: "query", hidden: true });
  section.append(
    el("p", { class: "bar" }, el("label", { for: "filter" }, report.questions ? "Filter by id or question" : "Filter queries by text"), input, count),
    holder,
    detail,
  );
  let list = null;

  function filter() {
    const text = input.value.trim().toLowerCase();
    const said = (q) => [report.queries[q], titleOf(report, q) ?? ""];
    const rows = [...report.queries.keys()].filter((q) => said(q).some((words) => words.toLowerCase().includes(text)));
    list.keep(rows);
    count.textContent = `${counted(rows.length, "query", "queries")} of ${report.queries.length}`;
  }

  watch(["measure", "a", "b"], () => {
    const measure = report.measures[state.measure];
    const systems = [...new Set([state.b, state.a, ...report.systems.keys()])];
    const columns = [
      {
        title: "Query",
        value: (q) => report.queries[q],
        show: (q) => el("button", { type: "button", class: "link", click: (event) => openQuery(q, event.currentTarget) }, nameOf(report.queries[q])),
        heading: true,
      },
      ...questionColumns(report, (q) => titleOf(report, q)),
      ...systems.map((r) => ({
        title: el("span", {}, mark(r), nameOf(report.systems[r])),
        value: (q) => valuesOf(values, state.measure, r)[q],
        show: (q) => measured(valuesOf(values, state.measure, r)[q], measure),
        numeric: true,
      })),
    ];
    list = sortable({ caption: `${measure.name} by query and system`, columns, rows: [...report.queries.keys()] });
    list.table.classList.add("by-query");
    replaceChildren(holder, scrolling("Queries", list.table), list.more);
    filter();
  });
  showQuery(detail, report, values);
}

function mark(r) {
  const letter = r === state.b ? "B" : r === state.a ? "A" : null;
  return letter && el("span", { class: `swatch ${letter}` }, letter);
}
