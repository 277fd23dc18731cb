// Buttons that move the threshold to the choice of a rule, and the undecided zone.
import { el, replaceChildren } from "./dom.js";
import { counted, percent } from "./format.js";
import { bestStop, thresholdAt, thresholdText } from "./operating.js";
import { choose, state, watch } from "./state.js";

export function showRules(section, views, rates) {
  const buttons = el("div", { class: "rules", role: "group", "aria-label": "Threshold rules" });
  const said = el("p", { class: "hint", "aria-live": "polite" });
  const zones = el("div", { class: "rules", role: "group", "aria-label": "Undecided zone" });
  const zoned = el("p", { class: "hint" });
  section.append(buttons, said, zones, zoned);
  const cost = rates.find((rate) => rate.name === "cost");

  watch(["view"], () => {
    const view = views[state.view];
    const rules = [
      ...(view.reported === null ? [] : [{ rule: "as reported", words: "threshold of the report", stop: view.reported }]),
      ...view.rules,
    ].map((rule) => ({ ...rule, where: () => rule.stop }));
    // On costs that the reader sets the library cannot know the answer. It kept every corner of the ROC curve's hull,
    // and one of these is best for any costs.
    rules.push({ rule: "lowest cost", words: "lowest expected cost, for the costs and prevalence below", where: () => bestStop(cost, view) });
    replaceChildren(buttons, rules.map((rule) => ruleButton(rule)));
    replaceChildren(zones, view.pairs.map((pair, i) => zoneButtons(pair, i)).flat());
    replaceChildren(zoned, view.pairs.length ? "" : view.no_zone && `No undecided zone: ${view.no_zone}.`);
    mark();
  });
  watch(["view", "stop", "parameters", "zone"], mark);

  function ruleButton(rule) {
    const button = el(
      "button",
      { type: "button", title: rule.words, "aria-pressed": "false", click: () => choose({ stop: rule.where() ?? state.stop }) },
      rule.rule,
    );
    button.rule = rule;
    return button;
  }

  function zoneButtons(pair, i) {
    const toggle = el(
      "button",
      { type: "button", title: pair.words, "aria-pressed": "false", class: "zone", click: () => choose({ zone: state.zone === i ? null : i }) },
      `undecided zone: ${pair.rule}`,
    );
    const ends = [["rule out", pair.out], ["rule in", pair.in]].map(([name, stop]) =>
      ruleButton({ rule: name, words: `${name.replace(" ", "-")} threshold`, where: () => stop }),
    );
    return [toggle, ...ends];
  }

  function mark() {
    const view = views[state.view];
    const here = [];
    for (const button of section.querySelectorAll(".rules button")) {
      if (!button.rule) continue;
      const chosen = button.rule.where() === state.stop;
      button.setAttribute("aria-pressed", String(chosen));
      if (chosen) here.push(`${button.rule.rule} (${button.rule.words})`);
    }
    replaceChildren(said, here.length ? `At this threshold: ${here.join("; ")}.` : "No rule chooses this threshold.");
    zones.querySelectorAll(".zone").forEach((button, i) => button.setAttribute("aria-pressed", String(state.zone === i)));
    const pair = view.pairs[state.zone];
    if (pair) replaceChildren(zoned, zoneWords(view, pair));
    else if (view.pairs.length) replaceChildren(zoned);
  }
}

function zoneWords(view, pair) {
  const [out, into] = [pair.out, pair.in].map((stop) => thresholdText(thresholdAt(view, stop)));
  if (pair.crossed) return `Rule-in (${into}) is at or below rule-out (${out}), so there is no undecided zone; any threshold between them meets both targets.`;
  const items = pair.positives + pair.negatives;
  return `Undecided from ${out} up to ${into}: ${counted(items, "item")}, ${percent(pair.share)} of all (${pair.positives} positive, ${pair.negatives} negative).`;
}
