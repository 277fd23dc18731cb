// The page on pictures: it is complete as it stands; the script draws the two figures.
import { readBlock } from "./blocks.js";
import { byId, el, replaceChildren } from "./dom.js";
import { figure } from "./figures.js";
import { fixed } from "./format.js";

const shown = (title) => ({ title, value: (row) => row[title], show: (row) => fixed(row[title]), numeric: true });
const named = (title, field = title) => ({ title, value: (row) => row[field] });

async function start() {
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
    el("p", {}, "Written by germane. Everything on this page is inside this file; nothing is fetched. Figures: Vega-Lite; its licence stands at the head of the file."),
  );
  document.documentElement.dataset.ready = "yes";
}

start();
