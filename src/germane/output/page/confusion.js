// The confusion matrix of predicted labels: transposed, reordered, in parts, or one class versus the rest.
import { chooser, el, nameOf, radios, replaceChildren, scrolling, shortened } from "./dom.js";
import { estimatesTable } from "./estimates.js";
import { counted, percent, short } from "./format.js";
import { collapsed, matrixTable, TAGS } from "./matrix_table.js";
import { sortable } from "./tables.js";

const LARGEST = 20;

export function showConfusion(section, report, matrices, estimates) {
  const full = matrices.map(dense);
  const chosen = { matrix: 0, turned: false, clustered: matrices[0].labels.length > 2, part: 0, place: null };
  const bar = el("div", { class: "bar" });
  const hint = el("p", { class: "hint" });
  const holder = el("div", { class: "matrix-holder" });
  const below = el("div");
  section.append(bar, hint, holder, below);

  const turn = radios("Rows", ["true label", "predicted label"], 0, (i) => draw((chosen.turned = i === 1)));
  const order = radios("Order", ["as given", "by confusion"], chosen.clustered ? 1 : 0, (i) => draw((chosen.clustered = i === 1)));
  const which = chooser("Classifier", matrices.map((matrix) => matrix.name), 0, (matrix) => draw(Object.assign(chosen, { matrix, place: null, part: 0 })));
  const parts = el("span");
  replaceChildren(bar, matrices.length > 1 && which, turn, matrices[0].labels.length > 2 && order, parts);

  function draw() {
    const matrix = matrices[chosen.matrix];
    if (chosen.place === null) drawAll(matrix, full[chosen.matrix]);
    else drawOne(matrix, full[chosen.matrix]);
  }

  function drawAll(matrix, counts) {
    const ordered = chosen.clustered ? matrix.order : matrix.labels.map((_, i) => i);
    const many = ordered.length > report.readable_classes;
    const shown = many ? partOf(matrix, ordered, report.readable_classes, chosen.part) : ordered;
    order.hidden = false;
    replaceChildren(parts, many && partChooser(matrix, ordered));
    replaceChildren(
      hint,
      ordered.length > 2 && "Click a class name to see that class versus the rest. ",
      chosen.clustered && ordered.length > 2 && "Classes that are often confused are adjacent and outlined.",
    );
    const gathered = many ? withOthers(matrix, counts, shown) : { labels: shown.map((i) => matrix.labels[i]), counts: shown.map((i) => shown.map((j) => counts[i][j])) };
    const blocks = chosen.clustered ? blocksOf(matrix, shown) : [];
    const click = ordered.length > 2 ? (i) => collapse(shown[i]) : null;
    const table = matrixTable({ ...gathered, turned: chosen.turned, blocks, click, clickable: shown.length, tags: ordered.length === 2 ? TAGS : undefined });
    replaceChildren(holder, scrolling("Confusion matrix", table));
    replaceChildren(below, ordered.length > 2 && largest(matrix, counts));
  }

  function drawOne(matrix, counts) {
    const { place } = chosen;
    const back = el("button", { type: "button", click: () => expand(place) }, "Back to all classes");
    order.hidden = true;
    replaceChildren(parts);
    replaceChildren(hint, nameOf(matrix.labels[place]), " versus the rest. ", back);
    const table = matrixTable({ ...collapsed(matrix.labels, counts, place), turned: chosen.turned, tags: TAGS });
    replaceChildren(holder, scrolling("Confusion matrix", table));
    const group = estimates[estimatesOf(matrix)].groups.findIndex(({ kind, name }) => kind === "class" && name === matrix.labels[place]);
    replaceChildren(below, group >= 0 && estimatesTable(estimates[estimatesOf(matrix)], group, report.level));
    return back;
  }

  function estimatesOf(matrix) {
    return estimates.findIndex((each) => each.name === matrix.name);
  }

  function collapse(place) {
    chosen.place = place;
    drawOne(matrices[chosen.matrix], full[chosen.matrix]).focus();
  }

  function expand(place) {
    chosen.place = null;
    draw();
    const buttons = [...holder.querySelectorAll("button[data-class]")];
    (buttons.find((button) => button.textContent === matrices[chosen.matrix].labels[place]) ?? buttons[0])?.focus();
  }

  function partChooser(matrix, ordered) {
    const size = report.readable_classes;
    const ranges = Array.from({ length: Math.ceil(ordered.length / size) }, (_, i) => {
      const last = Math.min((i + 1) * size, ordered.length) - 1;
      return `${i * size + 1}–${last + 1}: ${shortened(matrix.labels[ordered[i * size]], 20)} … ${shortened(matrix.labels[ordered[last]], 20)}`;
    });
    return chooser("Shown", [`the ${size} most confused of ${ordered.length}`, ...ranges], chosen.part, (part) => draw((chosen.part = part)));
  }

  /** The pairs that are confused most often, where a click shows one of them. */
  function largest(matrix, counts) {
    const support = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
    const pairs = [];
    counts.forEach((row, i) => row.forEach((count, j) => i !== j && count && pairs.push({ i, j, count, share: count / support[i] })));
    pairs.sort((a, b) => b.count - a.count || a.i - b.i || a.j - b.j);
    const { table } = sortable({
      caption: `The most frequent of ${counted(pairs.length, "pair")} of confused classes`,
      columns: [
        { title: "True label", value: ({ i }) => matrix.labels[i], show: ({ i }) => nameOf(matrix.labels[i]), heading: true },
        { title: "Predicted label", value: ({ j }) => matrix.labels[j], show: ({ j }) => nameOf(matrix.labels[j]) },
        { title: "Items", value: ({ count }) => count, show: ({ count }) => short(count), numeric: true },
        { title: "Share of the true class", value: ({ share }) => share, show: ({ share }) => percent(share), numeric: true },
      ],
      rows: pairs.slice(0, LARGEST),
    });
    return el("div", {}, el("h3", {}, "Most frequent confusions"), scrolling("Most frequent confusions", table));
  }

  draw();
}

function dense(matrix) {
  const counts = matrix.labels.map(() => new Array(matrix.labels.length).fill(0));
  matrix.count.forEach((count, k) => (counts[matrix.row[k]][matrix.column[k]] = count));
  return counts;
}

/** The classes of one part: the most confused ones, or a stretch of the order. */
function partOf(matrix, ordered, size, part) {
  if (part > 0) return ordered.slice((part - 1) * size, part * size);
  const most = new Set(matrix.most_confused);
  return ordered.filter((place) => most.has(place));
}

/** The shown classes, and all others as one at the end: so every row still adds up. */
function withOthers(matrix, counts, shown) {
  const place = new Map(shown.map((label, i) => [label, i]));
  const size = shown.length + 1;
  const sums = Array.from({ length: size }, () => new Array(size).fill(0));
  counts.forEach((row, i) => row.forEach((count, j) => (sums[place.get(i) ?? size - 1][place.get(j) ?? size - 1] += count)));
  return { labels: [...shown.map((i) => matrix.labels[i]), "other classes"], counts: sums };
}

/** First and last place of each cluster among the shown classes. */
function blocksOf(matrix, shown) {
  const block = new Map();
  let start = 0;
  matrix.blocks.forEach((size, b) => {
    for (const label of matrix.order.slice(start, start + size)) block.set(label, b);
    start += size;
  });
  const found = [];
  shown.forEach((label, i) => {
    if (i && block.get(label) === block.get(shown[i - 1])) found.at(-1)[1] = i;
    else found.push([i, i]);
  });
  return found;
}
