// The classification report: start and layout.
import { readBlock } from "./blocks.js";
import { byId, el, nameOf, radios, replaceChildren, scrolling } from "./dom.js";
import { counted } from "./format.js";
import { choose, state, watch } from "./state.js";
import { formula } from "./expression.js";
import { cellsAt, readyRates } from "./operating.js";
import { showThresholdBar, firstStop } from "./threshold_bar.js";
import { showRules } from "./threshold_rules.js";
import { showParameters, showRates } from "./rates.js";
import { showScoreFigures, showCalibration } from "./score_figures.js";
import { showClassifierCurves } from "./classifier_curves.js";
import { matrixTable, TAGS } from "./matrix_table.js";
import { showConfusion } from "./confusion.js";
import { showEstimates } from "./estimates.js";
import { showComparison, showOverview } from "./classifiers.js";
import { showMethod } from "./method.js";

async function start() {
  document.documentElement.dataset.page = "classification";
  const [report, views, matrices, estimates] = await Promise.all(["overview", "views", "matrices", "estimates"].map(readBlock));
  const rates = readyRates(await readBlock("rates"));
  replaceChildren(
    byId("summary"),
    nameOf(report.name),
    `: ${counted(report.num_items, "item")}, ${counted(report.classifiers.length, report.called.toLowerCase())}.`,
  );
  showOverview(byId("overview"), report, estimates, { called: report.called });
  if (views.length) {
    choose({ view: 0, stop: firstStop(views[0]), zone: null, parameters: {}, turned: false, alike: true, root: true, zoom: null });
    showThresholdBar(byId("controls"), report, views);
    showThreshold(byId("threshold"), report, views, rates);
    showClassifierCurves(byId("curves"), report, views, rates);
    if (byId("calibration")) showCalibration(byId("calibration"), views);
  }
  if (byId("confusion")) showConfusion(byId("confusion"), report, matrices, estimates);
  showEstimates(byId("rates"), report, estimates);
  if (byId("comparison")) showComparison(byId("comparison"), report);
  showMethod(byId("method"), report);
  replaceChildren(
    byId("footer"),
    el("p", {}, "Made with germane. This page is one file and loads nothing. Displayed numbers are rounded, the data in the file are not. Figures: Vega-Lite, whose licence is at the top of the file."),
  );
  // A page without figures has drawn all of them.
  if (!document.querySelector("figure")) document.documentElement.dataset.figures = "drawn";
  document.documentElement.dataset.ready = "yes";
}

/** Densities on the left, the confusion matrix at the threshold on the right. */
function showThreshold(section, report, views, rates) {
  const pictures = el("div", { class: "pictures" });
  const numbers = el("div", { class: "numbers" });
  const hint = el("p", { class: "hint" });
  section.append(hint);
  watch(["view"], () => {
    const { thresholds, num_thresholds: there } = views[state.view];
    const all = thresholds.length > there ? "every distinct score" : `${thresholds.length.toLocaleString("en")} of ${there.toLocaleString("en")} distinct scores (see Methods)`;
    replaceChildren(hint, `Move the slider above with the pointer or the arrow keys; everything below follows. It stops at ${all}, and counts are exact.`);
  });
  showRules(section, views, rates);
  section.append(el("div", { class: "operating" }, pictures, numbers));
  showScoreFigures(pictures, report, views, rates);
  const turn = radios("Rows", ["true label", "predicted label"], 0, (i) => choose({ turned: i === 1 }));
  const holder = el("div", { class: "matrix-holder live" });
  numbers.append(el("h3", {}, "Confusion matrix at this threshold"), turn, holder);
  watch(["view", "stop", "turned"], () => {
    const view = views[state.view];
    const { TP, FP, FN, TN } = cellsAt(view, state.stop);
    const table = matrixTable({ labels: [view.negative, view.positive], counts: [[TN, FP], [FN, TP]], turned: state.turned, tags: TAGS });
    replaceChildren(holder, scrolling("Confusion matrix at this threshold", table));
  });
  numbers.append(showParameters(views, rates));
  showRates(section, views, rates);
}

// What a person at the console, or a test, may read.
window.germane = { readBlock, formula };
start();
