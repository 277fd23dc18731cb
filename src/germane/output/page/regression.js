// The report on predicted numbers: start and layout.
import { readBlock } from "./blocks.js";
import { byId, el, nameOf, replaceChildren } from "./dom.js";
import { counted, fixed } from "./format.js";
import { figure, holdUntilDrawn } from "./figures.js";
import { showEstimates } from "./estimates.js";
import { showComparison, showOverview } from "./classifiers.js";
import { showMethod } from "./method.js";

const USUAL = ["MAE", "RMSE", "bias", "R2", "MAPE"];

const amount = (title, field) => ({ title, value: (row) => row[field], show: (row) => fixed(row[field]), numeric: true });
const modelOf = { title: "model", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true };
const rowOf = { title: "row", value: (row) => row.row, numeric: true };

async function start() {
  holdUntilDrawn();
  document.documentElement.dataset.page = "regression";
  const [report, estimates, figures] = await Promise.all(["overview", "estimates", "figures"].map(readBlock));
  replaceChildren(
    byId("summary"),
    nameOf(report.name),
    `: ${counted(report.num_items, "item")}, ${counted(report.classifiers.length, "model")}.`,
  );
  const measures = [...USUAL, ...estimates[0].measures.filter((name) => name.startsWith("interval_"))];
  showOverview(byId("overview"), report, estimates, { first: measures, called: report.called });
  if (byId("predictions")) showPredictions(byId("predictions"), report, figures.points);
  if (byId("quantiles")) showQuantiles(byId("quantiles"), figures.quantiles);
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

/** Predictions against true values, and errors by prediction. */
function showPredictions(section, report, rows) {
  const some = report.num_drawn < report.num_items ? `, ${report.num_drawn.toLocaleString("en")} items drawn at random` : "";
  const ends = [amount("true value", "truth"), amount("predicted value", "predicted")];
  figure(section, "predicted", [modelOf, rowOf, ...ends], { square: true }).update({ rows }, `Predicted against true values${some}; on the diagonal a prediction is exact`);
  figure(section, "residuals", [modelOf, rowOf, amount("predicted value", "predicted"), amount("error", "error")]).update(
    { rows },
    `Errors (predicted − true) by predicted value${some}; above the line predictions are too high`,
  );
}

function showQuantiles(section, rows) {
  const shares = [amount("quantile", "quantile"), amount("observed", "observed"), amount("low", "low"), amount("high", "high")];
  figure(section, "quantiles", shares, { square: true }).update(
    { rows },
    "Share of true values at or below each predicted quantile, with its interval; on the diagonal quantiles are calibrated",
  );
}

start();
