// Measures × systems: means with intervals, and the best marked by a star as well as by weight. Who does not differ significantly
// is said by letters, or, of many systems, by intervals of ranks and by a mark on those that do not differ from the best.
import { chooser, el, nameOf, replaceChildren, scrolling, swatch } from "./dom.js";
import { DRAWING, alwaysDrawn, areMany, drawnSystems, numFirst, picked } from "./drawn.js";
import { figure } from "./figures.js";
import { counted, fixed, levelText, measured } from "./format.js";
import { bestFirst } from "./scores.js";
import { choose, state, watch } from "./state.js";
import { sortable } from "./tables.js";

const SAME_MEAN = 1e-9; // means this close, relative to the best, differ by rounding only

const FIRSTS = [10, 20, 50];
const NAMED = 8; // systems named in a sentence

export function showLeaderboard(section, report) {
  const many = areMany(report);
  const interval = `${levelText(report.interval.level)} ${report.interval.method} interval`;
  if (many) section.append(drawnBar(report));
  const marks = report.ranks ? "ranks" : "letters";
  const chart = figure(section, "leaderboard", [
    { title: "system", value: (row) => row.system, show: (row) => nameOf(row.system), heading: true },
    { title: "mean", value: (row) => row.mean, show: (row) => fixed(row.mean), numeric: true },
    { title: "low", value: (row) => row.low, show: (row) => fixed(row.low), numeric: true },
    { title: "high", value: (row) => row.high, show: (row) => fixed(row.high), numeric: true },
    ...(report[marks] ? [{ title: marks, value: (row) => row.letters }] : []),
  ]);
  const best = report.measures.map((measure, m) => (measure.neither ? null : bestMean(report, m)));
  const { table, draw } = leaderboardTable(section, report, interval, best);
  const note = report.not_compared ? null : "Intervals may overlap although systems differ significantly: the tests are paired by query.";
  const definition = el("p", { class: "definition" });
  section.append(definition);
  watch(DRAWING, () => {
    const m = state.measure;
    const { name, summary, formula, better, total } = report.measures[m];
    const rows = drawnSystems(report).map((r) => ({
      system: report.systems[r],
      mean: report.means[r][m],
      low: report.low[r][m],
      high: report.high[r][m],
      start: report.low[r][m] ?? report.means[r][m],
      end: report.high[r][m] ?? report.means[r][m],
      letters: report.ranks ? rankText(report, r, m) : (report.letters?.[r][m] ?? ""),
      best: report.means[r][m] === best[m] ? "best" : "",
    }));
    const part = many ? `, ${rows.length} of ${report.systems.length} systems` : "";
    chart.update({ rows }, `${name} by system, mean with ${interval}${report.ranks ? ` and ${report.rank_interval}` : ""}${part}`, null, null, { x: `${total ? "total" : "mean"} ${name}`, note });
    replaceChildren(definition, el("strong", {}, name), `: ${summary} ${formula ? `${formula}. ` : ""}${better[0].toUpperCase()}${better.slice(1)}.`);
    draw();
    table.querySelectorAll("thead th").forEach((head, i) => head.classList.toggle("chosen", i === m + 1));
  });
}

/** How many systems the figures draw, and which besides. */
function drawnBar(report) {
  const firsts = [...FIRSTS.filter((count) => count < report.systems.length), report.systems.length];
  const names = firsts.map((count) => (count === report.systems.length ? `all ${count}` : `best ${count}`));
  const first = chooser("Figures show", names, firsts.indexOf(numFirst()), (i) => choose({ first: firsts[i] }));
  const said = el("span", { role: "status", class: "count" });
  const clear = el("button", { type: "button", click: () => choose({ picked: [] }) }, "Clear picks");
  watch(DRAWING, () => {
    first.select.selectedIndex = firsts.indexOf(numFirst());
    clear.hidden = picked().length === 0;
    const more = picked().length ? `, B and ${counted(picked().length, "picked system")}.` : " and B. Tick more systems in the table.";
    said.textContent = numFirst() === report.systems.length ? "" : `by ${report.measures[state.measure].name}, plus A${more}`;
  });
  return el("div", { class: "bar" }, first, said, clear);
}

/** The table, with a box that filters it where the systems are many. */
function leaderboardTable(section, report, interval, best) {
  const many = areMany(report);
  const system = (r) => report.systems[r];
  const letter = (r) => (r === state.b ? "B" : r === state.a ? "A" : null);
  const named = { title: "System", value: system, show: (r) => [letter(r) && [swatch(letter(r)), " "], nameOf(system(r))], heading: true };
  const queries = { title: "Queries", value: (r) => report.num_queries[r], numeric: true };
  const drawn = { title: "In figures", value: (r) => Number(drawnSystems(report).includes(r)), show: (r) => pick(report, r) };
  const means = report.measures.map((measure, m) => ({
    title: measure.name,
    note: `${measure.summary} ${measure.better}.`,
    value: (r) => report.means[r][m],
    show: (r) => cell(report, r, m, best[m]),
    numeric: true,
  }));
  const columns = [named, ...means, queries, ...(many ? [drawn] : [])];
  const caption = [
    `Means with ${interval}s. ★ marks the best.`,
    report.tied && `≈ marks systems that do not differ significantly from it (adjusted p above ${report.alpha}).`,
    report.letters && "Systems that share a letter do not differ significantly.",
    report.ranks && `Last line: ${report.rank_interval}, not adjusted for multiple tests.`,
    isBeyondRange(report) && `Intervals beyond the range of a measure show that there are too few queries for a ${report.interval.method} interval; they are not truncated.`,
  ];
  const rows = bestFirst(report, 0);
  const list = sortable({ caption: caption.filter(Boolean).join(" "), columns, rows, sorted: [1, !report.measures[0].lower] });
  list.table.classList.add("leaderboard", ...(many ? ["pickable"] : []));
  if (many) section.append(...filterBar(report, rows, list));
  section.append(scrolling("Leaderboard", list.table));
  return list;
}

/** Whether an interval of a mean extends beyond the values that its measure can take. */
function isBeyondRange(report) {
  return report.measures.some(({ bounds: [least, most] }, m) =>
    report.systems.some((_, r) => report.low[r][m] !== null && ((least !== null && report.low[r][m] < least) || (most !== null && report.high[r][m] > most))),
  );
}

/** A box for part of a system's name, and who does not differ significantly from the best by the chosen measure. */
function filterBar(report, rows, list) {
  const said = el("p", { class: "verdict" });
  const count = el("span", { role: "status", class: "count" });
  const input = el("input", { type: "search", id: "system-filter", autocomplete: "off", spellcheck: "false", input: filter });
  const only = el("input", { type: "checkbox", change: filter });
  function filter() {
    const text = input.value.trim().toLowerCase();
    const tied = only.checked && new Set(report.tied[state.measure] ?? []);
    const kept = rows.filter((r) => report.systems[r].toLowerCase().includes(text) && (!tied || tied.has(r)));
    list.keep(kept);
    count.textContent = `${counted(kept.length, "system")} of ${rows.length}`;
  }
  watch(["measure"], () => {
    replaceChildren(said, notWorseInWords(report));
    filter();
  });
  return [
    said,
    el(
      "p",
      { class: "bar" },
      el("label", { for: "system-filter" }, "Filter systems by name"),
      input,
      report.tied && el("label", { class: "tick" }, only, "Only those not significantly worse than the best"),
      count,
    ),
  ];
}

function notWorseInWords(report) {
  const tied = report.tied?.[state.measure];
  if (!tied) return [];
  const { name } = report.measures[state.measure];
  if (tied.length === 1) return [nameOf(report.systems[tied[0]]), ` is significantly better in ${name} than every other system (adjusted p of ${report.alpha} or less).`];
  const best = bestFirst(report, state.measure)[0];
  const others = tied.filter((r) => r !== best);
  const names = others.slice(0, NAMED).flatMap((r, i) => [i ? ", " : "", nameOf(report.systems[r])]);
  const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : "";
  const count = others.length === 1 ? "1 system does" : `${others.length} systems do`;
  return [`${count} not differ significantly in ${name} from `, nameOf(report.systems[best]), " (adjusted p above ", `${report.alpha}): `, ...names, `${more}.`];
}

function pick(report, r) {
  const always = alwaysDrawn(report).has(r);
  const change = () => choose({ picked: picked().includes(r) ? picked().filter((other) => other !== r) : [...picked(), r] });
  return el("input", { type: "checkbox", checked: always || picked().includes(r), disabled: always, "aria-label": `Draw ${report.systems[r]} in figures`, change });
}

function bestMean(report, m) {
  return report.means[bestFirst(report, m)[0]][m];
}

function rankText(report, r, m) {
  const ends = report.ranks[m]?.[r];
  return ends ? `rank ${ends[0] === ends[1] ? ends[0] : `${ends[0]} to ${ends[1]}`}` : "";
}

function cell(report, r, m, best) {
  const value = report.means[r][m];
  const isBest = value !== null && Math.abs(value - best) <= SAME_MEAN * Math.abs(best);
  const isTied = !isBest && report.tied?.[m]?.includes(r);
  const letters = report.letters?.[r][m];
  const [low, high] = [report.low[r][m], report.high[r][m]];
  return el(
    "div",
    { class: isBest ? "mean best" : "mean" },
    isBest && el("span", { class: "star" }, "★", el("span", { class: "unseen" }, " best ")),
    isTied && el("span", { class: "star" }, "≈", el("span", { class: "unseen" }, " does not differ significantly from the best ")),
    measured(value, report.measures[m]),
    letters && el("sup", { class: "letters" }, letters),
    low !== null && el("div", { class: "interval" }, `${fixed(low, 3)} to ${fixed(high, 3)}`),
    report.ranks && el("div", { class: "interval" }, rankText(report, r, m)),
  );
}
