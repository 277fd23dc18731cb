// What a reader without a mouse, or without a screen, needs and the theme leaves out.

// Output that is wider than its block can be scrolled by keys only where it can be reached by them.
function reachWhatScrolls() {
  for (const block of document.querySelectorAll(".highlight pre, .table-wrapper")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
}

// The captions of the contents are called headings, and a heading has a level.
function sayLevels() {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.setAttribute("aria-level", "2");
}

document.addEventListener("DOMContentLoaded", () => {
  sayLevels();
  reachWhatScrolls();
  window.addEventListener("resize", reachWhatScrolls);
});
