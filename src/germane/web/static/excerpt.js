// The passages of a long document that speak most of the topic.

import { hitsIn } from "./highlight.js";

export const SHORT = 1600;
const PASSAGE = 480;
const MOST_PASSAGES = 3;
const READ = 400000;

// [start, end] of the passages to show, in order; null where the document is short enough to be shown whole.
export function passagesOf(text, matcher) {
  if (text.length <= SHORT) return null;
  const hits = hitsIn(text.slice(0, READ), matcher);
  const chosen = [[0, cutAfter(text, PASSAGE)]];
  const best = bestWindows(hits);
  for (const centre of best) {
    const start = cutBefore(text, Math.max(0, centre - PASSAGE / 2));
    const end = cutAfter(text, Math.min(text.length, centre + PASSAGE / 2));
    if (chosen.every(([from, to]) => end <= from || start >= to)) chosen.push([start, end]);
    if (chosen.length > MOST_PASSAGES) break;
  }
  return chosen.sort((a, b) => a[0] - b[0]);
}

// Places with many different terms near each other, the best first.
function bestWindows(hits) {
  const windows = [];
  let first = 0;
  const inside = new Map();
  hits.forEach(([start, end, term], last) => {
    inside.set(term, (inside.get(term) ?? 0) + 1);
    while (start - hits[first][0] > PASSAGE) {
      const left = hits[first][2];
      inside.set(left, inside.get(left) - 1);
      if (!inside.get(left)) inside.delete(left);
      first += 1;
    }
    windows.push([inside.size * 10 + (last - first + 1), (hits[first][0] + end) / 2]);
  });
  return windows.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, centre]) => centre).slice(0, 200);
}

function cutAfter(text, at) {
  if (at >= text.length) return text.length;
  const next = text.slice(at, at + 80).search(/\s/);
  return next < 0 ? at : at + next;
}

function cutBefore(text, at) {
  if (at <= 0) return 0;
  const before = text.slice(Math.max(0, at - 80), at).search(/\s\S*$/);
  return before < 0 ? at : Math.max(0, at - 80) + before + 1;
}
