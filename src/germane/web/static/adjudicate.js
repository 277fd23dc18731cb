// Disagreements, one at a time: what each assessor said beside the document, and the decision with its reason.

import { byId, element, paragraphs, setText } from "./dom.js";
import { Guard } from "./guard.js";
import { matcherOf, termsOf } from "./highlight.js";
import { actionOf } from "./keys.js";
import { newId } from "./outbox.js";
import { Server, request } from "./server.js";
import { DocumentView } from "./view.js";

const server = new Server();
const me = await server.me();
const { grades } = me.rubric;
const guard = new Guard();
let current = null;
let view = null;

const labelOf = (grade) => grades.find((one) => one.value === grade)?.label ?? "cannot judge";

function listenTo(target) {
  target.addEventListener("keydown", (event) => {
    const found = actionOf(event, grades);
    if (found?.action === "grade") decide(found.grade, event);
    else if (found?.action === "excerpt") view?.toggle();
    else return;
    event.preventDefault();
  });
}

async function next() {
  const found = await request("POST", "api/cases/next", undefined);
  current = found.case;
  view?.root.remove();
  view = null;
  byId("case").hidden = current === null;
  setText(byId("open"), current ? `${found.open} open` : found.open
    ? `${found.open} open, but you judged them yourself or somebody else is resolving them.` : "No disagreements to resolve.");
  if (!current) return;
  setText(byId("case-topic"), `${current.topic.id}: ${current.topic.title}`);
  byId("case-description").replaceChildren(...paragraphs(current.topic.description), ...paragraphs(current.topic.narrative));
  byId("ratings").replaceChildren(...current.ratings.map((rating) => element("div", { class: "rating" },
    element("h3", {}, rating.assessor),
    element("p", { class: "said" }, rating.grade === null ? "cannot judge" : `${rating.grade} ${labelOf(rating.grade)}`),
    rating.comment ? element("p", {}, rating.comment) : null)));
  byId("reason").value = "";
  view = new DocumentView(current.document, current.label, matcherOf(termsOf(`${current.topic.title} ${current.topic.description}`)), listenTo);
  view.root.hidden = false;
  byId("case-document").append(view.root);
  guard.shown();
}

async function decide(grade, event) {
  if (!current || guard.isSlip(event)) return;
  const answer = { event: newId(), task: current.task, kind: "adjudicate", grade, rubric: me.rubric.version,
    text: byId("reason").value.trim(), time: new Date().toISOString() };
  const decided = current;
  current = null;
  try {
    const [receipt] = await server.send([answer]);
    setText(byId("problem"), receipt.status === "refused" ? `Not saved: ${receipt.reason}` : "");
  } catch (error) {
    // The case and the reason stay on the screen, to be sent again.
    current = decided;
    setText(byId("problem"), `Not saved: ${error.message}. Try again when the server is back.`);
    return;
  }
  await next();
}

byId("final").replaceChildren(...grades.map((grade) => element("button",
  { type: "button", class: "grade", onclick: (event) => decide(grade.value, event) },
  element("kbd", {}, grade.key), element("span", {}, grade.label))));
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-action=excerpt]")) view?.toggle();
});
listenTo(document);
await next();
