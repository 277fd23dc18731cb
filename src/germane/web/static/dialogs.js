// The two dialogs in which something is typed: a comment, and words to find.

import { byId } from "./dom.js";

export function askFor(name, text) {
  byId(`${name}-text`).value = text;
  byId(name).showModal();
  byId(`${name}-text`).select();
}

// `comment` and `find` get what was typed; `closed` is called whenever a dialog goes, the help too.
export function onDialogs({ comment, find, closed }) {
  for (const [name, done] of Object.entries({ comment, find })) {
    const field = byId(`${name}-text`);
    const finish = () => {
      byId(name).close();
      done(field.value.trim());
    };
    byId(`${name}-form`).addEventListener("submit", (event) => {
      event.preventDefault();
      finish();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) finish();
    });
  }
  for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", closed);
}
