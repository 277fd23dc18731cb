// ROC, precision against recall, and DET: all classifiers, and the operating point of the chosen one moving along.
import { el, nameOf } from "./dom.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { rateAt, thresholdAt, thresholdText } from "./operating.js";
import { state, watch } from "./state.js";

const SERIES = 7; // as many lines as the theme has dashes; the others stay grey

export function showClassifierCurves(section, report, views, rates) {
  const rate = (name) => rates.find((each) => each.name === name);
  const row = el("div", { class: "curves" });
  section.append(row);
  const column = (title, field) => ({ title, value: (point) => point[field], show: (point) => fixed(point[field]), numeric: true });
  const columns = (...fields) => [
    { title: "classifier", value: (point) => point.system, show: (point) => nameOf(point.system), heading: true },
    { title: "threshold", value: (point) => point.threshold, show: (point) => thresholdText(point.threshold ?? Infinity), numeric: true },
    ...fields.map(([title, field]) => column(title, field)),
  ];
  const lines = { lines: true };
  const charts = {
    roc: figure(row, "roc", columns(["FPR", "fpr"], ["TPR", "tpr"]), lines),
    steps: figure(row, "steps", columns(["recall", "recall"], ["precision", "precision"]), lines),
    det: figure(row, "det", columns(["FPR", "FPR"], ["FNR", "FNR"]), lines),
  };
  const [fpr, tpr, ppv, fnr] = ["FPR", "TPR", "PPV", "FNR"].map(rate);

  /** The points of a view, highest threshold first, as every curve needs them. */
  const points = views.map((view) =>
    view.thresholds
      .map((_, stop) => ({
        system: view.name,
        threshold: finiteOrNull(thresholdAt(view, stop)),
        fpr: rateAt(fpr, view, stop),
        tpr: rateAt(tpr, view, stop),
        precision: rateAt(ppv, view, stop),
        FNR: rateAt(fnr, view, stop),
        x: view.det_x[stop],
        y: view.det_y[stop],
      }))
      .reverse(),
  );
  const series = (measure, i) => (i < SERIES ? report.series[measure][i] : "others");

  charts.roc.update(
    {
      rows: points.flatMap((mine, i) => placed(mine).map((p) => ({ ...p, series: series("AUC", i) }))),
      hull: views.flatMap((view) => view.hull.fpr.map((x, place) => ({ system: view.name, fpr: x, tpr: view.hull.tpr[place], place }))),
      point: [],
    },
    "ROC: true against false positives",
  );
  charts.steps.update(
    {
      rows: points.flatMap((mine, i) => stepped(mine).map((p) => ({ ...p, series: series("AP", i) }))),
      contours: report.contours,
      baseline: [...new Set(views.map((view) => view.prevalence))].map((precision) => ({ precision })),
      point: [],
    },
    "Precision against recall",
  );
  charts.det.update(
    {
      rows: points.flatMap((mine, i) => placed(mine.filter((p) => p.x !== null && p.y !== null)).map((p) => ({ ...p, FPR: p.fpr, series: series("EER", i) }))),
      point: [],
    },
    "DET: misses against false alarms",
  );

  watch(["view", "stop"], () => {
    const [view, stop] = [views[state.view], state.stop];
    const [x, y, precision, missed] = [fpr, tpr, ppv, fnr].map((each) => rateAt(each, view, stop));
    const at = `${view.name.slice(0, 60)} at threshold ${thresholdText(thresholdAt(view, stop))}`;
    const [detX, detY] = [view.det_x[stop], view.det_y[stop]];
    charts.roc.move("point", [areFinite([x, y]) ? { fpr: x, tpr: y, said: `${at}: FPR ${fixed(x)}, TPR ${fixed(y)}` } : outside("fpr", "tpr", 0, at)]);
    charts.steps.move("point", [
      areFinite([y, precision]) ? { recall: y, precision, said: `${at}: recall ${fixed(y)}, precision ${fixed(precision)}` } : outside("recall", "precision", 0, at),
    ]);
    charts.det.move("point", [isInside([detX, detY], report.det_domain) ? { x: detX, y: detY, said: `${at}: FPR ${fixed(x)}, FNR ${fixed(missed)}` } : outside("x", "y", report.det_domain[0], at)]);
  });
}

/** A point that is not defined, or lies beyond the axes: not seen, and said so. */
function outside(x, y, corner, at) {
  return { [x]: corner, [y]: corner, hidden: true, said: `${at}: outside of this figure` };
}

function isInside(values, [least, most]) {
  return values.every((value) => value !== null && value >= least && value <= most);
}

function areFinite(values) {
  return values.every(Number.isFinite);
}

function finiteOrNull(value) {
  return Number.isFinite(value) ? value : null;
}

function placed(points) {
  return points.map((point, place) => ({ ...point, place }));
}

/** In steps from recall 0, at the height of the first threshold that calls anything positive. */
function stepped(points) {
  const called = points.filter((point) => areFinite([point.precision, point.tpr])).map((point) => ({ ...point, recall: point.tpr }));
  return placed(called.length ? [{ ...called[0], recall: 0 }, ...called] : []);
}
