// The order of what the search finds. Sphinx calls `score` for each result; the rest are its own weights.
//
// A section whose heading is what was asked for comes first, and of several the one of the reference. An option is looked up
// in the list of commands. A Python name has a page of its own, which its name alone should not put before a how-to. What is
// new and how to contribute mention everything, and come last.
const asked = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();

var Scorer = {
  score: ([page, title, , , score]) => {
    const heading = title.split(" > ").pop().toLowerCase();
    const reference = page.startsWith("docs/reference/") && !page.startsWith("docs/reference/python/");
    if (heading === asked) return score + (reference ? 200 : 100);
    if (asked.startsWith("--") && page === "docs/reference/commands") return score + 50;
    return page.startsWith("docs/") ? score : score - 10;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
