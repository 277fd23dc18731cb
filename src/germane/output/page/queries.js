// Every query with its value by system: coloured by value, sorted by any column, filtered by text, opened by its name.
import { chooser, el, nameOf, replaceChildren, scrolling, shortened, swatch } from "./dom.js";
import { counted, measured, signed } from "./format.js";
import { showDocument } from "./documents.js";
import { openQuery, showQuery } from "./query.js";
import { questionColumns, titleOf } from "./questions.js";
import { valuesOf } from "./scores.js";
import { choose, state, watch } from "./state.js";
import { sortable } from "./tables.js";

const WIDE = 20; // systems that a table shows beside each other; of more, the chosen two and the mean of all
const FALLING = ":down"; // the end of a sort by falling values, in the state and in links

export function showQueries(section, report, values) {
  const count = el("span", { role: "status", class: "count" });
  const input = el("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false", input: filter });
  const orders = el("div", { class: "orders" });
  const holder = el("div");
  const hint = el("p", { class: "hint" }, "Click a query to see its rankings.");
  const detail = el("div", { id: "query", class: "query", hidden: true });
  const several = report.systems.length > 1;
  let all = report.systems.length <= WIDE;
  const everySystem = el("button", { type: "button", class: "more", click: () => draw((all = true)) }, `Show all ${report.systems.length} systems`);
  section.append(
    el("div", { class: "bar" }, orders, el("label", { for: "filter" }, report.questions ? "Filter by id or text" : "Filter by id"), input, count),
    holder,
    hint,
    detail,
  );
  let list = null;
  let shownSort = null;

  function filter() {
    const text = input.value.trim().toLowerCase();
    const said = (q) => [report.queries[q], titleOf(report, q) ?? ""];
    const rows = [...report.queries.keys()].filter((q) => said(q).some((words) => words.toLowerCase().includes(text)));
    list.keep(rows);
    count.textContent = `${counted(rows.length, "query", "queries")} of ${report.queries.length}`;
  }

  /** The columns by the names under which links sort by them. */
  function columnsByName() {
    const { measure: m, a, b } = state;
    const measure = report.measures[m];
    const value = (r, q) => valuesOf(values, m, r)[q];
    const [low, high] = extent(values, m, report.systems.length);
    const share = (x) => (high > low ? (x - low) / (high - low) : 0);
    const cell = (x, before = null) => (x === null ? measured(x, measure) : shaded("shade", share(x), before, measured(x, measure)));
    const gain = (q) => (value(b, q) === null || value(a, q) === null ? null : value(b, q) - value(a, q));
    const mean = (q) => meanOf(report.systems.map((_, r) => value(r, q)));
    const best = (q) => bestOf(report.systems.map((_, r) => value(r, q)), measure.lower);
    const named = (q) => cell(value(best(q), q), el("small", {}, nameOf(report.systems[best(q)]), " "));
    const side = (x) => (x === 0 ? "shade" : x > 0 !== measure.lower ? "shade gain" : "shade loss");
    const difference = (x) => (x === null ? signed(x) : shaded(side(x), Math.abs(x) / (high - low || 1), signed(x)));
    const query = {
      title: "Query",
      value: (q) => report.queries[q],
      show: (q) => el("button", { type: "button", class: "link", click: (event) => openQuery(q, event.currentTarget) }, nameOf(report.queries[q])),
      heading: true,
    };
    const system = (r) => [
      `system ${report.systems[r]}`,
      { title: el("span", {}, mark(r), " ", nameOf(report.systems[r])), value: (q) => value(r, q), show: (q) => cell(value(r, q)), numeric: true },
    ];
    const minus = el("span", {}, nameOf(report.systems[b]), " − ", nameOf(report.systems[a]));
    const chosen = [...new Set([b, a])];
    return new Map([
      ["query", query],
      ...questionColumns(report, (q) => titleOf(report, q)).map((column) => ["text", column]),
      ...chosen.map(system),
      ...(a === b ? [] : [["difference", { title: minus, value: gain, show: (q) => difference(gain(q)), numeric: true }]]),
      ...(several ? [["mean", { title: "Mean of all", value: mean, show: (q) => cell(mean(q)), numeric: true }]] : []),
      ...(report.systems.length > 2 ? [["best", { title: "Best of all", value: (q) => value(best(q), q), show: (q) => named(q), numeric: true }]] : []),
      ...(all ? [...report.systems.keys()].filter((r) => !chosen.includes(r)).map(system) : []),
    ]);
  }

  /** Ways to sort that have a name of their own; the first holds until another is chosen. */
  function presets() {
    const rising = report.measures[state.measure].lower ? FALLING : "";
    const falling = rising ? "" : FALLING;
    if (!several) return [["Weakest first", `system ${report.systems[0]}${rising}`], ["Strongest first", `system ${report.systems[0]}${falling}`], ["Query", "query"]];
    const [second, first] = [state.b, state.a].map((r) => shortened(report.systems[r], 24));
    return [
      ["Hardest for all systems", `mean${rising}`],
      ...(state.a === state.b ? [] : [[`Largest loss of ${second} vs. ${first}`, `difference${rising}`], [`Largest gain of ${second} vs. ${first}`, `difference${falling}`]]),
      ["Easiest for all systems", `mean${falling}`],
      ["Query", "query"],
    ];
  }

  function draw() {
    const columns = columnsByName();
    const names = [...columns.keys()];
    const known = presets();
    const sort = names.includes(columnOf(state.sort)) ? state.sort : known[0][1];
    shownSort = sort;
    const place = known.findIndex(([, each]) => each === sort);
    const titles = [...known.map(([title]) => title), ...(place < 0 ? ["By column"] : [])];
    replaceChildren(orders, chooser("Sort by", titles, place < 0 ? known.length : place, (i) => choose({ sort: known[i]?.[1] ?? state.sort })));
    const [second, first] = [state.b, state.a].map((r) => nameOf(report.systems[r]));
    const sides = ["; in the difference column blue where ", second, " is better, orange where ", first, " is"];
    list = sortable({
      caption: [`${report.measures[state.measure].name} by query and system. Stronger colour means a higher value`, state.a !== state.b && sides, "."],
      columns: [...columns.values()],
      rows: [...report.queries.keys()],
      sorted: [names.indexOf(columnOf(sort)), sort.endsWith(FALLING)],
    });
    list.table.classList.add("by-query");
    list.table.tHead.addEventListener("click", () => {
      const heads = [...list.table.tHead.querySelectorAll("th")];
      const at = heads.findIndex((head) => head.hasAttribute("aria-sort"));
      if (at < 0) return;
      shownSort = names[at] + (heads[at].getAttribute("aria-sort") === "descending" ? FALLING : "");
      choose({ sort: shownSort });
    });
    replaceChildren(holder, scrolling("Queries", list.table), !all && everySystem);
    filter();
  }

  watch(["measure", "a", "b"], draw);
  watch(["sort"], () => state.sort !== shownSort && draw());
  showQuery(detail, report, values);
  showDocument(section, report);
}

function columnOf(sort) {
  return sort?.endsWith(FALLING) ? sort.slice(0, -FALLING.length) : sort;
}

/** A number on a colour that deepens with its share. */
function shaded(kind, share, ...text) {
  const element = el("span", { class: kind }, text);
  element.style.setProperty("--share", `${(share * 100).toFixed(1)}%`);
  return element;
}

function mark(r) {
  const letter = r === state.b ? "B" : r === state.a ? "A" : null;
  return letter && swatch(letter);
}

/** The lowest value of a measure, or 0 if that is lower, and the highest. */
function extent(values, measure, systems) {
  let [low, high] = [0, 0];
  for (let r = 0; r < systems; r++) {
    for (const value of valuesOf(values, measure, r)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

/** The place of the first of the best values; undefined ones are no candidates. */
function bestOf(values, lower) {
  const better = (x, y) => x !== null && (y === null || (lower ? x < y : x > y));
  return values.reduce((best, value, r) => (better(value, values[best]) ? r : best), 0);
}

/** The mean of the values that are defined. */
function meanOf(values) {
  const defined = values.filter((value) => value !== null);
  return defined.length ? defined.reduce((sum, value) => sum + value, 0) / defined.length : null;
}
