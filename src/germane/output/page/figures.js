// A figure: a spec that the library wrote, the rows for what is chosen, and the same rows as a table.
import { readBlock } from "./blocks.js";
import { el, replaceChildren, scrolling } from "./dom.js";
import { sortable } from "./tables.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const MANY = 4000; // elements that a browser still draws without a pause; beyond them a figure is painted as pixels
const figures = new Set();
const waiting = new Set();
let busy = false;

/**
 * A figure below `parent`.
 * @param {HTMLElement} parent
 * @param {string} name        the spec's name
 * @param {import("./tables.js").Column[]} columns  of its data table
 * @param {{click?: (datum: any) => void, lines?: boolean}} [options]  a line is one element, whatever its points
 */
export function figure(parent, name, columns, { click, lines = false } = {}) {
  const drawing = el("div", { class: "drawing" });
  const caption = el("figcaption");
  const data = el("details", { class: "data", toggle: () => data.open && fillTable() }, el("summary", {}, "The data of this figure"));
  const holder = el("div");
  data.append(holder);
  const squeezed = name === "heat"; // a square of many names would be illegible on a phone: it scrolls instead
  const element = el("figure", { class: `figure ${name}` }, caption, squeezed ? scrolling("Figure", drawing) : drawing, data);
  parent.append(element);
  const self = { name, drawing, datasets: null, click, lines, view: null, description: "", moved: new Map() };
  figures.add(self);
  watcherOfPlaces.observe(drawing);
  placesOf.set(drawing, self);

  function fillTable() {
    const { table, more } = sortable({ caption: `Data: ${self.description}`, columns, rows: self.datasets.rows });
    replaceChildren(holder, scrolling(`Data: ${self.description}`, table), more);
  }

  return {
    element,
    /**
     * Show these rows; `description` is the caption, and what a screen reader says; `order` that of the names; `domain`
     * the ends of the axis, where they must not depend on what is moved.
     */
    update(datasets, description, order = null, domain = null) {
      self.order = order;
      self.domain = domain;
      if (order) drawing.style.minWidth = `${order.length * 2.1 + 9}rem`;
      self.datasets = datasets;
      self.description = description;
      replaceChildren(caption, description);
      if (data.open) fillTable();
      self.moved.clear();
      waiting.add(self);
      later();
    },
    /** Exchange a small dataset in what is drawn already: for what follows a slider. */
    move(dataset, rows) {
      self.datasets[dataset] = rows;
      self.moved.set(dataset, rows);
      if (self.view && !waiting.has(self)) moveAll(self);
    },
  };
}

/** What was moved since the figure was last drawn anew, or while it was being drawn. */
function moveAll(self) {
  for (const [dataset, rows] of self.moved) self.view.data(dataset, rows);
  return self.view.runAsync();
}

// Figures that can be seen are drawn first, the others whenever there is time: nobody waits for what is far below.
const placesOf = new WeakMap();
const visible = new Set();
const watcherOfPlaces = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) visible[entry.isIntersecting ? "add" : "delete"](placesOf.get(entry.target));
    later();
  },
  { rootMargin: "200px" },
);

function later() {
  if (!busy && waiting.size) {
    busy = true;
    const soon = window.requestIdleCallback ?? ((callback) => setTimeout(callback, 1));
    soon(drawNext, { timeout: 300 });
  }
}

async function drawNext() {
  const next = [...waiting].find((candidate) => visible.has(candidate)) ?? [...waiting][0];
  waiting.delete(next);
  await draw(next);
  busy = false;
  document.documentElement.dataset.figures = waiting.size ? "drawing" : "drawn";
  later();
}

async function draw(self) {
  const [specs, themes] = await Promise.all([readBlock("specs"), readBlock("themes")]);
  const spec = structuredClone(specs[self.name]);
  if (self.datasets) spec.datasets = self.datasets;
  // Vega-Lite warns of a height by steps beside a width that follows its container, so the steps are counted here.
  if (spec.height?.step) {
    const field = spec.encoding.y.field;
    spec.height = spec.height.step * Math.max(1, new Set(spec.datasets.rows.map((row) => row[field])).size);
  }
  if (self.order) for (const axis of ["x", "y"]) spec.encoding[axis].scale = { domain: self.order };
  if (self.domain) for (const layer of spec.layer) if (layer.encoding.x) layer.encoding.x.scale = { ...layer.encoding.x.scale, domain: self.domain };
  if (self.description) spec.description = `${self.description}. ${spec.description}`;
  self.view?.finalize();
  self.view = null;
  const embedded = await window.vegaEmbed(self.drawing, spec, {
    mode: "vega-lite",
    renderer: !self.lines && spec.datasets.rows.length > MANY ? "canvas" : "svg",
    actions: false,
    ast: true, // expressions are interpreted: the page's policy forbids making code out of text
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true, theme: "germane" },
    config: dark.matches ? themes.dark : themes.light,
  });
  self.view = embedded.view;
  if (self.moved.size) await moveAll(self);
  if (self.click) self.view.addEventListener("click", (_, item) => item?.datum && self.click(item.datum));
}

function drawAllAgain() {
  for (const self of figures) if (self.datasets || self.name === "figure") waiting.add(self);
  later();
}

dark.addEventListener("change", drawAllAgain);

/** The figure of a page that has but one: its rows are in its spec. */
export async function singleFigure(parent) {
  const spec = (await readBlock("specs")).figure;
  const rows = spec.datasets.rows;
  const numeric = (field) => rows.some((row) => typeof row[field] === "number");
  const columns = Object.keys(rows[0] ?? {}).map((field) => ({
    title: field,
    value: (row) => row[field],
    numeric: numeric(field),
  }));
  figure(parent, "figure", columns).update(spec.datasets, spec.description);
}
