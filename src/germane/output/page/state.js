// What the reader has chosen, and who wants to know.

const watchers = [];
export const state = {};

/** Call `watcher` now and whenever one of these choices changes. */
export function watch(names, watcher) {
  watchers.push({ names, watcher });
  watcher();
}

/** Choose; whoever watches is told once. */
export function choose(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  for (const { names, watcher } of watchers) if (names.some((name) => changed.includes(name))) watcher();
}
