// Tables that sort by a click or the return key on a column's heading; of long ones only the rows in sight are elements.
import { el } from "./dom.js";

const WHOLE = 60; // rows up to which a table is drawn as a whole
const AROUND = 15; // rows drawn above and below those in sight, so that the keyboard finds the next one
const TYPICAL = 30; // the height of a row in pixels, until one was measured

/**
 * @typedef {object} Column
 * @property {string | Node} title
 * @property {(row: any) => any} value   what it sorts by
 * @property {(row: any) => any} [show]  what is shown; the value, if nothing else is said
 * @property {boolean} [numeric]
 * @property {boolean} [heading]         the cell that names its row
 * @property {string} [note]             what the column is, for a pointer that rests on it
 */

/**
 * A table with its caption. A long one shows the rows in sight of the scrolling region around it.
 * @param {{caption: string | any[], columns: Column[], rows: any[], sorted?: [number, boolean], plain?: boolean}} given
 */
export function sortable({ caption, columns, rows, sorted = null, plain = false }) {
  let [by, falling] = sorted ?? [null, false];
  let kept = rows;
  let lines = [];
  let height = TYPICAL;
  let scrolled = 0;
  const made = new Map();
  const [above, below] = [gap(), gap()];
  const body = el("tbody");
  const buttons = columns.map((column, i) =>
    plain ? null : el("button", { type: "button", class: "sort", click: () => sortBy(i) }, column.title),
  );
  const heads = columns.map((column, i) =>
    el(
      "th",
      { scope: "col", class: column.numeric ? "number" : null, title: column.note },
      plain ? column.title : buttons[i],
    ),
  );
  const table = el("table", {}, el("caption", {}, el("span", {}, caption)), el("thead", {}, el("tr", {}, heads)), body);
  const region = () => table.closest(".scroll");

  function sortBy(i) {
    falling = by === i ? !falling : Boolean(columns[i].numeric);
    by = i;
    draw();
  }

  function ordered() {
    if (by === null) return kept;
    const value = columns[by].value;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null); // what is undefined stands last, either way
      const order = typeof x === "string" ? collator.compare(x, y) : x - y;
      return falling ? -order : order;
    };
    return [...kept].sort(compare);
  }

  function draw() {
    heads.forEach((head, i) => {
      if (i === by) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    lines = ordered();
    made.clear();
    body.replaceChildren(...(lines.length > WHOLE ? [above, below] : []));
    if (lines.length > WHOLE) {
      table.setAttribute("aria-rowcount", String(lines.length + 1));
      long.add(table);
      shows.set(table, show);
      attached.observe(table);
    } else table.removeAttribute("aria-rowcount");
    show();
  }

  /** The rows in sight, and some around them; of a table on paper, all. */
  function show() {
    const around = region();
    // Rows are only guessed to be as high as others: whoever goes down to the end stays there.
    const atEnd = around && around.scrollTop > scrolled && around.scrollTop + around.clientHeight > around.scrollHeight - 2;
    const [from, to] = lines.length <= WHOLE || onPaper ? [0, lines.length] : inSight();
    for (const [i, row] of made) if (i < from || i >= to) remove(i, row);
    for (let i = from, next = body.firstChild?.nextSibling ?? null; i < to; i++) {
      if (made.has(i)) next = made.get(i).nextSibling;
      else {
        made.set(i, line(lines[i], i));
        body.insertBefore(made.get(i), next);
      }
    }
    above.firstChild.style.height = `${from * height}px`;
    below.firstChild.style.height = `${(lines.length - to) * height}px`;
    above.hidden = from === 0;
    below.hidden = to === lines.length;
    if (atEnd) around.scrollTop = around.scrollHeight;
    scrolled = around?.scrollTop ?? 0;
  }

  function inSight() {
    const around = region();
    const tall = [...made.values()].reduce((sum, row) => sum + row.offsetHeight, 0);
    if (tall) height = tall / made.size;
    const top = around ? Math.max(0, around.getBoundingClientRect().top - body.getBoundingClientRect().top) : 0;
    const first = Math.floor(top / height);
    const last = Math.ceil((top + (around?.clientHeight ?? 0)) / height);
    return [Math.max(0, Math.min(first, lines.length) - AROUND), Math.min(lines.length, last + AROUND)];
  }

  function remove(i, row) {
    if (row.contains(document.activeElement)) region()?.focus({ preventScroll: true }); // the keyboard stays in the table
    row.remove();
    made.delete(i);
  }

  function line(row, i) {
    return el(
      "tr",
      { "aria-rowindex": lines.length > WHOLE ? i + 2 : null },
      columns.map((column) =>
        el(
          column.heading ? "th" : "td",
          { scope: column.heading ? "row" : null, class: column.numeric ? "number" : null },
          column.show ? column.show(row) : column.value(row),
        ),
      ),
    );
  }

  function gap() {
    return el("tr", { class: "gap", "aria-hidden": "true" }, el("td", { colspan: columns.length }));
  }

  draw();
  return {
    table,
    /** Draw the rows again, because what they show has changed. */
    draw,
    /** Show these rows only. */
    keep(rows) {
      kept = rows;
      draw();
    },
  };
}

const long = new Set();
const shows = new WeakMap();
let onPaper = false;

// A long table learns how much of it can be seen once it stands in the page, and whenever that changes.
const attached = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const region = target.closest(".scroll");
    region?.addEventListener("scroll", shows.get(target), { passive: true });
    shows.get(target)();
  }
});

function drawForPaper(whole) {
  onPaper = whole;
  for (const table of long) {
    if (table.isConnected) shows.get(table)();
    else long.delete(table);
  }
}

window.addEventListener("beforeprint", () => drawForPaper(true));
window.addEventListener("afterprint", () => drawForPaper(false));

const collator = new Intl.Collator("en", { numeric: true });
