// The bar that stays in sight: which scores, the slider that moves the threshold, and what it makes of the items.
import { chooser, el, nameOf, replaceChildren } from "./dom.js";
import { cellsAt, thresholdAt, thresholdText } from "./operating.js";
import { choose, state, watch } from "./state.js";

export function showThresholdBar(bar, report, views) {
  const slider = el("input", {
    type: "range",
    id: "threshold-slider",
    min: 0,
    step: 1,
    input: () => choose({ stop: slider.valueAsNumber }),
  });
  const reading = el("output", { for: "threshold-slider", class: "reading" });
  const counts = el("span", { class: "reading-counts" });
  const label = report.by_class ? "Class" : "Classifier";
  const names = views.map((view) => view.name);
  bar.append(
    ...(views.length > 1 ? [chooser(label, names, 0, (view) => choose({ view, stop: firstStop(views[view]) }))] : []),
    el("label", { for: "threshold-slider" }, "Threshold"),
    slider,
    reading,
    counts,
  );
  watch(["view", "stop"], () => {
    const view = views[state.view];
    const threshold = thresholdText(thresholdAt(view, state.stop));
    const { TP, FP, FN, TN } = cellsAt(view, state.stop);
    slider.max = String(view.thresholds.length - 1);
    slider.value = String(state.stop);
    slider.setAttribute("aria-valuetext", `threshold ${threshold}: ${TP} true and ${FP} false positives`);
    replaceChildren(reading, `score ≥ ${threshold} is `, nameOf(view.positive));
    replaceChildren(counts, `TP ${TP} · FP ${FP} · FN ${FN} · TN ${TN}`);
  });
}

/** Where the slider stands at first: where the rule asked for puts it, else at what was reported, else at Youden's. */
export function firstStop(view) {
  const youden = view.rules.find((rule) => rule.rule === "youden");
  return view.opens ?? view.reported ?? youden?.stop ?? Math.floor(view.thresholds.length / 2);
}
