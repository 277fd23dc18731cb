// The state of the page as the fragment of its address, so that it can be sent, bookmarked and gone back to.
import { byId } from "./dom.js";
import { revealQuery } from "./query.js";
import { choose, state, watch } from "./state.js";

const READABLE = /%(?:40|2C|3A|2F)/g; // @ , : / need no escape in a fragment

/**
 * Choose what the address says, keep the address up to date, and follow it when the reader goes back.
 * @param {Record<string, {names?: string[], initial: any}>} fields  a choice among names by its place, or plain text
 * @param {(unknown: [string, string][]) => void} warn  told what the address names and the page lacks
 * @returns {{scroll: () => void}}  to scroll to the section that the address names, once there is something to see
 */
export function linkState(fields, warn) {
  let last;
  let following = false;

  function follow() {
    const { values, section, unknown } = parsed(location.hash);
    const changes = section ? {} : Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial]));
    for (const [name, text] of values) {
      const names = fields[name]?.names;
      const value = names ? names.findIndex((each) => wellFormed(each) === text) : text;
      if (!(name in fields) || value === -1) unknown.push([name, text]);
      else changes[name] = value;
    }
    if (section) changes.at = section;
    if (changes.query !== undefined && changes.query !== state.query && changes.query !== null) revealQuery();
    following = true;
    choose(changes);
    following = false;
    last = fragment();
    if (section) record("replaceState");
    warn(unknown);
  }

  /** The section that was gone to last; an open query scrolls by itself. */
  function scroll() {
    if (state.query === null) byId(state.at ?? "")?.scrollIntoView();
  }

  function fragment() {
    const set = Object.entries(fields).filter(([name]) => state[name] !== null);
    return `#${set.map(([name, { names }]) => `${name}=${escaped(names ? names[state[name]] : state[name])}`).join("&")}`;
  }

  function record(how) {
    try {
      history[how](null, "", fragment());
    } catch {
      // A frame without an address of its own has no history; the page works there without links.
    }
  }

  follow();
  window.addEventListener("hashchange", () => {
    follow();
    scroll();
  });
  watch(Object.keys(fields), () => {
    if (following || fragment() === last) return;
    last = fragment();
    record("pushState");
  });
  return { scroll };
}

/** The pairs of a fragment; one without any is the id of a section. */
function parsed(hash) {
  const unknown = [];
  const values = [];
  const text = hash.replace(/^#/, "");
  if (text && !text.includes("=")) return { values, unknown, section: byId(text) ? text : null };
  for (const pair of text.split("&").filter(Boolean)) {
    const at = pair.indexOf("=");
    try {
      values.push([pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]);
    } catch {
      unknown.push([pair.slice(0, at), pair.slice(at + 1)]);
    }
  }
  return { values, unknown, section: null };
}

function escaped(text) {
  return encodeURIComponent(wellFormed(text)).replace(READABLE, decodeURIComponent);
}

/** Half a surrogate pair, which a damaged file may have in a name, has no place in an address. */
function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
