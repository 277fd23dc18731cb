// Trade-off curves of all classifiers, ROC, precision-recall and DET, with the operating point of the chosen one.
import { el, nameOf, radios } from "./dom.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";
import { rateAt, thresholdAt, thresholdText } from "./operating.js";
import { choose, state, watch } from "./state.js";

export function showClassifierCurves(section, report, views, rates) {
  const rate = (name) => rates.find((each) => each.name === name);
  const names = ["full range", ...report.zooms.map(({ share }) => `error rates up to ${Number((share * 100).toPrecision(3))}%`)];
  const row = el("div", { class: "curves" });
  section.append(
    radios("Zoom", names, 0, (i) => choose({ zoom: report.zooms[i - 1] ?? null })),
    el("p", { class: "hint" }, "The zoom shows the corner of few errors, as far as the curve of the classifier chosen above reaches into it. The ring is its operating point."),
    row,
  );
  const column = (title, field) => ({ title, value: (point) => point[field], show: (point) => fixed(point[field]), numeric: true });
  const columns = (...fields) => [
    { title: "classifier", value: (point) => point.system, show: (point) => nameOf(point.system), heading: true },
    { title: "threshold", value: (point) => point.threshold, show: (point) => thresholdText(point.threshold ?? Infinity), numeric: true },
    ...fields.map(([title, field]) => column(title, field)),
  ];
  const lines = { lines: true, square: true };
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
  const series = (measure, i) => report.series[measure][i] ?? "others"; // lines beyond the last colour stay grey

  const hulls = report.hulls ? views : [];
  const datasets = {
    roc: {
      rows: points.flatMap((mine, i) => placed(mine).map((p) => ({ ...p, series: series("AUC", i) }))),
      hull: hulls.flatMap((view) => view.hull.fpr.map((x, place) => ({ system: view.name, fpr: x, tpr: view.hull.tpr[place], place }))),
      point: [],
    },
    steps: {
      rows: points.flatMap((mine, i) => stepped(mine).map((p) => ({ ...p, series: series("AP", i) }))),
      baseline: [...new Set(views.map((view) => view.prevalence))].map((precision) => ({ precision })),
      point: [],
    },
    det: {
      rows: points.flatMap((mine, i) => placed(mine.filter((p) => p.x !== null && p.y !== null)).map((p) => ({ ...p, FPR: p.fpr, series: series("EER", i) }))),
      point: [],
    },
  };
  const titles = { roc: "ROC: true vs. false positive rate", steps: "Precision vs. recall", det: "DET: miss rate vs. false alarm rate" };
  const zoomed = new Set(); // classifiers and zooms whose figures are drawn: only the chosen one decides where to look
  let ends = {};

  watch(["view", "zoom"], () => {
    const key = state.zoom ? `${state.view} ${state.zoom.share}` : "";
    if (zoomed.has(key)) return;
    zoomed.clear();
    zoomed.add(key);
    ends = endsOf(points[state.view], state.zoom, report.det_domain);
    // The end of a line of equal F1 has a label, which is not clipped as the line is.
    datasets.steps.contours = report.contours.filter(({ recall, precision }) => recall < 1 || precision >= ends.steps[1][0]);
    for (const [name, chart] of Object.entries(charts)) {
      const [x, y] = ends[name];
      chart.scale({ x: { domain: x }, y: { domain: y } });
      chart.update({ ...datasets[name] }, state.zoom ? `${titles[name]} (zoomed)` : titles[name]);
    }
  });

  watch(["view", "stop", "zoom"], () => {
    const [view, stop] = [views[state.view], state.stop];
    const [x, y, precision, missed] = [fpr, tpr, ppv, fnr].map((each) => rateAt(each, view, stop));
    const at = `${view.name.slice(0, 60)} at threshold ${thresholdText(thresholdAt(view, stop))}`;
    const show = (name, [across, up], [right, high], words) => {
      const inside = isInside(right, ends[name][0]) && isInside(high, ends[name][1]);
      const shown = inside ? { [across]: right, [up]: high } : { [across]: ends[name][0][0], [up]: ends[name][1][0], hidden: true };
      charts[name].move("point", [{ ...shown, said: inside ? `${at}: ${words}` : `${at}: outside of this figure` }]);
    };
    show("roc", ["fpr", "tpr"], [x, y], `FPR ${fixed(x)}, TPR ${fixed(y)}`);
    show("steps", ["recall", "precision"], [y, precision], `recall ${fixed(y)}, precision ${fixed(precision)}`);
    show("det", ["x", "y"], [view.det_x[stop], view.det_y[stop]], `FPR ${fixed(x)}, FNR ${fixed(missed)}`);
  });
}

/** The ends of both axes of each figure: everything, or the corner of few errors that a classifier's points reach. */
function endsOf(points, zoom, detDomain) {
  if (!zoom) return { roc: [[0, 1], [0, 1]], steps: [[0, 1], [0, 1]], det: [detDomain, detDomain] };
  const { share, probit } = zoom;
  const below = (value) => Math.max(0, Math.min(1 - share, Math.floor((value - share) * 20) / 20));
  const within = points.filter((point) => point.fpr <= share);
  const hits = Math.max(0, ...within.map((point) => point.tpr).filter(Number.isFinite));
  const both = Math.max(0, ...points.map((point) => Math.min(point.tpr, point.precision)).filter(Number.isFinite));
  const missed = Math.min(...within.map((point) => point.y).filter(Number.isFinite));
  const least = detDomain[0];
  const most = Math.min(detDomain[1], Math.max(probit, Number.isFinite(missed) ? missed + 1 : probit));
  return {
    roc: [[0, share], [below(hits), 1]],
    steps: [[below(both), 1], [below(both), 1]],
    det: [[least, probit], [least, most]],
  };
}

function isInside(value, [least, most]) {
  return Number.isFinite(value) && value >= least && value <= most;
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
