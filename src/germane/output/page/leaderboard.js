// Measures × systems: means with intervals, letters, and the best marked by a star as well as by weight.
import { el, nameOf, replaceChildren, scrolling } from "./dom.js";
import { figure } from "./figures.js";
import { fixed, levelText, measured } from "./format.js";
import { bestFirst } from "./scores.js";
import { state, watch } from "./state.js";
import { sortable } from "./tables.js";

export function showLeaderboard(section, report) {
  const interval = `${levelText(report.interval.level)} ${report.interval.method} interval`;
  const chart = figure(section, "leaderboard", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "mean", value: (row) => row.mean, show: (row) => fixed(row.mean), numeric: true },
    { title: "low", value: (row) => row.low, show: (row) => fixed(row.low), numeric: true },
    { title: "high", value: (row) => row.high, show: (row) => fixed(row.high), numeric: true },
    ...(report.letters ? [{ title: "letters", value: (row) => row.letters }] : []),
  ]);
  const best = report.measures.map((measure, m) => (measure.neither ? null : bestMean(report, m)));
  const system = (r) => report.systems[r];
  const columns = [
    { title: "System", value: system, show: (r) => nameOf(system(r)), heading: true },
    { title: "Queries", value: (r) => report.num_queries[r], numeric: true },
    ...report.measures.map((measure, m) => ({
      title: measure.name,
      note: `${measure.summary} ${measure.better}.`,
      value: (r) => report.means[r][m],
      show: (r) => cell(report, r, m, best[m]),
      numeric: true,
    })),
  ];
  const caption = `Means with ${interval}s. ★ marks the best.${
    report.letters ? " Systems that share a letter cannot be told apart." : ""
  }`;
  const { table } = sortable({ caption, columns, rows: bestFirst(report, 0), sorted: null, limit: Infinity });
  table.classList.add("leaderboard");
  const definition = el("p", { class: "definition" });
  section.append(scrolling("Leaderboard", table), definition);
  watch(["measure"], () => {
    const m = state.measure;
    const { name, summary, formula, better } = report.measures[m];
    const first = bestFirst(report, m);
    const rows = first.map((r) => ({
      system: system(r),
      mean: report.means[r][m],
      low: report.low[r][m],
      high: report.high[r][m],
      start: report.low[r][m] ?? report.means[r][m],
      end: report.high[r][m] ?? report.means[r][m],
      letters: report.letters?.[r][m] ?? "",
      best: report.means[r][m] === best[m] ? "best" : "",
    }));
    chart.update({ rows }, `${name} by system, mean with ${interval}`);
    replaceChildren(definition, el("strong", {}, name), `: ${summary} ${formula ? `${formula}. ` : ""}${better[0].toUpperCase()}${better.slice(1)}.`);
    table.querySelectorAll("thead th").forEach((head, i) => head.classList.toggle("chosen", i === m + 2));
  });
}

function bestMean(report, m) {
  return report.means[bestFirst(report, m)[0]][m];
}

function cell(report, r, m, best) {
  const value = report.means[r][m];
  const isBest = value !== null && value === best;
  const letters = report.letters?.[r][m];
  const [low, high] = [report.low[r][m], report.high[r][m]];
  return el(
    "div",
    { class: isBest ? "mean best" : "mean" },
    isBest && el("span", { class: "star" }, "★", el("span", { class: "unseen" }, " best ")),
    measured(value, report.measures[m]),
    letters && el("sup", { class: "letters" }, letters),
    low !== null && el("div", { class: "interval" }, `${fixed(low, 3)} – ${fixed(high, 3)}`),
  );
}
