// A figure: a spec that the library wrote, the rows for what is chosen, and the same rows as a table.
import { readBlock } from "./blocks.js";
import { el, replaceChildren, scrolling } from "./dom.js";
import { sortable } from "./tables.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const MANY = 4000; // elements that a browser still draws without a pause; beyond them a figure is painted as pixels
const NARROW = 480; // pixels below which a legend has one entry per line and an axis few ticks
const BESIDE = 124; // pixels of axis labels and titles on both sides of a square figure
const figures = new Set();
const waiting = new Set();
let busy = false;
let drawings = null; // the specs and themes, unpacked once and before anything is printed

/**
 * A figure below `parent`.
 * @param {HTMLElement} parent
 * @param {string} name        the spec's name
 * @param {import("./tables.js").Column[]} columns  of its data table
 * @param {{click?: (datum: any) => void, lines?: boolean, square?: boolean}} [options]  a line is one element, whatever its
 *   points; a square figure has equal axes, as long as there is room for
 */
export function figure(parent, name, columns, { click, lines = false, square = false } = {}) {
  const drawing = el("div", { class: "drawing" });
  const caption = el("figcaption");
  const data = el("details", { class: "data", toggle: () => data.open && fillTable() }, el("summary", {}, "Data of this figure"));
  const holder = el("div");
  data.append(holder);
  const squeezed = name === "heat"; // a square of many names would be illegible on a phone: it scrolls instead
  const element = el("figure", { class: `figure ${name}` }, caption, squeezed ? scrolling("Figure", drawing) : drawing, data);
  parent.append(element);
  const self = { name, drawing, datasets: null, click, lines, square, scales: {}, view: null, description: "", moved: new Map() };
  figures.add(self);
  drawings ??= Promise.all([readBlock("specs"), readBlock("themes")]);
  watcherOfPlaces.observe(drawing);
  placesOf.set(drawing, self);

  function fillTable() {
    const { table } = sortable({ caption: `Data: ${self.description}`, columns, rows: self.datasets.rows });
    replaceChildren(holder, scrolling(`Data: ${self.description}`, table));
  }

  return {
    element,
    /**
     * Show these rows; `description` is the caption, and what a screen reader says; `order` that of the names; `domain`
     * the ends of the axis, where they must not depend on what is moved; `words` the names of `series` and the titles of
     * the axes `x` and `y`, where they depend on what is chosen, and a `note` below the caption.
     */
    update(datasets, description, order = null, domain = null, words = null) {
      self.order = order;
      self.domain = domain;
      self.words = words;
      if (order) drawing.style.minWidth = `${order.length * 2.1 + 9}rem`;
      self.datasets = datasets;
      self.description = description;
      replaceChildren(caption, description, words?.note && el("span", { class: "hint" }, words.note));
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
    /** Change properties of the scales of axes, such as `{x: {domain: [0, 0.1]}}`; the next update draws them. */
    scale(scales) {
      self.scales = scales;
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

let hold = null;

/**
 * Let the page count as loaded only once its figures are drawn, so that a headless browser that prints at once has them.
 * A frame whose document is not closed holds the event back. Call it before the first wait.
 */
export function holdUntilDrawn() {
  hold = document.documentElement.appendChild(el("iframe", { hidden: true, title: "Drawing" }));
  hold.contentDocument.open();
  for (const failure of ["error", "unhandledrejection"]) window.addEventListener(failure, release);
}

function release() {
  hold?.contentDocument?.close();
  hold?.remove();
  hold = null;
}

async function drawNext() {
  const next = [...waiting].find((candidate) => visible.has(candidate)) ?? [...waiting][0];
  if (next) {
    waiting.delete(next);
    await draw(next);
  }
  busy = false;
  document.documentElement.dataset.figures = waiting.size ? "drawing" : "drawn";
  if (!waiting.size) release();
  later();
}

// Paper waits for nobody: whatever is not drawn yet is drawn before the browser lays the page out. Drawing awaits only
// what is there already, so it is finished when the event is.
let printing = false;
window.addEventListener("beforeprint", () => {
  printing = true;
  for (const self of dark.matches ? drawable() : [...waiting]) {
    waiting.delete(self);
    draw(self);
  }
});
window.addEventListener("afterprint", () => {
  printing = false;
  if (dark.matches) drawAllAgain();
});

async function draw(self) {
  const [specs, themes] = await drawings;
  const spec = structuredClone(specs[self.name]);
  if (self.datasets) spec.datasets = self.datasets;
  if (self.square) spec.width = spec.height = Math.max(200, Math.min(spec.width, self.drawing.clientWidth - BESIDE));
  for (const [axis, scale] of Object.entries(self.scales)) {
    for (const { encoding } of spec.layer) if (encoding[axis]) encoding[axis].scale = { ...encoding[axis].scale, ...scale };
  }
  // Vega-Lite warns of a height by steps beside a width that follows its container, so the steps are counted here.
  if (spec.height?.step) {
    const field = spec.encoding.y.field;
    spec.height = spec.height.step * Math.max(1, new Set(spec.datasets.rows.map((row) => row[field])).size);
  }
  if (self.order) for (const axis of ["x", "y"]) spec.encoding[axis].scale = { domain: self.order };
  if (self.domain) for (const layer of spec.layer) if (layer.encoding.x) layer.encoding.x.scale = { ...layer.encoding.x.scale, domain: self.domain };
  if (self.words) reword(spec, self.words);
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
    config: fitted(dark.matches && !printing ? themes.dark : themes.light, self.drawing.clientWidth),
  });
  self.view = embedded.view;
  if (self.moved.size) await moveAll(self);
  if (self.click) self.view.addEventListener("click", (_, item) => item?.datum && self.click(item.datum));
}

/** A theme for a figure of this width: on a phone, legends are not cut, and no label of an axis, such as 0, is left out. */
function fitted(theme, width) {
  if (width >= NARROW) return theme;
  return { ...theme, legend: { ...theme.legend, columns: 1 }, axisQuantitative: { ...theme.axisQuantitative, tickCount: 4 } };
}

/** The figures that have something to show. */
function drawable() {
  return [...figures].filter((self) => self.datasets);
}

function drawAllAgain() {
  for (const self of drawable()) waiting.add(self);
  later();
}

/** Names in place of letters: in scales, in legends and in the titles of axes. */
function reword(spec, { series, x, y }) {
  for (const { encoding = {} } of [spec, ...spec.layer]) {
    for (const { scale, legend } of [encoding.color ?? {}, encoding.strokeDash ?? {}]) {
      if (!series || !scale?.domain) continue;
      scale.domain = series;
      if (legend?.values) legend.values = series.slice(0, legend.values.length);
    }
    if (x && encoding.x?.title) encoding.x.title = x;
    if (y && encoding.y?.title) encoding.y.title = y;
  }
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
