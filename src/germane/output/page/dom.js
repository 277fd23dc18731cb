// Elements made of text nodes: data never becomes markup.

/** @typedef {string | number | Node | null | undefined} Child */

/**
 * An element with attributes (a function is a listener) and children.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(2).filter(isShown).map(asNode));
  return element;
}

/** Children that are absent, or false, are not shown; zero is. */
function isShown(child) {
  return child !== null && child !== undefined && child !== false && child !== "";
}

/** @param {Child} child */
function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** A name that somebody else chose: isolated, so that marks of direction in it move nothing around it. */
export function nameOf(text) {
  return el("bdi", { class: "name", title: text.length > 24 ? text.slice(0, 500) : null }, text);
}

/** The letter and colour of one of the two chosen systems: "A" or "B". */
export function swatch(letter) {
  return el("span", { class: `swatch ${letter}` }, letter);
}

/** @returns {HTMLElement} */
export function byId(id) {
  return document.getElementById(id);
}

export function replaceChildren(element, ...children) {
  element.replaceChildren(...children.flat(2).filter(isShown).map(asNode));
}

/** A wide thing that scrolls by itself, with the keyboard too. */
export function scrolling(label, ...children) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/** A labelled choice among names; `changed` is called with the place of the chosen one, `select` is the field itself. */
export function chooser(label, names, chosen, changed, letter = null) {
  const select = el(
    "select",
    { change: () => changed(select.selectedIndex) },
    names.map((name, i) => el("option", { value: i, selected: i === chosen }, shortened(name))),
  );
  return Object.assign(el("label", { class: "chooser" }, el("span", {}, label), letter && swatch(letter), select), { select });
}

/** A few choices side by side. */
export function radios(legend, names, chosen, changed) {
  const group = `radio-${(radios.count = (radios.count ?? 0) + 1)}`;
  return el(
    "fieldset",
    { class: "radios" },
    el("legend", {}, legend),
    names.map((name, i) =>
      el("label", {}, el("input", { type: "radio", name: group, checked: i === chosen, change: () => changed(i) }), name),
    ),
  );
}

/** Names of any length, for places that cannot clip them by style. */
export function shortened(text, limit = 60) {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
