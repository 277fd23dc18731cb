// Which systems the figures draw: all of them, or, where they are many, the best, A, B and those that the reader picks.
import { bestFirst } from "./scores.js";
import { state } from "./state.js";

const MANY_SYSTEMS = 20; // systems above which letters and figures of all of them cannot be read
const DRAWN_FIRST = 10;

/** The choices that decide what is drawn. */
export const DRAWING = ["measure", "a", "b", "first", "picked"];

export function areMany(report) {
  return report.systems.length > MANY_SYSTEMS;
}

/** How many of the best are drawn. */
export function numFirst() {
  return state.first ?? DRAWN_FIRST;
}

/** The systems that the reader picked. */
export function picked() {
  return state.picked ?? [];
}

/** The systems that are drawn whether they are picked or not: the best by the chosen measure, A and B. */
export function alwaysDrawn(report) {
  return new Set([...bestFirst(report, state.measure).slice(0, areMany(report) ? numFirst() : Infinity), state.a, state.b]);
}

/** The systems that figures draw, the best first. */
export function drawnSystems(report) {
  const drawn = new Set([...alwaysDrawn(report), ...picked()]);
  return bestFirst(report, state.measure).filter((system) => drawn.has(system));
}

/** What grey lines are, in figures that have a colour for A and B only. */
export function othersInWords(report) {
  const others = drawnSystems(report).filter((system) => system !== state.a && system !== state.b);
  return others.length ? "Grey lines: other systems." : null;
}
