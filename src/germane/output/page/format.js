// Numbers as people read them. The data keep every digit; rounding happens here and nowhere else.

const DIGITS = 4;
export const NOTHING = "–";

export function fixed(value, digits = DIGITS) {
  if (value === null || value === undefined) return NOTHING;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A confidence interval, as everywhere: "[−0.069, −0.005]"; nothing where there is none. */
export function interval(low, high, digits = DIGITS) {
  return low === null || high === null ? "" : `[${[low, high].map((end) => end.toFixed(digits).replace("-", "−")).join(", ")}]`;
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

/** A p-value; close to the significance level, with the digits that tell them apart. */
export function probability(p, alpha = 0.05) {
  if (p === null || p === undefined) return NOTHING;
  if (p < 0.0001) return "< 0.0001";
  const digits = [DIGITS, 5, 6].find((each) => p === alpha || Number(p.toFixed(each)) !== alpha);
  if (!digits) return `${p < alpha ? "<" : ">"} ${alpha}`;
  return p > 0.99995 ? "1" : p.toFixed(digits);
}

/** A p-value after its name: "= 0.0312", "< 0.0001". */
export function withSign(probability) {
  return /^[<>–]/.test(probability) ? probability : `= ${probability}`;
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
