// Precision vs. recall: eleven levels or all points, over all queries or for one.
import { readBlock } from "./blocks.js";
import { chooser, el, nameOf, radios, replaceChildren } from "./dom.js";
import { DRAWING, drawnSystems, othersInWords } from "./drawn.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { queryInWords } from "./questions.js";
import { chosenNames, seriesOf } from "./scores.js";
import { choose, state, watch } from "./state.js";
import { curvePoints, interpolated, meanCurve } from "./columns.js";

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

  async function draw() {
    const [curves, rankings] = await Promise.all([readBlock("curves"), readBlock("rankings")]);
    const { query } = state;
    const full = state.curve === "full";
    const rows = drawnSystems(report).flatMap((r) =>
      points(curves, rankings, r, query, full).map(([recall, precision], place) => ({
        system: report.systems[r],
        recall,
        precision,
        place,
        series: seriesOf(report, r, state),
      })),
    );
    const where = query === null ? `mean over ${report.queries.length} queries` : `query ${queryInWords(report, query)}`;
    const name = full ? "pr" : "iprec";
    charts.iprec.element.hidden = full;
    charts.pr.element.hidden = !full;
    const what = full ? "Precision vs. recall" : "Interpolated precision at eleven levels of recall";
    charts[name].update({ rows }, `${what}, ${where}`, null, null, { series: chosenNames(report, state), note: othersInWords(report) });
    replaceChildren(
      said,
      full && query !== null
        ? "Each point is a retrieved relevant document."
        : full
          ? "Mean of the interpolated curves of all queries, at every hundredth of recall."
          : "Interpolated precision is the highest precision at this level of recall or a higher one.",
    );
  }

  const names = ["mean of all", ...report.queries.map((_, q) => queryInWords(report, q))];
  const which = chooser("Query", names, 0, (i) => choose({ query: i ? i - 1 : null }));
  const kind = radios("Curve", ["11 levels", "full"], 0, (i) => choose({ curve: i ? "full" : null }));
  bar.append(kind, which);
  watch([...DRAWING, "query", "curve"], () => {
    which.select.selectedIndex = state.query === null ? 0 : state.query + 1;
    kind.querySelectorAll("input")[state.curve === "full" ? 1 : 0].checked = true;
    draw();
  });
}

/** The points of one system: (recall, precision). */
function points(curves, rankings, system, query, full) {
  if (full && query !== null) return curvePoints(curves, rankings, system, query);
  const levels = full ? curves.fine_levels : curves.levels;
  const values = query === null ? meanCurve(curves, rankings, system, levels) : interpolated(curves, rankings, system, query, levels);
  return levels.map((level, i) => [level, values[i]]);
}
