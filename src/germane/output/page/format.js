// Numbers as people read them. The data keep every digit; rounding happens here and nowhere else.

export const DIGITS = 4;
export const NOTHING = "–";

export function fixed(value, digits = DIGITS) {
  return value === null || value === undefined ? NOTHING : value.toFixed(digits);
}

/** A value of a measure: counts are whole. */
export function measured(value, measure) {
  return measure.total && Number.isInteger(value) ? String(value) : fixed(value);
}

export function signed(value, digits = DIGITS) {
  if (value === null || value === undefined) return NOTHING;
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : (value < 0 ? "−" : "+") + text;
}

export function probability(p) {
  if (p === null || p === undefined) return NOTHING;
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

export function percent(share) {
  return share === null ? NOTHING : `${(share * 100).toFixed(1)}%`;
}

/** A level such as 0.95 as a reader knows it: 95%. What times 100 adds at the far end of a number is left out. */
export function levelText(level) {
  return `${Number((level * 100).toPrecision(12))}%`;
}

/** Short where it can be: grades are mostly whole. */
export function short(value) {
  if (value === null || value === undefined) return NOTHING;
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
