// Which key does what. Keys are dead while something is being typed, and with Ctrl, Alt or the command key.

const ACTIONS = {
  b: "back", ArrowLeft: "back", ArrowRight: "forward", u: "undo", l: "later", x: "cannot", c: "comment",
  e: "excerpt", m: "excerpt", n: "hit", f: "find", t: "topic", "?": "help",
};
const SCROLLING = { " ": 0.85, PageDown: 0.85, PageUp: -0.85, ArrowDown: 0.12, ArrowUp: -0.12 };
// Holding a key down repeats it; only scrolling and jumping may repeat, or a resting finger would judge everything.
const MAY_REPEAT = new Set(["scroll", "hit", "hit-before", "end", "start"]);

export function actionOf(event, grades) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const target = event.target;
  const tag = target?.tagName?.toLowerCase();
  if (tag === "textarea" || tag === "select" || target?.isContentEditable ||
      (tag === "input" && !["button", "checkbox", "radio", "submit"].includes(target.type))) return null;
  const found = plainAction(event, grades, tag);
  return found && event.repeat && !MAY_REPEAT.has(found.action) ? null : found;
}

function plainAction(event, grades, tag) {
  const { key } = event;
  // The digits of a keypad, and of keyboards that give digits with Shift, are digits too.
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code ?? "")?.[1];
  const grade = grades.find((one) => one.key === key || one.key.toLowerCase() === key.toLowerCase()) ??
    (event.shiftKey ? undefined : grades.find((one) => one.key === digit));
  if (grade) return { action: "grade", grade: grade.value };
  if (key in SCROLLING) {
    if (key === " " && (tag === "button" || tag === "summary" || tag === "a")) return null;
    return { action: "scroll", pages: (key === " " && event.shiftKey ? -1 : 1) * SCROLLING[key] };
  }
  if (key === "Home" || key === "End") return { action: key === "Home" ? "start" : "end" };
  const action = ACTIONS[key] ?? (key.length === 1 ? ACTIONS[key.toLowerCase()] : undefined);
  if (action === "hit" && event.shiftKey) return { action: "hit-before" };
  return action ? { action } : null;
}
