// One document of the open query, in full: its judgment, its ranks, and its text with the words of the query marked.
import { readBlock } from "./blocks.js";
import { el, nameOf, replaceChildren, swatch } from "./dom.js";
import { NOTHING } from "./format.js";
import { isPicture, marked, picture, wordsOf } from "./document.js";
import { badge, placesIn } from "./ranking.js";
import { choose, state, watch } from "./state.js";

export function showDocument(section, report) {
  const dialog = el("dialog", { "aria-labelledby": "document-heading", close: () => choose({ document: null }) });
  section.append(dialog);
  watch(["document", "query", "a", "b"], async () => {
    const [rankings, { texts, words }] = await Promise.all(["rankings", "documents"].map(readBlock));
    const { query: q, document: id, a, b } = state;
    const query = rankings[q];
    const place = query?.documents.indexOf(id) ?? -1;
    if (place < 0 || !Object.hasOwn(texts, id)) {
      if (dialog.open) dialog.close();
      return;
    }
    const asked = report.queries[q];
    const found = wordsOf(words, asked);
    const rank = (r) => placesIn(query, r).get(place) ?? NOTHING;
    replaceChildren(
      dialog,
      el(
        "div",
        { class: "bar" },
        el("h3", { id: "document-heading" }, "Document ", nameOf(id)),
        el("button", { type: "button", autofocus: true, click: () => dialog.close() }, "Close"),
      ),
      el("p", { class: "hint" }, "Query ", nameOf(asked), report.questions?.[q] && `: ${report.questions[q].title}`),
      el("p", {}, badge(query.grades[place]), [...new Set([b, a])].map((r) => [" · rank ", rank(r), " in ", swatch(r === b ? "B" : "A"), nameOf(report.systems[r])])),
      isPicture(texts[id]) ? picture(id, texts[id]) : texts[id].split("\n").map((line) => el("p", { class: "words" }, marked(line, found))),
      texts[id].endsWith("…") && el("p", { class: "hint" }, "This report has only the beginning of the document."),
    );
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  });
}
