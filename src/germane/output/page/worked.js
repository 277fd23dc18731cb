// The breakdown of one number: the terms that the library wrote, added up here.
import { relevantHits } from "./columns.js";
import { el, nameOf, scrolling, swatch } from "./dom.js";
import { fixed, short } from "./format.js";
import { state } from "./state.js";

export function workedTable(report, rankings, worked, measure, system, q, value) {
  const kept = worked.measures[measure];
  const counts = kept.counts[system];
  const start = counts.slice(0, q).reduce((sum, count) => sum + count, 0);
  const read = (indices) => worked.columns[indices[system]];
  const own = (indices) => read(indices).slice(start, start + counts[q]);
  // Mostly the first of the relevant documents that the ranking shows.
  const hits = kept.rank ? null : relevantHits(rankings[q], system).slice(0, counts[q]);
  const rank = hits ? hits.map(([place]) => place) : own(kept.rank);
  const document = hits ? hits.map(([, place]) => place) : own(kept.document);
  const grade = hits ? document.map((place) => rankings[q].grades[place]) : own(kept.grade);
  const last = kept.last && own(kept.last);
  // A column may follow from rank and grade, or from the query and the place in it.
  const look = (column) => {
    if (Array.isArray(column)) return own(column);
    if (column.from === "precision") return rank.map((place, i) => (i + 1) / place);
    const table = tableOf(worked.columns, column);
    return rank.map((place, i) => (column.from === "place" ? table.get(`${q} ${i}`) : table.get(`${place} ${grade[i]}`)));
  };
  const titles = Object.keys(kept.columns);
  const more = titles.map((title) => look(kept.columns[title]));
  const terms = look(kept.term);
  const [base, over] = [read(kept.base)[q], read(kept.over)[q]];
  const total = addUp(terms, base, over, value);
  const names = [...rankings[q].documents, ...worked.extra[q]];
  const letter = system === state.b ? "B" : "A";
  const head = (title, numeric = true) => el("th", { scope: "col", class: numeric ? "number" : null }, title);
  const table = el(
    "table",
    { class: "worked" },
    el("caption", {}, swatch(letter), " ", nameOf(report.systems[system])),
    el("thead", {}, el("tr", {}, head("Rank"), head("Document", false), head("Grade"), titles.map((title) => head(title)), head("Term"))),
    el(
      "tbody",
      {},
      rank.map((place, i) =>
        el(
          "tr",
          {},
          el("td", { class: "number" }, last && last[i] !== place ? `${place} to ${last[i]}` : place),
          el("td", {}, nameOf(names[document[i]])),
          el("td", { class: "number" }, short(grade[i])),
          more.map((values) => el("td", { class: "number" }, short(values[i]))),
          el("td", { class: "number" }, short(terms[i])),
        ),
      ),
    ),
  );
  const sum = el("p", { class: "sum", "data-total": String(total), "data-value": String(value) }, lastLine(report.measures[measure].name, rank.length, total, base, over, kept.over_is, value));
  return el("div", {}, scrolling(`Breakdown: ${report.systems[system].slice(0, 100)}`, table), sum);
}

/** A column as a table of the two numbers that it follows from. */
function tableOf(columns, kept) {
  const [first, second, value] = [kept.first, kept.second, kept.value].map((index) => columns[index]);
  return (kept.map ??= new Map(value.map((found, i) => [`${first[i]} ${second[i]}`, found])));
}

/** The terms in the order of their ranks, then what else is added, then the division: as the library does it. */
function addUp(terms, base, over, empty) {
  let sum = 0;
  for (const term of terms) sum += term;
  return over === 0 ? empty : (base + sum) / over;
}

function lastLine(name, count, total, base, over, overIs, value) {
  if (value === null) return `${name} is undefined here${overIs ? `: ${overIs} = ${short(over)}` : ""}.`;
  if (over === 0) return `${name} = ${fixed(value)}, since ${overIs || "the divisor"} = 0.`;
  if (!count && !base) return `${name} = ${fixed(total)}: no retrieved document adds to it.`;
  const above = `${base ? `${short(base)} + ` : ""}${count === 1 ? "1 term" : `${count} terms`}`;
  const below = over === 1 && !overIs ? "" : ` / ${overIs ? `${overIs} ` : ""}${short(over)}`;
  return `${name} = (${above}: ${short(total * over)})${below} = ${fixed(total)}${total === value ? ", the value above." : `; the value is ${fixed(value)}.`}`;
}
