// Precision against recall: eleven levels or all points, over all queries or for one.
import { readBlock } from "./blocks.js";
import { chooser, el, nameOf, radios, replaceChildren } from "./dom.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { queryInWords } from "./questions.js";
import { seriesOf } from "./scores.js";
import { choose, state, watch } from "./state.js";
import { cells, rowsOf } from "./columns.js";

export function showCurves(section, report) {
  const bar = el("div", { class: "bar" });
  const said = el("p", { class: "hint" });
  section.append(bar);
  const columns = [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "recall", value: (row) => row.recall, show: (row) => fixed(row.recall), numeric: true },
    { title: "precision", value: (row) => row.precision, show: (row) => fixed(row.precision), numeric: true },
  ];
  const charts = { iprec: figure(section, "iprec", columns), pr: figure(section, "pr", columns) };
  section.append(said);
  let full = false;

  async function draw() {
    const [curves, worked] = await Promise.all([readBlock("curves"), readBlock("worked")]);
    const query = state.query;
    const rows = report.systems.flatMap((system, r) =>
      points(curves, worked.columns, r, query, full).map(([recall, precision], place) => ({
        system,
        recall,
        precision,
        place,
        series: seriesOf(r, state),
      })),
    );
    const where = query === null ? `mean over ${report.queries.length} queries` : `query ${queryInWords(report, query)}`;
    const name = full ? "pr" : "iprec";
    charts.iprec.element.hidden = full;
    charts.pr.element.hidden = !full;
    charts[name].update({ rows }, `${full ? "Precision against recall" : "Interpolated precision at eleven levels of recall"}, ${where}`);
    replaceChildren(
      said,
      full && query !== null
        ? "Every relevant document that was retrieved is a point; none is left out."
        : full
          ? "The interpolated curves of the queries, averaged at every hundredth of recall: between two of these levels the curve is drawn straight."
          : "Interpolated precision is the highest precision at a level of recall or beyond it.",
    );
  }

  const names = ["all, averaged", ...report.queries.map((_, q) => queryInWords(report, q))];
  const which = chooser("Queries", names, 0, (i) => choose({ query: i ? i - 1 : null }));
  bar.append(radios("Curve", ["11 levels", "full"], 0, (i) => draw((full = i === 1))), which);
  watch(["a", "b", "query"], () => {
    which.select.selectedIndex = state.query === null ? 0 : state.query + 1;
    draw();
  });
}

/** The points of one system: (recall, precision). */
function points(curves, columns, system, query, full) {
  if (!full) {
    const eleven = curves.eleven[system];
    return curves.levels.map((level, i) => [level, query === null ? curves.fine[system][i * 10] : eleven[i][query]]);
  }
  if (query === null) return curves.fine_levels.map((level, i) => [level, curves.fine[system][i]]);
  const rows = rowsOf(curves.counts[system], query);
  const recall = cells(columns, curves.recall, system);
  const precision = cells(columns, curves.precision, system);
  return rows.map((row, i) => [recall(row, query, i), precision(row)]);
}
