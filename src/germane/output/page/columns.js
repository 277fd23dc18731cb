// What the page works out because it need not be stored: hits, curves and differences, in the library's order of sums.
import { readBlock, whenRead } from "./blocks.js";

const SAME_VALUE = 1e-9; // values this close, relative to the larger one, are the same value
const SAME_COLUMN = 1e-12; // so are columns whose values differ by less

whenRead("rankings", (queries) => {
  for (const query of queries) {
    query.beyond = query.deep.map((documents, r) => {
      let rank = 0;
      return documents.flatMap((document, i) => [document, (rank += query.steps[r][i])]);
    });
  }
});

/** The relevant documents that a system retrieved for a query, by rank: [rank, document]. */
export function relevantHits(query, system) {
  const hits = [];
  query.top[system].forEach((document, i) => query.grades[document] > 0 && hits.push([i + 1, document]));
  const beyond = query.beyond[system];
  for (let i = 0; i < beyond.length; i += 2) hits.push([beyond[i + 1], beyond[i]]);
  return hits;
}

/** The points of one query's curve: [recall, precision] at every relevant document. */
export function curvePoints(curves, rankings, system, q) {
  const relevant = relevantHits(rankings[q], system).filter(([, document]) => rankings[q].grades[document] >= 1);
  return relevant.map(([rank], i) => [(i + 1) / curves.relevant[q], (i + 1) / rank]);
}

/** Interpolated precision of one query at each level; null where the system did not answer it. */
export function interpolated(curves, rankings, system, q, levels) {
  if (curves.scored && !curves.scored[system][q]) return levels.map(() => null);
  const points = curvePoints(curves, rankings, system, q);
  for (let i = points.length - 2; i >= 0; i--) points[i][1] = Math.max(points[i][1], points[i + 1][1]);
  let at = 0;
  return levels.map((level) => {
    while (at < points.length && points[at][0] < level) at++;
    return at < points.length ? points[at][1] : 0;
  });
}

/** Interpolated precision at each level, the mean over the queries that the system answered. */
export function meanCurve(curves, rankings, system, levels) {
  const sums = levels.map(() => 0);
  let count = 0;
  for (let q = 0; q < rankings.length; q++) {
    const values = interpolated(curves, rankings, system, q, levels);
    if (values[0] === null) continue;
    count++;
    values.forEach((value, i) => (sums[i] += value));
  }
  return sums.map((sum) => (count ? sum / count : null));
}

whenRead("pairs", async (pairs) => {
  if (!pairs.derived) return;
  const [report, values] = await Promise.all([readBlock("overview"), readBlock("values")]);
  const found = Object.fromEntries(pairs.derived.map((name) => [name, []]));
  const number = (value) => (Number.isFinite(value) ? value : null);
  pairs.measure.forEach((m, i) => {
    const [a, b] = [pairs.a[i], pairs.b[i]];
    const [theirs, ours] = [a, b].map((system) => values[m][system]);
    const size = gainOf(ours, theirs, report.measures[m].lower ? -1 : 1);
    const half = size.constant ? 0 : pairs.width * size.error;
    const end = (value) => (Math.abs(value) < pairs.rounding ? 0 : value);
    const all = {
      difference: report.means[b][m] - report.means[a][m],
      low: end(size.mean - half),
      high: end(size.mean + half),
      p_adjusted: pairs.p[i] === null ? null : Math.min(pairs.p[i] * pairs.num_tests, 1),
      wins: size.wins,
      ties: size.count - size.wins - size.losses,
      losses: size.losses,
      d_z: number(size.effect),
    };
    for (const name of pairs.derived) found[name].push(all[name]);
  });
  Object.assign(pairs, found);
  const { alpha } = report;
  pairs.significant = pairs.p_adjusted.map((p) => (p === null ? "not tested" : p <= alpha ? "yes" : "no"));
});

/** The differences of two systems over the queries that both answered: their mean, its standard error and the rest. */
function gainOf(ours, theirs, sign) {
  const gains = [];
  let largest = 0;
  ours.forEach((value, q) => {
    if (value === null || theirs[q] === null) return;
    const size = Math.max(Math.abs(value), Math.abs(theirs[q]));
    const gain = value - theirs[q];
    largest = Math.max(largest, size);
    gains.push(Math.abs(gain) <= SAME_VALUE * size ? 0 : gain);
  });
  const count = gains.length;
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / count;
  const squares = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
  const error = Math.sqrt(squares / (count - 1) / count);
  const range = Math.max(...gains) - Math.min(...gains);
  const effect = range > SAME_COLUMN * largest ? (sign * mean) / (error * Math.sqrt(count)) : NaN;
  const constant = range <= SAME_COLUMN * Math.max(...gains.map(Math.abs));
  const wins = gains.filter((gain) => sign * gain > 0).length;
  const losses = gains.filter((gain) => sign * gain < 0).length;
  return { count, mean, error, effect, constant, wins, losses };
}
