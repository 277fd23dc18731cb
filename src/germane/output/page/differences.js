// Differences: every system minus A, and B minus A query by query.
import { readBlock } from "./blocks.js";
import { el, nameOf, replaceChildren, shortened, swatch } from "./dom.js";
import { DRAWING, areMany, drawnSystems } from "./drawn.js";
import { figure } from "./figures.js";
import { counted, fixed, probability, signed, withSign } from "./format.js";
import { openQuery } from "./query.js";
import { questionColumns, questionOf } from "./questions.js";
import { chosenNames, valuesOf } from "./scores.js";
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
    { title: "adjusted p", value: (row) => row.p, show: (row) => probability(row.p, report.alpha), numeric: true },
    { title: "significant", value: (row) => row.significant },
  ]);
  const system = (side) => nameOf(report.systems[state[side]]);
  const bars = figure(
    section,
    "differences",
    [
      { title: "query", value: (row) => row.query, show: queryButton, heading: true },
      ...questionColumns(report, (row) => row.question),
      { get title() { return system("b"); }, value: (row) => row.b, show: (row) => fixed(row.b), numeric: true },
      { get title() { return system("a"); }, value: (row) => row.a, show: (row) => fixed(row.a), numeric: true },
      { get title() { return el("span", {}, system("b"), " − ", system("a")); }, value: (row) => row.difference, show: (row) => signed(row.difference), numeric: true },
    ],
    { click: (datum) => "query" in datum && openQuery(report.queries.indexOf(datum.query)) },
  );
  section.append(el("p", { class: "hint" }, "Click a bar or a query name to open that query."));

  function queryButton(row) {
    return el("button", { type: "button", class: "link", click: () => openQuery(report.queries.indexOf(row.query)) }, nameOf(row.query));
  }

  watch(DRAWING, async () => {
    const { measure, a, b } = state;
    const pairs = await readBlock("pairs");
    const { name, lower } = report.measures[measure];
    const rows = against(pairs, report, measure, a);
    forest.element.hidden = rows.length === 0;
    const old = shortened(report.systems[a]);
    const titles = [`${name}: system − ${shortened(report.systems[a], 30)}`, "filled: significant"];
    const part = areMany(report) ? `, ${rows.length} of ${report.systems.length - 1} systems` : "";
    const note = `${name} of each system − ${name} of ${old}, with ${pairs.intervals}; ${pairs.family}.`;
    if (rows.length) forest.update({ rows }, `Difference in ${name} from ${old}${part}`, null, null, { x: titles, note });
    const names = chosenNames(report, state);
    const sides = names.map((each) => `${each} is better`);
    const minus = `${names[0]} − ${names.at(-1)}`;
    const [ours, theirs] = [valuesOf(values, measure, b), valuesOf(values, measure, a)];
    const byQuery = report.queries
      .map((query, q) => ({ query, ...questionOf(report, q), a: theirs[q], b: ours[q], difference: ours[q] - theirs[q] }))
      .filter((row) => row.a !== null && row.b !== null)
      .map((row) => ({ ...row, better: which(lower ? -row.difference : row.difference, sides) }))
      .sort((x, y) => y.difference - x.difference);
    bars.update({ rows: byQuery }, `${name}: ${minus}, query by query`, null, null, { series: [...sides, EQUAL], y: `${name}: ${minus}` });
    replaceChildren(verdict, verdictOf(pairs, report, measure, a, b));
  });
}

const EQUAL = "equal";

function which(gain, [second, first]) {
  return gain > 0 ? second : gain < 0 ? first : EQUAL;
}

/** The pairs of a measure that system `a` makes with those that are drawn, seen from it, the largest difference first. */
function against(pairs, report, measure, a) {
  const rows = [];
  const drawn = new Set(drawnSystems(report));
  for (let i = 0; i < pairs.measure.length; i++) {
    if (pairs.measure[i] !== measure || (pairs.a[i] !== a && pairs.b[i] !== a)) continue;
    if (!drawn.has(pairs.a[i] === a ? pairs.b[i] : pairs.a[i])) continue;
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
    const why = a === b ? "Choose two different systems to compare them." : report.not_compared || `This pair was not tested${report.baseline === null ? "" : ": all systems were tested against the baseline"}.`;
    return [why];
  }
  const row = seenFrom(pairs, report, i, a);
  return [
    swatch("B"), " ", nameOf(second), " − ", swatch("A"), " ", nameOf(first),
    ` in ${report.measures[measure].name}: ${signed(row.difference)} (${signed(row.low)} to ${signed(row.high)}, ${pairs.intervals}), adjusted p ${withSign(probability(row.p, report.alpha))}, `,
    row.significant === "not tested" ? "not tested. " : `${row.significant === "yes" ? "significant" : "not significant"} at α = ${report.alpha}. `,
    nameOf(second), ` is better on ${counted(row.wins, "query", "queries")}, worse on ${row.losses}, equal on ${row.ties}; effect size `, el("i", {}, "d"), el("sub", {}, "z"), ` = ${signed(row.effect, 2)}.`,
  ];
}
