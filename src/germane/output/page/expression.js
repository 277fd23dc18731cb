// Formulas as the library writes them: numbers, names, + - * / **, brackets and sqrt. Nothing else is let in, and
// nothing is ever made into code: the page's policy forbids it.

const TOKEN = /\s*(\*\*|[-+*/()]|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[A-Za-z_]\w*)/y;

/**
 * A formula, parsed once.
 * @param {string} text  such as "TP / (TP + FN)"
 * @returns {(values: Record<string, number>) => number}  NaN where it is 0 / 0, infinite where it divides by 0
 */
export function formula(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const next = () => tokens[at++];
  const is = (...wanted) => wanted.includes(tokens[at]);

  function sum() {
    let left = product();
    while (is("+", "-")) left = both(next(), left, product());
    return left;
  }

  function product() {
    let left = negated();
    while (is("*", "/")) left = both(next(), left, negated());
    return left;
  }

  function negated() {
    if (!is("-")) return power();
    next();
    const value = negated();
    return (values) => -value(values);
  }

  function power() {
    const base = atom();
    return is("**") ? both(next(), base, negated()) : base;
  }

  function atom() {
    const token = next();
    if (token === "(") return closed(sum());
    if (token === "sqrt" && is("(")) {
      next();
      const inside = closed(sum());
      return (values) => Math.sqrt(inside(values));
    }
    if (token !== undefined && /^[\d.]/.test(token)) return () => Number(token);
    if (token !== undefined && /^[A-Za-z_]/.test(token)) return (values) => lookedUp(values, token);
    throw new SyntaxError(`not a formula: ${text}`);
  }

  function closed(inside) {
    if (next() !== ")") throw new SyntaxError(`a bracket is not closed: ${text}`);
    return inside;
  }

  const found = sum();
  if (at !== tokens.length) throw new SyntaxError(`not a formula: ${text}`);
  return found;
}

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text);
    if (!found) throw new SyntaxError(`not a formula: ${text}`);
    tokens.push(found[1]);
  }
  return tokens;
}

function both(operator, left, right) {
  if (operator === "+") return (values) => left(values) + right(values);
  if (operator === "-") return (values) => left(values) - right(values);
  if (operator === "*") return (values) => left(values) * right(values);
  if (operator === "/") return (values) => left(values) / right(values);
  return (values) => left(values) ** right(values);
}

function lookedUp(values, name) {
  if (!Object.hasOwn(values, name)) throw new ReferenceError(`the formula needs ${name}`);
  return values[name];
}
