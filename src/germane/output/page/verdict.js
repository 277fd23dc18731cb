// The verdict on the chosen measure, as the library worded it: the best system, who leads in other measures, where it fails, what is unjudged.
import { el, nameOf, replaceChildren } from "./dom.js";
import { openQuery } from "./query.js";
import { state, watch } from "./state.js";

export function showVerdict(section, report) {
  const holder = el("div", { "aria-live": "polite" });
  section.append(holder);
  watch(["measure"], () => {
    const { best, others, fails, unjudged } = report.verdicts[state.measure];
    const rest = [others, fails, unjudged].filter((sentence) => sentence.length);
    replaceChildren(
      holder,
      el("p", { class: "lead" }, best.map((part) => shown(report, part))),
      rest.map((sentence) => el("p", {}, sentence.map((part) => shown(report, part)))),
    );
  });
}

/** Text as it is; a system by its name; a query by a button that opens it. */
function shown(report, part) {
  if (typeof part === "string") return part;
  if ("system" in part) return nameOf(report.systems[part.system]);
  return el("button", { type: "button", class: "link", click: () => openQuery(part.query) }, nameOf(report.queries[part.query]));
}
