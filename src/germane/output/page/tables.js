// Tables that sort by a click or the return key on a column's heading.
import { el, replaceChildren } from "./dom.js";

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
 * A table with its caption; `limit` rows are shown at first.
 * @param {{caption: string, columns: Column[], rows: any[], limit?: number, sorted?: [number, boolean]}} given
 */
export function sortable({ caption, columns, rows, limit = 200, sorted = null, plain = false }) {
  let [by, falling] = sorted ?? [null, false];
  let shown = rows;
  let most = limit;
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
  const more = el("button", { type: "button", class: "more", click: () => draw((most = Infinity)) });
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body);

  function sortBy(i) {
    falling = by === i ? !falling : Boolean(columns[i].numeric);
    by = i;
    draw();
  }

  function ordered() {
    if (by === null) return shown;
    const value = columns[by].value;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null); // what is undefined stands last, either way
      const order = typeof x === "string" ? collator.compare(x, y) : x - y;
      return falling ? -order : order;
    };
    return [...shown].sort(compare);
  }

  function draw() {
    heads.forEach((head, i) => {
      if (i === by) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    replaceChildren(body, ordered().slice(0, most).map(line));
    more.textContent = `Show all ${shown.length.toLocaleString("en")} rows`;
    more.hidden = shown.length <= most;
  }

  function line(row) {
    return el(
      "tr",
      {},
      columns.map((column) =>
        el(
          column.heading ? "th" : "td",
          { scope: column.heading ? "row" : null, class: column.numeric ? "number" : null },
          column.show ? column.show(row) : column.value(row),
        ),
      ),
    );
  }

  draw();
  return {
    table,
    more,
    /** Show these rows only. */
    keep(kept) {
      shown = kept;
      draw();
    },
  };
}

const collator = new Intl.Collator("en", { numeric: true });
