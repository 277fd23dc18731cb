// The bar that stays in sight: the measure and the two systems that the whole page speaks of.
import { chooser, el, replaceChildren } from "./dom.js";
import { choose, state, watch } from "./state.js";

export function showControls(bar, report) {
  const names = report.measures.map((measure) => measure.name);
  const fields = { measure: chooser("Measure", names, state.measure, (measure) => choose({ measure })) };
  if (report.systems.length > 1) {
    fields.a = chooser("compared", report.systems, state.a, (a) => choose({ a }), "A");
    fields.b = chooser("with", report.systems, state.b, (b) => choose({ b }), "B");
  }
  const swap = el("button", { type: "button", click: () => choose({ a: state.b, b: state.a }) }, "Swap A and B");
  replaceChildren(bar, Object.values(fields), fields.a && swap);
  watch(["measure", "a", "b"], () => {
    for (const [name, field] of Object.entries(fields)) field.select.selectedIndex = state[name];
  });
}
