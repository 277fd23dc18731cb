// The bar that stays in sight: the measure and the two systems that the page compares.
import { chooser, el, replaceChildren } from "./dom.js";
import { initialPair } from "./scores.js";
import { choose, state, watch } from "./state.js";

export function showControls(bar, report) {
  const names = report.measures.map((measure) => measure.name);
  const fields = { measure: chooser("Measure", names, state.measure, chooseMeasure) };
  if (report.systems.length > 1) {
    fields.b = chooser("Compare", report.systems, state.b, (b) => choose({ b }), "B");
    fields.a = chooser("with", report.systems, state.a, (a) => choose({ a }), "A");
  }
  const swap = el("button", { type: "button", click: () => choose({ a: state.b, b: state.a }) }, "Swap");
  replaceChildren(bar, Object.values(fields), fields.a && swap);

  /** The pair follows the measure until the reader chooses another pair. */
  function chooseMeasure(measure) {
    const { a, b } = initialPair(report, state.measure);
    choose({ measure, ...(state.a === a && state.b === b && initialPair(report, measure)) });
  }

  watch(["measure", "a", "b"], () => {
    for (const [name, field] of Object.entries(fields)) field.select.selectedIndex = state[name];
  });
}
