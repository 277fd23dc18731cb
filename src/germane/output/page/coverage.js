// Judgment coverage: the share of judged documents, and the effect of the unjudged ones.
import { readBlock } from "./blocks.js";
import { el, nameOf, scrolling } from "./dom.js";
import { figure } from "./figures.js";
import { fixed, percent } from "./format.js";
import { DRAWING, drawnSystems, othersInWords } from "./drawn.js";
import { bestFirst, chosenNames, seriesOf } from "./scores.js";
import { state, watch } from "./state.js";
import { sortable } from "./tables.js";

export async function showCoverage(section, report) {
  const { cutoffs, judged, bounds } = await readBlock("coverage");
  const chart = figure(section, "coverage", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "k", value: (row) => row.k, numeric: true },
    { title: "judged", value: (row) => row.judged, show: (row) => percent(row.judged), numeric: true },
  ]);
  watch(DRAWING, () => {
    const rows = drawnSystems(report).flatMap((r) =>
      cutoffs.map((k, i) => ({ system: report.systems[r], k, judged: judged[r][i], place: i, series: seriesOf(report, r, state) })),
    );
    chart.update({ rows }, "Judged@k: share of the top k documents that are judged, mean over queries", null, null, {
      series: chosenNames(report, state),
      note: othersInWords(report),
    });
  });
  section.append(el("h3", {}, "Effect of unjudged documents"));
  if (!bounds.length) {
    section.append(el("p", {}, "No bounds are computed for these measures. To get those of AP, R and Rprec, run germane eval --bounds."));
    return;
  }
  const place = (name) => report.measures.findIndex((measure) => measure.name === name);
  const columns = [
    { title: "System", value: (r) => report.systems[r], show: (r) => nameOf(report.systems[r]), heading: true },
    ...bounds.map(({ measure, ends }) => ({
      title: measure,
      value: (r) => ends[r][1] - ends[r][0],
      show: (r) => el("div", {}, fixed(report.means[r][place(measure)]), el("div", { class: "interval" }, rangeText(...ends[r].map((end) => fixed(end))))),
      numeric: true,
    })),
  ];
  const { table } = sortable({
    caption: "Mean, with the lowest and highest values it could take if all retrieved documents were judged. Columns sort by the width of that range.",
    columns,
    rows: bestFirst(report, 0),
  });
  section.append(scrolling("Bounds", table));
}

function rangeText(low, high) {
  return low === high ? "unchanged" : `${low} to ${high}`;
}
