// Snippets below the search results. Sphinx fetches each page for them, which browsers refuse over file://, so the texts come
// with the site in texts.js: by page, a list of [anchor, text], one per section.

const ROOMS = { tutorial: "Tutorial", how_to: "How to", reference: "Reference", explanation: "Why" };
const AROUND = 110;
const LENGTH = 260;

/** Return an expression that matches the words of the query and their stems. */
function wanted() {
  const asked = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
  const words = (asked.match(/[\p{L}\p{N}_-]+/gu) || []).filter((word) => !stopwords.has(word));
  const stems = words.map((word) => new Stemmer().stemWord(word)).filter((stem) => stem.length > 2);
  const known = [...new Set([...words, ...stems])].sort((a, b) => b.length - a.length);
  const escaped = known.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})[\\p{L}\\p{N}]*`, "giu") : null;
}

/** Return anchor and text of the section that was found; of a page, of its section with most of the words. */
function bestSection(page, anchor, pattern) {
  const sections = (window.siteTexts || {})[page] || [];
  const found = sections.filter(([id]) => anchor && id === anchor);
  return (found.length ? found : sections).reduce(
    (a, b) => (a[1] && distinct(a[1], pattern) >= distinct(b[1], pattern) ? a : b), ["", ""]);
}

/** Count the different words of the query in a text. */
function distinct(text, pattern) {
  return new Set((text.match(pattern) || []).map((word) => word.toLowerCase())).size;
}

/** Return where the part of a text starts that has most of the words; of several, the first. */
function bestStart(text, pattern) {
  const starts = [...text.matchAll(pattern)].map(({ index }) => (index <= AROUND / 2 ? 0 : text.indexOf(" ", index - AROUND / 2) + 1));
  const worth = (start) => distinct(text.slice(start, start + LENGTH), pattern);
  return starts.reduce((best, start) => (worth(start) > worth(best) ? start : best), starts[0] ?? 0);
}

/** Make a paragraph of a part of a text, with the words marked. */
function snippet(text, pattern) {
  const start = bestStart(text, pattern);
  const end = Math.min(text.length, start + LENGTH);
  const shown = text.slice(start, end < text.length ? text.lastIndexOf(" ", end) : end);
  const line = document.createElement("p");
  line.className = "context";
  if (start) line.append("… ");
  let at = 0;
  for (const match of shown.matchAll(pattern)) {
    line.append(shown.slice(at, match.index));
    line.append(Object.assign(document.createElement("mark"), { textContent: match[0] }));
    at = match.index + match[0].length;
  }
  line.append(shown.slice(at), start + shown.length < text.length ? " …" : "");
  return line;
}

/** Add the kind of page and a snippet to a search result. */
function explain(item, pattern) {
  const link = item.querySelector("a");
  const [page, anchor] = link.getAttribute("href").split("#");
  const name = page.replace(/\.html$/, "");
  const room = ROOMS[name.split("/")[1]];
  if (room) item.prepend(Object.assign(document.createElement("span"), { className: "room", textContent: room }), " ");
  const [place, text] = bestSection(name, anchor, pattern);
  if (!text) return;
  if (!anchor && !distinct(link.textContent, pattern)) link.hash = place; // the words are below another heading
  item.append(snippet(text, pattern));
}

document.addEventListener("DOMContentLoaded", () => {
  const pattern = wanted();
  const results = document.getElementById("search-results");
  if (!pattern || !results) return;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node.nodeName === "LI") explain(node, pattern);
  }).observe(results, { childList: true, subtree: true });
});
