// How much of what was retrieved anybody judged, and what the rest could change.
import { readBlock } from "./blocks.js";
import { el, nameOf, scrolling } from "./dom.js";
import { figure } from "./figures.js";
import { fixed, percent } from "./format.js";
import { seriesOf } from "./scores.js";
import { state, watch } from "./state.js";
import { sortable } from "./tables.js";

export async function showCoverage(section, report) {
  const { cutoffs, judged, bounds } = await readBlock("coverage");
  const chart = figure(section, "coverage", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "k", value: (row) => row.k, numeric: true },
    { title: "judged", value: (row) => row.judged, show: (row) => percent(row.judged), numeric: true },
  ]);
  watch(["a", "b"], () => {
    const rows = report.systems.flatMap((system, r) =>
      cutoffs.map((k, i) => ({ system, k, judged: judged[r][i], place: i, series: seriesOf(r, state) })),
    );
    chart.update({ rows }, "Judged@k: share of the first k ranks that hold a judged document, mean over queries");
  });
  section.append(el("h3", {}, "What unjudged documents could change"));
  if (!bounds.length) {
    section.append(el("p", {}, "No measure here has bounds that are quickly found; germane eval --bounds knows those of AP, R and Rprec too."));
    return;
  }
  const place = (name) => report.measures.findIndex((measure) => measure.name === name);
  const columns = [
    { title: "System", value: (r) => report.systems[r], show: (r) => nameOf(report.systems[r]), heading: true },
    ...bounds.map(({ measure, ends }) => ({
      title: measure,
      value: (r) => ends[r][1] - ends[r][0],
      show: (r) => el("div", {}, fixed(report.means[r][place(measure)]), el("div", { class: "interval" }, `${fixed(ends[r][0])} – ${fixed(ends[r][1])}`)),
      numeric: true,
    })),
  ];
  const { table } = sortable({
    caption: "Mean, and the lowest and highest it could be, had every retrieved document been judged; sorts by the width between them",
    columns,
    rows: [...report.systems.keys()],
    limit: Infinity,
  });
  section.append(scrolling("Bounds", table));
}
