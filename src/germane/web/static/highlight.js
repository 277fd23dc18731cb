// The words of a topic, found in a document and marked, as text nodes.

const COMMON = new Set(("a about an and any are as at be been but by can could description did do document documents does " +
  "for from had has have how i if in information into is it its may might must no not of on or other relevant should " +
  "some such than that the their them there these they this those to was were what when where which who whom why will " +
  "with would you your find identify discuss discusses").split(" "));
const ENDINGS = /(?:ations?|ings?|ies|ied|ed|es|s|y|e)$/u;
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MOST_TERMS = 24;
const MOST_HITS = 3000;

// The terms of a text, each as {stem, whole}; a term matches all words that begin with its stem.
export function termsOf(text) {
  const found = new Map();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (COMMON.has(word) || (word.length < 2 && !NO_SPACES.test(word))) continue;
    const shorter = word.replace(ENDINGS, "");
    const stem = shorter.length >= 4 ? shorter : word;
    if (!found.has(stem)) found.set(stem, { stem, exact: stem.length < 4 });
  }
  return [...found.values()].slice(0, MOST_TERMS);
}

// One expression for all terms, and which term a word belongs to.
export function matcherOf(terms) {
  if (!terms.length) return null;
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
  const inner = [...terms].sort((a, b) => b.stem.length - a.stem.length).map(({ stem, exact }) =>
    NO_SPACES.test(stem) ? escape(stem) : `(?<![\\p{L}\\p{N}])${escape(stem)}${exact ? "(?![\\p{L}\\p{N}])" : "[\\p{L}\\p{N}]*"}`);
  return { expression: new RegExp(inner.join("|"), "giu"), terms };
}

function termIndex(matcher, word) {
  const lower = word.toLowerCase();
  const at = matcher.terms.findIndex(({ stem, exact }) => (exact ? lower === stem : lower.startsWith(stem)));
  return Math.max(0, at) % 6;
}

// [start, end, term] of each hit.
export function hitsIn(text, matcher, most = MOST_HITS) {
  const found = [];
  if (matcher === null) return found;
  for (const match of text.matchAll(matcher.expression)) {
    if (!match[0].length) continue;
    found.push([match.index, match.index + match[0].length, termIndex(matcher, match[0])]);
    if (found.length >= most) break;
  }
  return found;
}

// Text nodes and marks, made in the given document (a page's own, or that of an iframe).
export function marked(text, matcher, owner = document, most = MOST_HITS) {
  const made = owner.createDocumentFragment();
  let from = 0;
  for (const [start, end, term] of hitsIn(text, matcher, most)) {
    if (start > from) made.append(owner.createTextNode(text.slice(from, start)));
    const mark = owner.createElement("mark");
    mark.className = `term-${term}`;
    mark.append(owner.createTextNode(text.slice(start, end)));
    made.append(mark);
    from = end;
  }
  if (from < text.length) made.append(owner.createTextNode(text.slice(from)));
  return made;
}

// Marks the words inside a tree that is already there.
export function markInside(root, matcher) {
  const owner = root.ownerDocument;
  for (const old of root.querySelectorAll("mark[class^=term-]")) {
    const parent = old.parentNode;
    old.replaceWith(...old.childNodes);
    parent.normalize();
  }
  if (matcher === null) return;
  const walker = owner.createTreeWalker(root, 4 /* NodeFilter.SHOW_TEXT */);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  let left = MOST_HITS;
  for (const node of texts) {
    if (left <= 0) break;
    const count = hitsIn(node.data, matcher, left).length;
    if (count) node.replaceWith(marked(node.data, matcher, owner, left));
    left -= count;
  }
}
