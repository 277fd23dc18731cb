// The page on classifiers, put together.
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
  const [report, views, matrices, estimates] = await Promise.all(["overview", "views", "matrices", "estimates"].map(readBlock));
  const rates = readyRates(await readBlock("rates"));
  replaceChildren(
    byId("summary"),
    nameOf(report.name),
    `: ${counted(report.num_items, "item")}, ${counted(report.classifiers.length, "classifier")}.`,
  );
  showOverview(byId("overview"), report, estimates);
  if (views.length) {
    choose({ view: 0, stop: firstStop(views[0]), zone: null, parameters: {}, turned: false, alike: true });
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
    el("p", {}, "Written by germane. Everything on this page is inside this file; nothing is fetched. The full numbers are in its data; what is shown is rounded. Figures: Vega-Lite; its licence stands at the head of the file."),
  );
  // A page without figures has drawn all of them.
  if (!document.querySelector("figure")) document.documentElement.dataset.figures = "drawn";
  document.documentElement.dataset.ready = "yes";
}

/** Densities on the left; on the right what the threshold makes of the items. */
function showThreshold(section, report, views, rates) {
  const pictures = el("div", { class: "pictures" });
  const numbers = el("div", { class: "numbers" });
  const hint = el("p", { class: "hint" });
  section.append(hint);
  watch(["view"], () => {
    const { thresholds, num_thresholds: there } = views[state.view];
    const all = thresholds.length > there ? "at every score" : `at ${thresholds.length.toLocaleString("en")} of ${there.toLocaleString("en")} different scores, no step of a rate larger than what is stated at the end`;
    replaceChildren(hint, `Move the slider above, with the pointer or the arrow keys: everything here and below follows. It stops ${all}, where the counts are exact.`);
  });
  showRules(section, views, rates);
  section.append(el("div", { class: "operating" }, pictures, numbers));
  showScoreFigures(pictures, report, views, rates);
  const turn = radios("Rows", ["truth", "prediction"], 0, (i) => choose({ turned: i === 1 }));
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
