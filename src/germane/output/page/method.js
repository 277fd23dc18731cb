// Methods: the settings behind the numbers, and notes on them.
import { el, nameOf, shortened } from "./dom.js";

const SHOWN = 3; // runs that a note names before it is opened

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
      : el("p", {}, report.nothing_noted ?? "No issues: all queries present, no ties or unjudged documents at the cutoffs."),
  );
}

/** Notes that say the same of several runs, together. */
function alike(notes) {
  const groups = new Map();
  for (const note of notes) {
    const key = `${note.code} ${note.what}`;
    groups.set(key, [...(groups.get(key) ?? []), note]);
  }
  return [...groups.values()];
}

function oneNote(group) {
  if (group.length === 1) return el("li", {}, told(group[0]));
  const weight = (note) => note.share ?? note.count ?? 0;
  const most = [...group].sort((a, b) => weight(b) - weight(a));
  const some = most.slice(0, SHOWN).flatMap((note, i) => [i ? ", " : "", nameOf(note.run), ` ${note.amount}`]);
  if (group.length <= SHOWN) return el("li", {}, `${group[0].what}: `, some);
  return el(
    "li",
    {},
    el(
      "details",
      {},
      el("summary", {}, `${group[0].what}: `, some, ` and ${group.length - SHOWN} more`),
      el("ul", {}, most.map((note) => el("li", {}, told(note)))),
    ),
  );
}

function told(note) {
  const names = (note.examples ?? []).map((name) => shortened(name)).join(", ");
  const others = (note.count ?? 0) > (note.examples ?? []).length ? ", …" : "";
  return [note.run && nameOf(note.run), note.run && ": ", note.message, names && ` (${names}${others})`];
}
