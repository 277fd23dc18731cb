// The page on runs, put together.
import { readBlock } from "./blocks.js";
import { byId, el, replaceChildren } from "./dom.js";
import { holdUntilDrawn } from "./figures.js";
import { counted } from "./format.js";
import { linkState } from "./links.js";
import { choose } from "./state.js";
import { showControls } from "./controls.js";
import { showVerdict } from "./verdict.js";
import { showLeaderboard } from "./leaderboard.js";
import { showMethod } from "./method.js";
import { showCurves } from "./curves.js";
import { showDifferences } from "./differences.js";
import { showDistribution } from "./distribution.js";
import { showCost } from "./cost.js";
import { showQueries } from "./queries.js";
import { showRelations } from "./relations.js";
import { showCoverage } from "./coverage.js";
import { initialPair } from "./scores.js";

async function start() {
  holdUntilDrawn();
  const report = await readBlock("overview");
  const values = await readBlock("values");
  const pair = initialPair(report, 0);
  choose(pair);
  const missing = el("p", { class: "hint", role: "status" });
  byId("verdict").append(missing);
  const { scroll } = linkState(linked(report, pair), (unknown) =>
    replaceChildren(missing, unknown.length > 0 && `This link names what the report lacks: ${unknown.map((each) => each.join(" ")).join(", ")}.`),
  );
  replaceChildren(
    byId("summary"),
    `${counted(report.systems.length, "system")}, ${counted(report.queries.length, "query", "queries")}, `,
    `${counted(report.measures.length, "measure")}.`,
  );
  showControls(byId("controls"), report);
  showVerdict(byId("verdict"), report);
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
    el("p", {}, "Written by germane. This file is self-contained and loads nothing from the network. Numbers are rounded for display; the data in the file have all digits. The page address records the current view. Figures: Vega-Lite (licence at the top of the file)."),
  );
  document.documentElement.dataset.ready = "yes";
  scroll();
}

/** What the address of the page says: systems only where there are two. */
function linked(report, { a, b }) {
  const systems = (initial) => ({ names: report.systems, initial });
  return {
    measure: { names: report.measures.map((measure) => measure.name), initial: 0 },
    ...(report.systems.length > 1 && { a: systems(a), b: systems(b) }),
    query: { names: report.queries, initial: null },
    document: { initial: null },
    sort: { initial: null },
    curve: { initial: null },
    at: { initial: null },
  };
}

// What a person at the console, or a test, may read.
window.germane = { readBlock };
start();
