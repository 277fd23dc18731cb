// Rates at the chosen threshold, for the prevalence, costs and weights that the reader sets.
import { el, replaceChildren, scrolling } from "./dom.js";
import { fixed, NOTHING, short } from "./format.js";
import { parametersOf, rateAt, shownName } from "./operating.js";
import { choose, state, watch } from "./state.js";

const ASKED = {
  prevalence: "Prevalence",
  cost_fp: "Cost of a false positive",
  cost_fn: "Cost of a false negative",
  beta: "β of F (weight of recall)",
  act_at: "Net benefit: probability threshold",
};

export function showRates(section, views, rates) {
  const values = new Map();
  const names = new Map();
  const line = (rate) => {
    values.set(rate, el("td", { class: "number value", "data-rate": rate.name }));
    names.set(rate, el("th", { scope: "row", title: rate.formula }));
    return el("tr", {}, names.get(rate), values.get(rate), el("td", { class: "also" }, allNames(rate).join(", ")));
  };
  const titles = ["Rate", "Value", "Also called"];
  const head = () => el("thead", {}, el("tr", {}, titles.map((title, i) => el("th", { scope: "col", class: i === 1 ? "number" : null }, title))));
  const tables = halvesOf(rates).map((part, i) =>
    scrolling(
      `Rates at this threshold, ${i ? "second" : "first"} half`,
      el("table", { class: "live-rates" }, el("caption", { class: "unseen" }, "Rates at this threshold"), head(), el("tbody", {}, part.map(line))),
    ),
  );
  section.append(
    el("h3", {}, "Rates at this threshold"),
    el("p", { class: "hint" }, "– means 0/0. Hover over a name for its formula. Intervals are listed below, for the threshold of the report."),
    el("div", { class: "halves" }, tables),
  );
  watch(["view", "stop", "parameters"], () => {
    const view = views[state.view];
    for (const rate of rates) {
      const value = rateAt(rate, view, state.stop);
      const given = Object.entries(parametersOf(rate, view)).filter(([name]) => name !== "beta");
      const chosen = given.map(([name, set]) => `${name} ${short(set)}`).join(", ");
      replaceChildren(names.get(rate), shownName(rate, view), chosen && el("div", { class: "interval" }, chosen));
      values.get(rate).dataset.value = String(value);
      replaceChildren(values.get(rate), rateText(value));
    }
  });
}

/** What a rate is called besides its name, each once. */
function allNames(rate) {
  return [rate.title, ...rate.names].filter((name, i, all) => all.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === i);
}

/** Two tables of about the same height: a long list of names takes more lines. */
function halvesOf(rates) {
  const lines = rates.map((rate) => 1 + Math.floor(allNames(rate).join(", ").length / 34));
  const all = lines.reduce((sum, count) => sum + count, 0);
  let [so_far, cut] = [0, 0];
  while (so_far < all / 2) so_far += lines[cut++];
  return [rates.slice(0, cut), rates.slice(cut)];
}

/** A rate as people read it; an infinite one has a sign of its own. */
export function rateText(value) {
  if (value === null || value === undefined || Number.isNaN(Number(value))) return NOTHING;
  const number = Number(value);
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  return fixed(number);
}

/** A field for each parameter that some rate has: its name, range and default come from the registry. */
export function showParameters(views, rates) {
  const found = new Map(rates.flatMap((rate) => rate.parameters.map((parameter) => [parameter.name, { ...parameter, rate }])));
  const fields = [...found.values()].map(({ name, range, rate }) => {
    const [least, most] = range.map(Number);
    const input = el("input", {
      type: "number",
      name,
      min: least,
      max: Number.isFinite(most) ? most : null,
      step: "any",
      inputmode: "decimal",
      input: () => set(name, input, least, most),
    });
    watch(["view"], () => {
      if (state.parameters[name] === undefined) input.value = short(parametersOf(rate, views[state.view])[name]);
    });
    return el("label", {}, el("span", {}, ASKED[name] ?? name), input);
  });
  return el("fieldset", { class: "parameters" }, el("legend", {}, "Parameters"), fields);
}

function set(name, input, least, most) {
  const value = input.valueAsNumber;
  const valid = value >= least && value <= most;
  input.setAttribute("aria-invalid", String(!valid));
  choose({ parameters: { ...state.parameters, [name]: valid ? value : Number.NaN } });
}
