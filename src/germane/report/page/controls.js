// The bar that stays in sight: the measure and the two systems that the whole page speaks of.
import { chooser, el, replaceChildren } from "./dom.js";
import { choose, state, watch } from "./state.js";

export function showControls(bar, report) {
  const names = report.measures.map((measure) => measure.name);
  const swap = el("button", { type: "button", click: () => choose({ a: state.b, b: state.a }) }, "Swap A and B");
  watch(["measure", "a", "b"], () => {
    const focused = bar.contains(document.activeElement) ? [...bar.querySelectorAll("select, button")].indexOf(document.activeElement) : -1;
    replaceChildren(
      bar,
      chooser("Measure", names, state.measure, (measure) => choose({ measure })),
      report.systems.length > 1 && chooser("compared", report.systems, state.a, (a) => choose({ a }), "A"),
      report.systems.length > 1 && chooser("with", report.systems, state.b, (b) => choose({ b }), "B"),
      report.systems.length > 1 && swap,
    );
    if (focused >= 0) bar.querySelectorAll("select, button")[focused]?.focus();
  });
}
