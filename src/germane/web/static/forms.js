// Forms of the organiser's pages: each names the endpoint it calls. `{name}` in its path is the field of that name.

import { element } from "./dom.js";
import { DOUBLE_CLICK } from "./guard.js";
import { request } from "./server.js";

function valueOf(field) {
  if (field.type === "number") return Number(field.value);
  if (field.dataset.json !== undefined) return JSON.parse(field.value);
  return field.value;
}

async function submit(form) {
  const fields = [...form.elements].filter((field) => field.name && field.type !== "file");
  const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
  const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(values[name]);
    delete values[name];
    return value;
  });
  const file = form.querySelector("input[type=file]");
  const method = form.dataset.method;
  const body = file ? await file.files[0].text() : method === "DELETE" ? undefined : values;
  return request(method, path, body, { timeout: 120000 });
}

async function show(form, result) {
  const output = document.getElementById(form.dataset.output ?? "output");
  if (result instanceof Response) {
    const name = /filename="([^"]+)"/.exec(result.headers.get("Content-Disposition") ?? "")?.[1] ?? "download";
    const address = URL.createObjectURL(await result.blob());
    const link = element("a", { href: address, download: name }, name);
    output.replaceChildren(element("p", {}, "Created: ", link));
    link.click();
  } else if (result.link || result.token) {
    const field = element("input", { type: "text", readonly: true, value: result.link ?? result.token, "aria-label": "New link" });
    output.replaceChildren(
      element("p", {}, result.link ? "Copy this link now; it won't be shown again:" : "Copy this token now; it won't be shown again:"), field,
      element("button", { type: "button", onclick: () => { field.select(); navigator.clipboard?.writeText(field.value); } }, "Copy"),
      element("button", { type: "button", onclick: () => location.reload() }, "Done"));
    field.select();
  } else if (result.refused) {
    output.replaceChildren(
      element("p", {}, `${result.stored} judgments stored (${result.extra} extra), ${result.already} already imported, ${result.refused.length} rejected.`),
      element("ul", {}, ...result.refused.map((one) => element("li", {}, `Line ${one.line}: ${one.reason}`))));
  } else location.reload();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.path) return;
  event.preventDefault();
  // A double click must not act twice: not while the first is on its way, nor on the page that comes after it, where
  // the button in the same place may do the opposite.
  if (form.dataset.busy || performance.now() < DOUBLE_CLICK) return;
  if (form.dataset.sure && !confirm(form.dataset.sure)) return;
  form.dataset.busy = "true";
  const begun = performance.now();
  const output = document.getElementById(form.dataset.output ?? "output");
  try {
    await show(form, await submit(form));
  } catch (error) {
    output.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
  }
  output.scrollIntoView({ block: "nearest" });
  setTimeout(() => delete form.dataset.busy, Math.max(0, begun + DOUBLE_CLICK - performance.now()));
});
