// Every query's value, by system.
import { el, nameOf } from "./dom.js";
import { DRAWING, drawnSystems } from "./drawn.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { openQuery } from "./query.js";
import { questionColumns, questionOf } from "./questions.js";
import { valuesOf } from "./scores.js";
import { state, watch } from "./state.js";

export function showDistribution(section, report, values) {
  const chart = figure(
    section,
    "distribution",
    [
      { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
      { title: "query", value: (row) => row.query, show: (row) => nameOf(row.query) },
      ...questionColumns(report, (row) => row.question),
      { title: "value", value: (row) => row.value, show: (row) => fixed(row.value), numeric: true },
    ],
    { click: (datum) => "query" in datum && openQuery(report.queries.indexOf(datum.query)) },
  );
  section.append(el("p", { class: "hint" }, "Each tick is a query, the diamond is the mean (median for counts). Darker means more queries. Click a tick to open its query."));
  const asked = report.queries.map((_, q) => questionOf(report, q));
  watch(DRAWING, () => {
    const m = state.measure;
    const order = drawnSystems(report);
    const rows = order.flatMap((r) =>
      valuesOf(values, m, r).map((value, q) => ({ system: report.systems[r], query: report.queries[q], ...asked[q], value })),
    );
    const { name, total } = report.measures[m];
    const middle = total ? report.medians : report.means;
    const centres = order.map((r) => ({ system: report.systems[r], centre: middle[r][m] }));
    chart.update({ rows: rows.filter((row) => row.value !== null), centres }, `${name} of each query, by system`, null, null, { x: `${name} of each query` });
  });
}
