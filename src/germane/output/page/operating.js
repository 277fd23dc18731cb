// The operating point: the four cells at the threshold that is chosen, and every rate of them by the library's formulas.
import { formula } from "./expression.js";
import { short } from "./format.js";
import { state } from "./state.js";

/**
 * The rates of the registry, ready to be evaluated.
 * @param {{name: string, formula: string, parameters: {name: string, value: number}[]}[]} rates
 */
export function readyRates(rates) {
  return rates.map((rate) => ({ ...rate, compute: formula(rate.formula) }));
}

/** Whole numbers, exact at every stop. */
export function cellsAt(view, stop) {
  const [TP, FP] = [view.TP[stop], view.FP[stop]];
  return { TP, FP, FN: view.num_positive - TP, TN: view.num_negative - FP };
}

/** What the reader has set, else what the registry or the data say. */
export function parametersOf(rate, view) {
  const filled = {};
  for (const { name, value } of rate.parameters) {
    filled[name] = state.parameters[name] ?? value ?? (name === "prevalence" ? view.prevalence : 0.5);
  }
  return filled;
}

export function rateAt(rate, view, stop) {
  return rate.compute({ ...cellsAt(view, stop), ...parametersOf(rate, view) });
}

/** A rate under the name that says what was chosen: F with beta 1 is F1. */
export function shownName(rate, view) {
  return rate.name === "F" ? `F${short(parametersOf(rate, view).beta)}` : rate.name;
}

export function thresholdAt(view, stop) {
  return Number(view.thresholds[stop]); // "Infinity" is text in JSON
}

/** In full: the library has made it as short as it can be without changing a count. */
export function thresholdText(value) {
  return Number.isFinite(value) ? String(value) : value > 0 ? "∞" : "−∞";
}

/** The stop at which a rate is best, the highest of equally good ones. */
export function bestStop(rate, view) {
  const sign = rate.better === "lower" ? -1 : 1;
  let [best, found] = [-Infinity, null];
  for (let stop = view.thresholds.length - 1; stop >= 0; stop--) {
    const value = sign * rateAt(rate, view, stop);
    if (value > best) [best, found] = [value, stop];
  }
  return found;
}
