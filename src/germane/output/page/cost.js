// Quality vs. cost, where costs were given.
import { chooser, el, nameOf, replaceChildren } from "./dom.js";
import { DRAWING, drawnSystems } from "./drawn.js";
import { figure } from "./figures.js";
import { fixed, short } from "./format.js";
import { state, watch } from "./state.js";

export function showCost(section, report) {
  if (!section) return;
  const kinds = Object.keys(report.costs);
  const bar = el("div", { class: "bar" });
  section.append(bar);
  const chart = figure(section, "cost", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "cost", value: (row) => row.cost, show: (row) => short(row.cost), numeric: true },
    { title: "mean", value: (row) => row.mean, show: (row) => fixed(row.mean), numeric: true },
  ]);
  let kind = 0;
  function draw() {
    const costs = report.costs[kinds[kind]];
    const rows = drawnSystems(report)
      .map((r) => ({ system: report.systems[r], cost: costs[report.systems[r]] ?? null, mean: report.means[r][state.measure] }))
      .filter((row) => row.cost !== null && row.mean !== null);
    const { name, total } = report.measures[state.measure];
    chart.update({ rows }, `${name} vs. ${kinds[kind]}`, null, null, { x: kinds[kind], y: `${total ? "total" : "mean"} ${name}` });
  }
  replaceChildren(bar, chooser("Cost", kinds, 0, (i) => draw((kind = i))));
  watch(DRAWING, draw);
}
