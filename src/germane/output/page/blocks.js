// The data inside the page: JSON in script elements, unpacked by the browser where it is large.

const unpacked = new Map();

/** The value of a block, read once. */
export function readBlock(name) {
  if (!unpacked.has(name)) unpacked.set(name, parseBlock(document.getElementById(`data-${name}`)));
  return unpacked.get(name);
}

async function parseBlock(element) {
  const text = element.textContent;
  if (element.dataset.packed !== "gzip") return JSON.parse(text);
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A column as a plain array: some are kept as their distinct values and the place of each. */
export function column(columns, index) {
  const kept = columns[index];
  return Array.isArray(kept) ? kept : (columns[index] = kept.codes.map((code) => kept.values[code]));
}
