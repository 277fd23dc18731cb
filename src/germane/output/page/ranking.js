// One ranking of one query: documents in their order, each with its judgment in words as well as in colour.
import { el, nameOf, scrolling, swatch } from "./dom.js";
import { NOTHING, short } from "./format.js";
import { documentCell } from "./document.js";
import { state } from "./state.js";

export function rankingTable(report, query, { texts, words }, systems, system) {
  const letter = system === state.b ? "B" : "A";
  const other = systems.find((r) => r !== system);
  const elsewhere = other === undefined ? null : placesIn(query, other);
  const own = placesIn(query, system);
  const top = query.top[system].map((document, i) => [i + 1, document]);
  const missed = query.documents.map((_, d) => d).filter((d) => query.grades[d] > 0 && !own.has(d));
  const columns = 3 + (elsewhere ? 1 : 0);
  const line = ([rank, d]) =>
    el(
      "tr",
      { class: judgmentOf(query.grades[d])[0] },
      el("td", { class: "number" }, rank ?? NOTHING),
      el("td", {}, documentCell(texts, words, query.documents[d])),
      el("td", {}, badge(query.grades[d])),
      elsewhere && el("td", { class: "number" }, elsewhere.get(d) ?? NOTHING),
    );
  const part = (title, rows) =>
    rows.length
      ? el("tbody", {}, title && el("tr", { class: "part" }, el("th", { colspan: columns, scope: "rowgroup" }, title)), rows.map(line))
      : null;
  const name = report.systems[system];
  const table = el(
    "table",
    { class: "ranking" },
    el("caption", {}, swatch(letter), " ", nameOf(name)),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", class: "number" }, "Rank"),
        el("th", { scope: "col" }, "Document"),
        el("th", { scope: "col" }, "Judgment"),
        elsewhere && el("th", { scope: "col", class: "number" }, "Rank in ", nameOf(report.systems[other])),
      ),
    ),
    top.length ? part(null, top) : el("tbody", {}, el("tr", {}, el("td", { colspan: columns }, "Empty ranking."))),
    part(`Relevant, below the top ${report.depth}`, pairs(query.beyond[system]).map(([d, rank]) => [rank, d])),
    part("Relevant, not retrieved", missed.map((d) => [null, d])),
  );
  return scrolling(`Ranking: ${name.slice(0, 100)}`, table);
}

/** Document → rank, for what is shown of a ranking. */
export function placesIn(query, system) {
  return new Map([...query.top[system].map((d, i) => [d, i + 1]), ...pairs(query.beyond[system])]);
}

function pairs(flat) {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

function judgmentOf(grade) {
  if (grade === null) return ["unjudged", "unjudged"];
  if (grade < 0) return ["unjudged", "pooled, unjudged"];
  return grade > 0 ? ["relevant", `relevant, ${short(grade)}`] : ["irrelevant", "non-relevant, 0"];
}

export function badge(grade) {
  const [kind, words] = judgmentOf(grade);
  return el("span", { class: `badge ${kind}` }, words);
}
