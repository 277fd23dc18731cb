// How far runs agree in what they rank, and measures in how they order the systems.
import { readBlock } from "./blocks.js";
import { el, nameOf, radios, replaceChildren } from "./dom.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";

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
      el("p", { class: "hint" }, `The first ${runs.depth} documents of each query, averaged over queries. Overlap (p = ${runs.p}) looks at the top most; tau counts pairs in the same order, what one run lacks standing at its end. 1 is agreement.`),
    );
    const draw = (c) =>
      chart.update({ rows: square(report.systems, runs.values[c]) }, `${NAMES[runs.coefficients[c]]} between each two systems`, report.systems);
    replaceChildren(bar, radios("Coefficient", runs.coefficients.map((name) => NAMES[name]), 0, draw));
    draw(0);
  }
  if (measures) {
    section.append(el("h3", {}, "Between measures"));
    const chart = figure(section, "heat", COLUMNS);
    const names = report.measures.map((measure) => measure.name);
    chart.update({ rows: square(names, measures) }, "Kendall's tau-b between the orders that each two measures give to the systems", names);
  }
}

function square(names, values) {
  return names.flatMap((first, i) => names.map((second, j) => ({ first, second, value: values[i][j] }))).filter((row) => row.value !== null);
}
