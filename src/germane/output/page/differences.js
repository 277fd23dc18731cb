// Is it better: every other system against A, and A against B query by query.
import { readBlock } from "./blocks.js";
import { el, nameOf, replaceChildren } from "./dom.js";
import { figure } from "./figures.js";
import { fixed, probability, signed } from "./format.js";
import { openQuery } from "./query.js";
import { questionColumns, questionOf } from "./questions.js";
import { valuesOf } from "./scores.js";
import { state, watch } from "./state.js";

export function showDifferences(section, report, values) {
  if (!section) return;
  const verdict = el("p", { class: "verdict" });
  section.append(verdict);
  const forest = figure(section, "forest", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "difference", value: (row) => row.difference, show: (row) => signed(row.difference), numeric: true },
    { title: "low", value: (row) => row.low, show: (row) => signed(row.low), numeric: true },
    { title: "high", value: (row) => row.high, show: (row) => signed(row.high), numeric: true },
    { title: "adjusted p", value: (row) => row.p, show: (row) => probability(row.p), numeric: true },
    { title: "significant", value: (row) => row.significant },
  ]);
  const bars = figure(
    section,
    "differences",
    [
      { title: "query", value: (row) => row.query, show: queryButton, heading: true },
      ...questionColumns(report, (row) => row.question),
      { title: "A", value: (row) => row.a, show: (row) => fixed(row.a), numeric: true },
      { title: "B", value: (row) => row.b, show: (row) => fixed(row.b), numeric: true },
      { title: "B less A", value: (row) => row.difference, show: (row) => signed(row.difference), numeric: true },
    ],
    { click: (datum) => "query" in datum && openQuery(report.queries.indexOf(datum.query)) },
  );
  section.append(el("p", { class: "hint" }, "A click on a bar opens its query below; so do the names in the figure's data and in the table of queries."));

  function queryButton(row) {
    return el("button", { type: "button", class: "link", click: () => openQuery(report.queries.indexOf(row.query)) }, nameOf(row.query));
  }

  watch(["measure", "a", "b"], async () => {
    const { measure, a, b } = state;
    const pairs = await readBlock("pairs");
    const { name, lower } = report.measures[measure];
    const rows = against(pairs, report, measure, a);
    forest.element.hidden = rows.length === 0;
    if (rows.length) forest.update({ rows }, `${name}: every system less A (${report.systems[a].slice(0, 60)}), with ${pairs.intervals}; ${pairs.family}`);
    const [ours, theirs] = [valuesOf(values, measure, b), valuesOf(values, measure, a)];
    const byQuery = report.queries
      .map((query, q) => ({ query, ...questionOf(report, q), a: theirs[q], b: ours[q], difference: ours[q] - theirs[q] }))
      .filter((row) => row.a !== null && row.b !== null)
      .map((row) => ({ ...row, better: which(lower ? -row.difference : row.difference) }))
      .sort((x, y) => y.difference - x.difference);
    bars.update({ rows: byQuery }, `${name}: B less A, query by query`);
    replaceChildren(verdict, verdictOf(pairs, report, measure, a, b));
  });
}

function which(gain) {
  return gain > 0 ? "B is better" : gain < 0 ? "A is better" : "equal";
}

/** All pairs of a measure that system `a` is in, seen from it, the largest difference first. */
function against(pairs, report, measure, a) {
  const rows = [];
  for (let i = 0; i < pairs.measure.length; i++) {
    if (pairs.measure[i] !== measure || (pairs.a[i] !== a && pairs.b[i] !== a)) continue;
    rows.push(seenFrom(pairs, report, i, a));
  }
  return rows.sort((x, y) => y.difference - x.difference);
}

function seenFrom(pairs, report, i, a) {
  const turned = pairs.b[i] === a;
  const turn = (value) => (turned && value !== null ? -value : value);
  return {
    system: report.systems[turned ? pairs.a[i] : pairs.b[i]],
    difference: turn(pairs.difference[i]),
    low: turn(turned ? pairs.high[i] : pairs.low[i]),
    high: turn(turned ? pairs.low[i] : pairs.high[i]),
    p: pairs.p_adjusted[i],
    significant: pairs.significant[i],
    wins: turned ? pairs.losses[i] : pairs.wins[i],
    ties: pairs.ties[i],
    losses: turned ? pairs.wins[i] : pairs.losses[i],
    effect: turn(pairs.d_z[i]),
  };
}

/** The chosen pair in one sentence. */
function verdictOf(pairs, report, measure, a, b) {
  const i = pairs.measure.findIndex((m, k) => m === measure && ((pairs.a[k] === a && pairs.b[k] === b) || (pairs.a[k] === b && pairs.b[k] === a)));
  const [first, second] = [report.systems[a], report.systems[b]];
  if (i < 0) {
    const why = a === b ? "A and B are the same system." : report.not_compared || `This pair was not in the family of tests${report.baseline === null ? "" : ": all were compared with the baseline"}.`;
    return [why];
  }
  const row = seenFrom(pairs, report, i, a);
  return [
    el("span", { class: "swatch B" }, "B"), " ", nameOf(second), " less ", el("span", { class: "swatch A" }, "A"), " ", nameOf(first),
    ` in ${report.measures[measure].name}: ${signed(row.difference)} (${signed(row.low)} to ${signed(row.high)}, ${pairs.intervals}), adjusted p ${probability(row.p)}, `,
    row.significant === "not tested" ? "not tested. " : `${row.significant === "yes" ? "significant" : "not significant"} at ${report.alpha}. `,
    `B is better on ${row.wins} queries, worse on ${row.losses}, equal on ${row.ties}; effect size d_z ${signed(row.effect, 2)}. The family: ${pairs.family}.`,
  ];
}
