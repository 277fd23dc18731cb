// How far runs agree in what they rank, and measures in how they order the systems.
import { readBlock } from "./blocks.js";
import { el, nameOf, radios, replaceChildren } from "./dom.js";
import { DRAWING, drawnSystems } from "./drawn.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { watch } from "./state.js";

const NAMES = { "rbo-a": "Rank-biased overlap", "tau-b": "Kendall's tau-b" };
const COLUMNS = [
  { title: "first", value: (row) => row.first, show: (row) => nameOf(row.first), heading: true },
  { title: "second", value: (row) => row.second, show: (row) => nameOf(row.second) },
  { title: "value", value: (row) => row.value, show: (row) => fixed(row.value), numeric: true },
];

export async function showRelations(section, report) {
  if (!section) return;
  const { runs, measures } = await readBlock("relations");
  if (runs) {
    const bar = el("div", { class: "bar" });
    section.append(el("h3", {}, "Between systems"), bar);
    const chart = figure(section, "heat", COLUMNS);
    section.append(
      el("p", { class: "hint" }, `The first ${runs.depth} documents of each query, averaged over queries. Rank-biased overlap (persistence ${runs.p}) weights the top ranks most; Kendall's tau-b counts pairs in the same order, and documents missing from one run are placed at its end. 1 means identical rankings.`),
    );
    let chosen = 0;
    const draw = () => {
      const systems = drawnSystems(report);
      const names = systems.map((r) => report.systems[r]);
      const part = systems.length < report.systems.length ? `${systems.length} of ${report.systems.length} systems` : "each pair of systems";
      const values = systems.map((r) => systems.map((other) => between(runs.below[chosen], r, other)));
      chart.update({ rows: square(names, values) }, `${NAMES[runs.coefficients[chosen]]} between ${part}`, names);
    };
    replaceChildren(bar, radios("Coefficient", runs.coefficients.map((name) => NAMES[name]), 0, (c) => draw((chosen = c))));
    watch(DRAWING, draw);
  }
  if (measures) {
    section.append(el("h3", {}, "Between measures"));
    const chart = figure(section, "heat", COLUMNS);
    const names = report.measures.map((measure) => measure.name);
    chart.update({ rows: square(names, measures) }, "Kendall's tau-b between the system rankings by each pair of measures", names);
  }
}

function square(names, values) {
  return names.flatMap((first, i) => names.map((second, j) => ({ first, second, value: values[i][j] }))).filter((row) => row.value !== null);
}

/** The value of two systems: what stands below the diagonal is kept row by row. */
function between(below, i, j) {
  const [first, second] = [Math.max(i, j), Math.min(i, j)];
  return first === second ? null : below[(first * (first - 1)) / 2 + second];
}
