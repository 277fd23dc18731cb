// The values of the runs, looked up.
import { shortened } from "./dom.js";

/** The systems in the order of a measure's means, the best first. */
export function bestFirst(report, measure) {
  const sign = report.measures[measure].lower ? 1 : -1;
  const mean = (system) => report.means[system][measure];
  return report.systems
    .map((_, system) => system)
    .sort((a, b) => (mean(a) === null) - (mean(b) === null) || sign * (mean(a) - mean(b)) || a - b);
}

/** The pair that a page compares unless the reader chooses: A is the baseline or the best system, B the best of the rest. */
export function initialPair(report, measure) {
  const [best, second = best] = bestFirst(report, measure);
  const a = report.baseline === null ? best : report.systems.indexOf(report.baseline);
  return { a, b: a === best ? second : best };
}

/** The values of one system, in the order of the queries. */
export function valuesOf(values, measure, system) {
  return values[measure][system];
}

const OTHERS = "others"; // as the specs call all systems that are not chosen

/** The two chosen systems as legends name them, the second one first: short, different, and unlike the others. */
export function chosenNames(report, { a, b }) {
  const full = [...new Set([b, a])].map((system) => report.systems[system]);
  const brief = full.map((name) => shortened(name, 40));
  const names = new Set(brief).size === full.length ? brief : full;
  return names.map((name) => (name === OTHERS ? `“${name}”` : name));
}

/** Which line a system is drawn with. */
export function seriesOf(report, system, state) {
  const [second, first] = chosenNames(report, state);
  return system === state.b ? second : system === state.a ? first : OTHERS;
}
