// The worked table behind one number: the terms that the library wrote, added up here.
import { column } from "./blocks.js";
import { cells, rowsOf } from "./columns.js";
import { el, nameOf, scrolling } from "./dom.js";
import { fixed, short } from "./format.js";
import { state } from "./state.js";

export function workedTable(report, rankings, worked, measure, system, q, value) {
  const kept = worked.measures[measure];
  const read = (indices) => column(worked.columns, indices[system]);
  const [rank, grade, document] = [kept.rank, kept.grade, kept.document].map(read);
  const last = kept.last && read(kept.last);
  const rows = rowsOf(kept.counts[system], q);
  // A column may follow from rank and grade, or from the query and the place in it.
  const look = (column) => {
    const cell = cells(worked.columns, column, system);
    return rows.map((row, i) => (column.from === "place" ? cell(row, q, i) : cell(row, rank[row], grade[row])));
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
    el("caption", {}, el("span", { class: `swatch ${letter}` }, letter), " ", nameOf(report.systems[system])),
    el("thead", {}, el("tr", {}, head("Rank"), head("Document", false), head("Grade"), titles.map((title) => head(title)), head("Term"))),
    el(
      "tbody",
      {},
      rows.map((row, i) =>
        el(
          "tr",
          {},
          el("td", { class: "number" }, last && last[row] !== rank[row] ? `${rank[row]}–${last[row]}` : rank[row]),
          el("td", {}, nameOf(names[document[row]])),
          el("td", { class: "number" }, short(grade[row])),
          more.map((values) => el("td", { class: "number" }, short(values[i]))),
          el("td", { class: "number" }, short(terms[i])),
        ),
      ),
    ),
  );
  const sum = el("p", { class: "sum", "data-total": String(total), "data-value": String(value) }, lastLine(report.measures[measure].name, rows.length, total, base, over, kept.over_is, value));
  return el("div", {}, scrolling(`Worked table of ${letter}`, table), sum);
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
  const above = `${base ? `${short(base)} + ` : ""}${count === 1 ? "1 term" : `${count} terms`}`;
  const below = over === 1 && !overIs ? "" : ` / ${overIs ? `${overIs} ` : ""}${short(over)}`;
  return `${name} = (${above}: ${short(total * over)})${below} = ${fixed(total)}${total === value ? ", the value above." : `; the value is ${fixed(value)}.`}`;
}
