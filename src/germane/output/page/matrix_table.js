// A confusion matrix as a heat map table: counts, row percentages, totals, clusters outlined.
import { el, nameOf } from "./dom.js";
import { counted, percent, short } from "./format.js";

/** Counts with thousands separators; weighted ones need not be whole. */
const items = (count) => (Number.isInteger(count) ? count.toLocaleString("en") : short(count));

const FEW = 12; // classes whose cells are large; more of them stand closer

/**
 * @typedef {object} Matrix
 * @property {string[]} labels
 * @property {number[][]} counts      by truth, then prediction
 * @property {boolean} turned         rows are predictions
 * @property {[number, number][]} [blocks]  first and last class of each cluster
 * @property {string[][]} [tags]      what each cell is called, by truth and prediction
 * @property {(place: number) => void} [click]  when a class is chosen
 * @property {number} [clickable]     how many classes can be
 */

/** @param {Matrix} matrix */
export function matrixTable({ labels, counts, turned, blocks = [], tags, click, clickable = labels.length, caption }) {
  const at = (i, j) => (turned ? counts[j][i] : counts[i][j]);
  const places = labels.map((_, i) => i);
  const add = (numbers) => numbers.reduce((sum, count) => sum + count, 0);
  const rowTotals = places.map((i) => add(places.map((j) => at(i, j))));
  const columnTotals = places.map((j) => add(places.map((i) => at(i, j))));
  const dense = labels.length > FEW;
  const [rows, columns] = turned ? ["predicted", "true"] : ["true", "predicted"];

  const name = (i) =>
    click && i < clickable
      ? el("button", { type: "button", class: "link", "data-class": i, title: "Show this class versus the rest", click: () => click(i) }, nameOf(labels[i]))
      : nameOf(labels[i]);
  const right = (i, totals) => (totals[i] ? `${percent(at(i, i) / totals[i])} correct` : null);
  const total = (value, more) => el("td", { class: "total" }, el("span", { class: "count" }, items(value)), more && el("span", { class: "share" }, more));
  const cell = (i, j) => {
    const share = rowTotals[i] ? at(i, j) / rowTotals[i] : 0;
    const shown = el(
      "td",
      { class: `cell ${at(i, j) ? "" : "none"} ${edges(blocks, i, j)}`, "data-row": i, "data-column": j },
      tags && el("span", { class: "tag" }, turned ? tags[j][i] : tags[i][j]),
      el("span", { class: "count" }, items(at(i, j))),
      at(i, j) ? el("span", { class: "share" }, dense ? `${Math.round(share * 100)}%` : percent(share)) : null,
    );
    shown.style.setProperty("--share", `${share * 100}%`);
    return shown;
  };
  return el(
    "table",
    { class: dense ? "heat-table dense" : "heat-table", "data-rows": rows },
    el("caption", {}, caption ?? `Rows are ${rows} labels; percentages are of the row. ${counted(add(rowTotals), "item")}.`),
    el(
      "thead",
      {},
      el("tr", {}, el("th", { scope: "col", class: "corner" }, `${rows} \\ ${columns}`), places.map((j) => el("th", { scope: "col" }, name(j))), el("th", { scope: "col" }, "total")),
    ),
    el(
      "tbody",
      {},
      places.map((i) => el("tr", {}, el("th", { scope: "row" }, nameOf(labels[i])), places.map((j) => cell(i, j)), total(rowTotals[i], right(i, rowTotals)))),
      el("tr", { class: "totals" }, el("th", { scope: "row" }, "total"), places.map((j) => total(columnTotals[j], right(j, columnTotals))), total(add(rowTotals))),
    ),
  );
}

/** Which sides of a cell are the outline of a cluster. */
function edges(blocks, i, j) {
  const block = blocks.find(([first, last]) => first < last && first <= i && i <= last && first <= j && j <= last);
  if (!block) return "";
  const [first, last] = block;
  return [i === first && "top", i === last && "bottom", j === first && "left", j === last && "right"].filter(Boolean).join(" ");
}

/** One class against the rest, which stands first as the library has it. */
export function collapsed(labels, counts, place) {
  const sums = [[0, 0], [0, 0]];
  counts.forEach((row, i) => row.forEach((count, j) => (sums[Number(i === place)][Number(j === place)] += count)));
  return { labels: [`not ${labels[place]}`, labels[place]], counts: sums };
}

export const TAGS = [["TN", "FP"], ["FN", "TP"]];
