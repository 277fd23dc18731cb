// The page on pictures: it is complete as it stands; the script draws the two figures.
import { readBlock } from "./blocks.js";
import { byId, el, replaceChildren } from "./dom.js";
import { figure, holdUntilDrawn } from "./figures.js";
import { fixed } from "./format.js";

const shown = (title) => ({ title, value: (row) => row[title], show: (row) => fixed(row[title]), numeric: true });
const named = (title, field = title) => ({ title, value: (row) => row[field] });

async function start() {
  holdUntilDrawn();
  const report = await readBlock("figures");
  const ends = [shown("low"), shown("high")];
  figure(byId("board"), "leaderboard", [named("feature", "system"), shown("mean"), ...ends, named("letters")]).update(
    { rows: report.leaderboard },
    `${report.measure} by feature, mean with its ${report.level} interval`,
  );
  figure(byId("forest"), "forest", [named("pair", "system"), shown("difference"), ...ends, shown("p"), named("significant")]).update(
    { rows: report.forest },
    `Differences of ${report.measure}, with ${report.intervals}; ${report.family}; a filled point is significant`,
  );
  replaceChildren(
    byId("footer"),
    el("p", {}, "Written by germane. This file is self-contained and fetches nothing. Figures: Vega-Lite (licence at the top of the file)."),
  );
  document.documentElement.dataset.ready = "yes";
}

start();
