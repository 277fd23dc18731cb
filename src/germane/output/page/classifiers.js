// Classifiers side by side: the most common measures, and the differences between classifiers.
import { chooser, el, nameOf, replaceChildren, scrolling, shortened } from "./dom.js";
import { intervalText } from "./estimates.js";
import { figure } from "./figures.js";
import { fixed, interval, levelText, probability, signed } from "./format.js";
import { rateText } from "./rates.js";
import { sortable } from "./tables.js";

const FIRST = ["ACC", "BA", "F1", "macro F1", "MCC", "AUC", "AUC[macro]", "AP", "EER", "Brier", "log_loss"];
const MOST = 8; // columns that fit side by side without scrolling

/** The most common measures of each; `first` are those to show, `called` is the title of the names. */
export function showOverview(section, report, estimates, { first = FIRST, called = "Classifier" } = {}) {
  const tables = estimates;
  const has = (name) => tables.some((found) => estimateOf(found, name));
  const usual = first.filter((name) => has(name) && !(name === "macro F1" && has("F1")));
  // Clusters and densities have other measures.
  const wanted = (usual.length ? usual : estimates[0].measures).slice(0, MOST);
  const value = (found, name) => estimateOf(found, name)?.value ?? null;
  const comparison = report.comparison;
  const isBest = (found, name) => isShownBest(comparison, name, found.name, estimateOf(found, name)?.lower);
  const starred = wanted.some((name) => tables.some((found) => isBest(found, name))) ? "★ marks a value" : "No value is";
  const stars = comparison ? ` ${starred} significantly better than all others (adjusted p ≤ ${comparison.alpha}).` : "";
  const { table } = sortable({
    caption: `With ${levelText(report.level)} confidence intervals.${stars} All measures are listed below.`,
    rows: tables,
    plain: tables.length < 2,
    columns: [
      { title: called, value: (found) => found.name, show: (found) => nameOf(found.name), heading: true },
      ...wanted.map((name) => ({ title: name, value: (each) => value(each, name), show: (each) => shown(each, name), numeric: true })),
    ],
  });
  section.append(scrolling(`${called}s and their measures`, table));

  function shown(found, name) {
    const estimate = estimateOf(found, name);
    if (!estimate) return "";
    const best = isBest(found, name);
    return el(
      "div",
      { class: best ? "mean best" : "mean" },
      best && el("span", { class: "star" }, "★", el("span", { class: "unseen" }, " significantly better than all others ")),
      rateText(estimate.value),
      el("div", { class: "interval" }, estimate.interval),
    );
  }
}

/** Whether a classifier is significantly better than every other one: of a tie, or without a test, none is. */
function isShownBest(comparison, measure, classifier, lower) {
  const pairs = (comparison?.pairs ?? []).filter((pair) => pair.measure === measure && (pair.a === classifier || pair.b === classifier));
  const others = new Set((comparison?.pairs ?? []).filter((pair) => pair.measure === measure).flatMap((pair) => [pair.a, pair.b]));
  others.delete(classifier);
  const isWon = (pair) => {
    const gain = (pair.b === classifier ? 1 : -1) * (lower ? -1 : 1) * pair.difference;
    return pair.difference !== null && gain > 0 && isSignificant(comparison, pair);
  };
  return pairs.length > 0 && pairs.length === others.size && pairs.every(isWon);
}

function isSignificant(comparison, pair) {
  return pair.p_adjusted !== null && pair.p_adjusted <= comparison.alpha;
}

/** A measure over everything, or averaged: "macro F1" or "AUC[macro]". */
function estimateOf(found, name) {
  const bracketed = name.match(/^(.+)\[(.+)\]$/);
  const [average, measure] = bracketed ? [bracketed[2], bracketed[1]] : name.includes(" ") ? name.split(" ") : [null, name];
  const group = found.groups.find(({ kind, name: called }) => (average ? kind === "average" && called === average : kind === "everything"));
  const place = found.measures.indexOf(measure);
  const i = group?.measure.indexOf(place) ?? -1;
  if (i < 0) return null;
  return { value: group.value[i] === null ? null : Number(group.value[i]), interval: intervalText(group, i, 3), lower: found.lower[place] };
}

/** Both names of a difference, in lines that fit beside a figure. */
function labelOf({ a, b }) {
  const room = window.innerWidth < 640 ? 18 : 38;
  const lines = (text) => shortened(text, 2 * room).match(new RegExp(`.{1,${room}}(?= |$)|.{1,${room}}`, "gsu")).map((line) => line.trim());
  return [...lines(b), ...lines(`− ${a}`)].join("\n");
}

export function showComparison(section, report) {
  const found = report.comparison;
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
      .map((pair) => ({ ...pair, system: labelOf(pair), p: pair.p_adjusted, significant: pair.p_adjusted === null ? "not tested" : isSignificant(found, pair) ? "yes" : "no" }));
    chart.update({ rows }, `Differences in ${measures[chosen]}, with ${found.intervals_in_words}; p ${found.family_in_words}`);
  }
  draw();
  const { table } = sortable({
    caption: `Differences b − a on the same ${found.num_items.toLocaleString("en")} items, with ${found.intervals_in_words}; p ${found.family_in_words}; * significant at α = ${found.alpha}`,
    rows: found.pairs,
    columns: [
      { title: "Measure", value: (pair) => pair.measure, heading: true },
      { title: "a", value: (pair) => pair.a, show: (pair) => nameOf(pair.a) },
      { title: "b", value: (pair) => pair.b, show: (pair) => nameOf(pair.b) },
      { title: "Value a", value: (pair) => pair.value_a, show: (pair) => fixed(pair.value_a), numeric: true },
      { title: "Value b", value: (pair) => pair.value_b, show: (pair) => fixed(pair.value_b), numeric: true },
      { title: "b − a", value: (pair) => pair.difference, show: (pair) => signed(pair.difference), numeric: true },
      { title: "Interval", value: (pair) => pair.low, show: (pair) => interval(pair.low, pair.high), numeric: true },
      { title: "Adjusted p", value: (pair) => pair.p_adjusted, show: (pair) => `${probability(pair.p_adjusted)}${isSignificant(found, pair) ? " *" : ""}`, numeric: true },
      { title: "Test", value: (pair) => pair.test },
    ],
  });
  section.append(scrolling("Differences", table));
}
