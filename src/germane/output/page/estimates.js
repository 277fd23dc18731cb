// Measures with confidence intervals and all their names: overall, averaged over classes, and by class.
import { chooser, el, nameOf, replaceChildren, scrolling } from "./dom.js";
import { interval, levelText } from "./format.js";
import { rateText } from "./rates.js";
import { sortable } from "./tables.js";

export function showEstimates(section, report, estimates) {
  const chosen = { classifier: 0, group: 0 };
  const bar = el("div", { class: "bar" });
  const holder = el("div");
  section.append(bar, holder);

  function draw() {
    const found = estimates[chosen.classifier];
    chosen.group = Math.min(chosen.group, found.groups.length - 1);
    replaceChildren(
      bar,
      estimates.length > 1 && chooser(report.called ?? "Classifier", report.classifiers, chosen.classifier, (classifier) => draw((chosen.classifier = classifier))),
      found.groups.length > 1 && chooser("Group", found.groups.map(groupName), chosen.group, (group) => draw((chosen.group = group))),
    );
    replaceChildren(holder, estimatesTable(found, chosen.group, report.level));
  }
  draw();
}

function groupName({ kind, name }) {
  if (kind === "everything") return name ? `overall, positive class ${name}` : "overall";
  return kind === "average" ? `${name} average` : `class ${name}`;
}

/** One group of estimates as a table. */
export function estimatesTable(found, place, level) {
  const group = found.groups[place];
  const at = found.threshold === null ? "" : `, at threshold ${found.threshold}`;
  const rows = group.measure.map((_, i) => i);
  const number = (value) => (value === null ? null : Number(value));
  const { table } = sortable({
    caption: `${found.name.slice(0, 100)}: ${groupName(group).slice(0, 100)}${at}, with ${levelText(level)} confidence intervals; – means 0/0`,
    limit: Infinity,
    rows,
    columns: [
      { title: "Measure", value: (i) => found.measures[group.measure[i]], show: (i) => nameOf(found.measures[group.measure[i]]), heading: true },
      { title: "Value", value: (i) => number(group.value[i]), show: (i) => rateText(group.value[i]), numeric: true },
      { title: "Interval", value: (i) => number(group.low[i]), show: (i) => intervalText(group, i), numeric: true },
      { title: "Method", value: (i) => found.words[group.method[i]] },
      { title: "Also called", value: (i) => found.also[group.measure[i]] },
      { title: "Remark", value: (i) => found.words[group.remark[i]] },
    ],
  });
  table.classList.add("estimates");
  return scrolling("Measures with intervals", table);
}

export function intervalText(group, i, digits) {
  const [low, high] = [group.low[i], group.high[i]].map((end) => (end === null ? null : Number(end))); // infinity is text
  return [low, high].every((end) => end === null || Number.isFinite(end)) ? interval(low, high, digits) : `[${rateText(low)}, ${rateText(high)}]`;
}
