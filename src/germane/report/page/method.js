// What was measured and how, and what a reader of the numbers must know.
import { el, nameOf } from "./dom.js";

export function showMethod(section, report) {
  section.append(
    el(
      "dl",
      { class: "settings" },
      report.settings.map(([what, how]) => el("div", {}, el("dt", {}, what), el("dd", {}, how))),
    ),
    el("h3", {}, "Notes"),
    report.notes.length
      ? el("ul", { class: "notes" }, alike(report.notes).map(oneNote))
      : el("p", {}, "Nothing to note: every run has every query, and nothing is tied or unjudged where it matters."),
  );
}

/** Notes of one code together: what is the same in many runs is said once. */
function alike(notes) {
  const groups = new Map();
  for (const note of notes) groups.set(note.code, [...(groups.get(note.code) ?? []), note]);
  return [...groups.values()];
}

function oneNote(group) {
  const told = (note) => [
    note.run && nameOf(note.run),
    note.run && ": ",
    note.message,
    note.examples && ` (${note.examples.join(", ").slice(0, 200)}${(note.count ?? 0) > note.examples.length ? ", …" : ""})`,
  ];
  if (group.length === 1) return el("li", {}, told(group[0]));
  return el(
    "li",
    {},
    el(
      "details",
      {},
      el("summary", {}, `${group.length} runs: ${group[0].message}`, " and the like"),
      el("ul", {}, group.map((note) => el("li", {}, told(note)))),
    ),
  );
}
