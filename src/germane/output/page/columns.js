// Columns of rows by query: kept as they are, or as a table of what they follow from.
import { column } from "./blocks.js";

/** The rows of a query, where `counts` says how many each query has. */
export function rowsOf(counts, query) {
  let start = 0;
  for (let q = 0; q < query; q++) start += counts[q];
  return Array.from({ length: counts[query] }, (_, i) => start + i);
}

/**
 * How to look up a system's column: by row, or by a pair of numbers that it follows from (rank and grade, or the query
 * and the place in it). The caller passes the row and that pair.
 * @returns {(row: number, first?: number, second?: number) => number}
 */
export function cells(columns, kept, system) {
  if (Array.isArray(kept)) {
    const values = column(columns, kept[system]);
    return (row) => values[row];
  }
  kept.map ??= tableOf(columns, kept);
  return (_, first, second) => kept.map.get(`${first} ${second}`);
}

function tableOf(columns, kept) {
  const [first, second, value] = [kept.first, kept.second, kept.value].map((index) => column(columns, index));
  return new Map(value.map((found, i) => [`${first[i]} ${second[i]}`, found]));
}
