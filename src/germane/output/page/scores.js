// The values of the runs, looked up.
import { column } from "./blocks.js";

/** The systems in the order of a measure's means, the best first. */
export function bestFirst(report, measure) {
  const sign = report.measures[measure].lower ? 1 : -1;
  const mean = (system) => report.means[system][measure];
  return report.systems
    .map((_, system) => system)
    .sort((a, b) => (mean(a) === null) - (mean(b) === null) || sign * (mean(a) - mean(b)) || a - b);
}

/** The values of one system, in the order of the queries. */
export function valuesOf(values, measure, system) {
  return column(values.columns, values.at[measure][system]);
}

/** Which line a system is drawn with. */
export function seriesOf(system, state) {
  return system === state.b ? "B" : system === state.a ? "A" : "others";
}
