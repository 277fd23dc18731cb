// Score densities with the threshold, rates by threshold, and calibration.
import { el, nameOf, radios, replaceChildren, shortened } from "./dom.js";
import { figure } from "./figures.js";
import { fixed, levelText, short } from "./format.js";
import { cellsAt, rateAt, shownName, thresholdAt, thresholdText } from "./operating.js";
import { choose, state, watch } from "./state.js";

export function showScoreFigures(section, report, views, rates) {
  section.append(
    radios("Scale densities", ["equal area", "by class size"], 0, (i) => choose({ alike: i === 0 })),
    radios("Vertical axis", ["square root", "linear"], 0, (i) => choose({ root: i === 0 })),
  );
  const densities = figure(section, "densities", [
    { title: "class", value: (row) => row.side, heading: true },
    { title: "from", value: (row) => row.start, show: (row) => short(row.start), numeric: true },
    { title: "to", value: (row) => row.end, show: (row) => short(row.end), numeric: true },
    { title: "density", value: (row) => Math.abs(row.density), show: (row) => fixed(Math.abs(row.density)), numeric: true },
  ]);
  const along = figure(
    section,
    "along",
    [
      { title: "rate", value: (row) => row.rate, heading: true },
      { title: "threshold", value: (row) => row.threshold, show: (row) => thresholdText(row.threshold), numeric: true },
      { title: "value", value: (row) => row.value, show: (row) => fixed(row.value), numeric: true },
    ],
    { lines: true },
  );
  const drawn = rates.filter((rate) => report.drawn_rates.includes(rate.name) || rate.name === "F");

  watch(["view", "alike", "root"], () => {
    const view = views[state.view];
    const density = (row) => (state.alike ? row.alike : row.density);
    densities.scale({ y: { type: state.root ? "sqrt" : "linear" } });
    const rows = view.densities.map((row) => ({ ...row, density: density(row) }));
    const scale = state.root ? "; square-root scale, so that low densities can be seen" : "";
    densities.update({ rows, rule: [], zone: [] }, `Scores of ${shortened(view.positive)} (positive, up) and ${shortened(view.negative)} (negative, down)${scale}`, null, view.ends);
    moveOverDensities();
  });
  watch(["view"], () => {
    const view = views[state.view];
    const rows = drawn.flatMap((rate) =>
      view.thresholds.map((_, stop) => ({
        rate: rate.name === "F" ? "F1" : shownName(rate, view),
        threshold: thresholdAt(view, stop),
        value: rate.name === "F" ? rate.compute({ ...cellsAt(view, stop), beta: 1 }) : rateAt(rate, view, stop),
      })),
    );
    along.update({ rows: rows.filter(({ threshold, value }) => Number.isFinite(threshold) && Number.isFinite(value)), rule: [] }, "Rates by threshold", null, view.ends);
    along.move("rule", ruleAt(view));
  });
  watch(["stop", "zone"], () => {
    moveOverDensities();
    along.move("rule", ruleAt(views[state.view]));
  });

  function moveOverDensities() {
    const view = views[state.view];
    densities.move("rule", ruleAt(view));
    const pair = view.pairs[state.zone];
    // Nothing to shade is drawn without width: an empty dataset would leave a scale without ends.
    const [start, end] = pair && !pair.crossed ? [pair.out, pair.in].map((stop) => inside(view, thresholdAt(view, stop))) : [view.ends[0], view.ends[0]];
    densities.move("zone", [{ start, end }]);
  }
}

/** Clamp a threshold to the range of scores. */
function inside(view, value) {
  return Math.min(Math.max(value, view.ends[0]), view.ends[1]);
}

function ruleAt(view) {
  const threshold = thresholdAt(view, state.stop);
  return [{ threshold: inside(view, threshold), said: `threshold ${thresholdText(threshold)}` }];
}

export function showCalibration(section, views) {
  const said = el("p", { class: "hint" });
  const holder = el("div", { class: "calibrations" });
  section.append(said, holder);
  const curve = figure(holder, "calibration", [
    { title: "predicted probability", value: (row) => row.claimed, show: (row) => fixed(row.claimed), numeric: true },
    { title: "share of positives", value: (row) => row.fitted, show: (row) => fixed(row.fitted), numeric: true },
  ], { lines: true });
  const claims = figure(holder, "claims", [
    { title: "class", value: (row) => row.side, heading: true },
    { title: "from", value: (row) => row.start, show: (row) => fixed(row.start), numeric: true },
    { title: "to", value: (row) => row.end, show: (row) => fixed(row.end), numeric: true },
    { title: "items", value: (row) => row.count, numeric: true },
  ]);
  watch(["view"], () => {
    const view = views[state.view];
    holder.hidden = !view.calibration;
    if (!view.calibration) {
      replaceChildren(said, "The scores of ", nameOf(view.name), " are not probabilities, so calibration does not apply.");
      return;
    }
    replaceChildren(said, `The line is the isotonic fit: the share of positives at each predicted probability. On the diagonal, predictions are perfectly calibrated; the band holds ${levelText(view.band_level)} of the fits of such predictions, point by point.`);
    curve.update({ rows: view.calibration, band: view.band }, `Calibration of ${shortened(view.name)}`);
    claims.update({ rows: view.claims }, "Distribution of predicted probabilities");
  });
}
