// The page on runs, put together.
import { readBlock } from "./blocks.js";
import { byId, el, replaceChildren } from "./dom.js";
import { counted } from "./format.js";
import { choose } from "./state.js";
import { showControls } from "./controls.js";
import { showLeaderboard } from "./leaderboard.js";
import { showMethod } from "./method.js";
import { showCurves } from "./curves.js";
import { showDifferences } from "./differences.js";
import { showDistribution } from "./distribution.js";
import { showCost } from "./cost.js";
import { showQueries } from "./queries.js";
import { showRelations } from "./relations.js";
import { showCoverage } from "./coverage.js";
import { bestFirst } from "./scores.js";

async function start() {
  const report = await readBlock("overview");
  const values = await readBlock("values");
  const [best, second] = bestFirst(report, 0);
  const baseline = report.baseline === null ? second ?? best : report.systems.indexOf(report.baseline);
  choose({ measure: 0, a: baseline, b: best === baseline ? second ?? best : best, query: null });
  replaceChildren(
    byId("summary"),
    `${counted(report.systems.length, "system")}, ${counted(report.queries.length, "query", "queries")}, `,
    `${counted(report.measures.length, "measure")}.`,
  );
  showControls(byId("controls"), report);
  showLeaderboard(byId("leaderboard"), report);
  showMethod(byId("method"), report);
  showCurves(byId("curves"), report);
  showDifferences(byId("differences"), report, values);
  showDistribution(byId("distribution"), report, values);
  showCost(byId("cost"), report);
  showQueries(byId("queries"), report, values);
  showRelations(byId("relations"), report);
  showCoverage(byId("coverage"), report);
  replaceChildren(
    byId("footer"),
    el("p", {}, "Written by germane. Everything on this page is inside this file; nothing is fetched. The full numbers are in its data; what is shown is rounded. Figures: Vega-Lite; its licence stands at the head of the file."),
  );
  document.documentElement.dataset.ready = "yes";
}

// What a person at the console, or a test, may read.
window.germane = { readBlock };
start();
