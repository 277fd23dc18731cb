// The classifiers side by side: the measures that people ask for first, and how sure their differences are.
import { chooser, el, nameOf, replaceChildren, scrolling } from "./dom.js";
import { intervalText } from "./estimates.js";
import { figure } from "./figures.js";
import { fixed, levelText, probability, signed } from "./format.js";
import { rateText } from "./rates.js";
import { sortable } from "./tables.js";

const FIRST = ["ACC", "BA", "F1", "macro F1", "MCC", "AUC", "AP", "EER", "Brier", "log_loss"];
const MOST = 8; // so many stand side by side without scrolling

export function showOverview(section, report, estimates) {
  const tables = estimates;
  const has = (name) => tables.some((found) => estimateOf(found, name));
  const wanted = FIRST.filter((name) => has(name) && !(name === "macro F1" && has("F1"))).slice(0, MOST);
  const value = (found, name) => estimateOf(found, name)?.value ?? null;
  const best = (name) => {
    const values = tables.map((each) => value(each, name)).filter((each) => each !== null);
    const lower = tables.some((found) => estimateOf(found, name)?.lower);
    return tables.length < 2 || !values.length ? null : lower ? Math.min(...values) : Math.max(...values);
  };
  const { table } = sortable({
    caption: `With ${levelText(report.level)} intervals.${tables.length > 1 ? " ★ marks the best." : ""} All measures are listed below.`,
    limit: Infinity,
    rows: tables,
    plain: tables.length < 2,
    columns: [
      { title: "Classifier", value: (found) => found.name, show: (found) => nameOf(found.name), heading: true },
      ...wanted.map((name) => ({ title: name, value: (each) => value(each, name), show: (each) => shown(each, name), numeric: true })),
    ],
  });
  section.append(scrolling("Classifiers and their measures", table));

  function shown(found, name) {
    const estimate = estimateOf(found, name);
    if (!estimate) return "";
    const isBest = estimate.value !== null && estimate.value === best(name);
    return el(
      "div",
      { class: isBest ? "mean best" : "mean" },
      isBest && el("span", { class: "star" }, "★", el("span", { class: "unseen" }, " best ")),
      rateText(estimate.value),
      el("div", { class: "interval" }, estimate.interval),
    );
  }
}

/** A measure over everything, or averaged: "macro F1". */
function estimateOf(found, name) {
  const [average, measure] = name.includes(" ") ? name.split(" ") : [null, name];
  const group = found.groups.find(({ kind, name: called }) => (average ? kind === "average" && called === average : kind === "everything"));
  const place = found.measures.indexOf(measure);
  const i = group?.measure.indexOf(place) ?? -1;
  if (i < 0) return null;
  return { value: group.value[i] === null ? null : Number(group.value[i]), interval: intervalText(group, i), lower: found.lower[place] };
}

export function showComparison(section, report) {
  const found = report.comparison;
  const isSignificant = (pair) => pair.p_adjusted !== null && pair.p_adjusted <= found.alpha;
  const measures = [...new Set(found.pairs.map((pair) => pair.measure))];
  const bar = el("div", { class: "bar" });
  section.append(bar);
  const chart = figure(section, "forest", [
    { title: "pair", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "difference", value: (row) => row.difference, show: (row) => signed(row.difference), numeric: true },
    { title: "low", value: (row) => row.low, show: (row) => signed(row.low), numeric: true },
    { title: "high", value: (row) => row.high, show: (row) => signed(row.high), numeric: true },
  ]);
  let chosen = 0;
  function draw() {
    replaceChildren(bar, measures.length > 1 && chooser("Measure", measures, chosen, (i) => draw((chosen = i))));
    const rows = found.pairs
      .filter((pair) => pair.measure === measures[chosen] && pair.difference !== null)
      .map((pair) => ({ ...pair, system: `${pair.b} less ${pair.a}`, p: pair.p_adjusted, significant: pair.p_adjusted === null ? "not tested" : isSignificant(pair) ? "yes" : "no" }));
    chart.update({ rows }, `Differences of ${measures[chosen]}, with ${found.intervals_in_words}; p ${found.family_in_words}`);
  }
  draw();
  const { table, more } = sortable({
    caption: `Differences b − a on the same ${found.num_items.toLocaleString("en")} items, with ${found.intervals_in_words}; p ${found.family_in_words}; * significant at ${found.alpha}`,
    rows: found.pairs,
    columns: [
      { title: "Measure", value: (pair) => pair.measure, heading: true },
      { title: "a", value: (pair) => pair.a, show: (pair) => nameOf(pair.a) },
      { title: "b", value: (pair) => pair.b, show: (pair) => nameOf(pair.b) },
      { title: "Value a", value: (pair) => pair.value_a, show: (pair) => fixed(pair.value_a), numeric: true },
      { title: "Value b", value: (pair) => pair.value_b, show: (pair) => fixed(pair.value_b), numeric: true },
      { title: "b − a", value: (pair) => pair.difference, show: (pair) => signed(pair.difference), numeric: true },
      { title: "Interval", value: (pair) => pair.low, show: (pair) => (pair.low === null ? "" : `${signed(pair.low)} – ${signed(pair.high)}`), numeric: true },
      { title: "p", value: (pair) => pair.p_adjusted, show: (pair) => `${probability(pair.p_adjusted)}${isSignificant(pair) ? " *" : ""}`, numeric: true },
      { title: "Test", value: (pair) => pair.test },
    ],
  });
  section.append(scrolling("Differences", table), more);
}
