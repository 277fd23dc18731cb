// The data inside the page: JSON in script elements, unpacked by the browser where it is large.

const unpacked = new Map();
const expanders = new Map();

/** The value of a block, read once. */
export function readBlock(name) {
  if (!unpacked.has(name)) unpacked.set(name, parseBlock(name));
  return unpacked.get(name);
}

/** What a block lacks because it follows from others: `expand` fills it in when the block is read. */
export function whenRead(name, expand) {
  expanders.set(name, expand);
}

async function parseBlock(name) {
  const element = document.getElementById(`data-${name}`);
  const value = element.dataset.packed === "gzip" ? restored(await unzipped(element.textContent)) : JSON.parse(element.textContent);
  return (await expanders.get(name)?.(value)) ?? value;
}

async function unzipped(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const KINDS = { u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f8: Float64Array };
const STEPS = {
  ragged: ({ values, counts }) => portions(values, counts, { at: 0 }),
  codes: ({ values, codes }) => decoded(values, codes),
  rows: (columns) => {
    const names = Object.keys(columns);
    return columns[names[0]].map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  },
};

/** JSON with the arrays that stand behind it put back, each where its step says. */
function restored(bytes) {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const root = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  for (const [kind, path, shape] of root.steps) {
    const parent = path.slice(0, -1).reduce((node, key) => node[key], root);
    const key = path.at(-1);
    if (STEPS[kind]) {
      parent[key] = STEPS[kind](parent[key]);
      continue;
    }
    const count = shape.reduce((product, size) => product * size, 1);
    const end = at + count * KINDS[kind].BYTES_PER_ELEMENT;
    parent[key] = shaped(numbers(bytes.subarray(at, end), KINDS[kind], count), shape);
    at = end;
  }
  return root.value;
}

/** Numbers whose first bytes all come first, then their second ones; what is not a number is null. */
function numbers(bytes, Kind, count) {
  const size = Kind.BYTES_PER_ELEMENT;
  const ordered = new Uint8Array(bytes.length);
  for (let byte = 0, from = 0; byte < size; byte++) for (let i = byte; i < bytes.length; i += size) ordered[i] = bytes[from++];
  return Array.from(new Kind(ordered.buffer), (number) => (Number.isFinite(number) ? number : null));
}

function shaped(flat, shape) {
  if (shape.length === 1) return flat;
  const size = flat.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) => shaped(flat.slice(i * size, (i + 1) * size), shape.slice(1)));
}

function portions(values, counts, cursor) {
  return counts.map((count) => (Array.isArray(count) ? portions(values, count, cursor) : values.slice(cursor.at, (cursor.at += count))));
}

function decoded(values, codes) {
  return codes.map((code) => (Array.isArray(code) ? decoded(values, code) : values[code]));
}
