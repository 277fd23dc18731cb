// One document on the screen: excerpt or whole, text, HTML in a sandboxed frame, or a picture.

import { element } from "./dom.js";
import { marked, markInside } from "./highlight.js";
import { passagesOf } from "./excerpt.js";

// The server has cleaned the HTML, and the frame runs no script whatever it holds: this is the one way for markup in.
const policy = globalThis.trustedTypes?.createPolicy("germane-document", { createHTML: (text) => text });

export class DocumentView {
  // `onFrame` is told of each frame's document, to listen to its keys.
  constructor(body, label, matcher, onFrame) {
    this.body = body;
    this.matcher = matcher;
    this.onFrame = onFrame;
    this.content = element("div", { class: "content" });
    this.root = element("article", { class: `document ${body.kind}`, hidden: true },
      element("header", { class: "document-head" },
        body.title ? element("h2", { dir: "auto" }, marked(body.title, matcher)) : null,
        element("p", { class: "label" }, label)),
      body.remarks.length
        ? element("ul", { class: "remarks" }, ...body.remarks.map((text) => element("li", {}, text))) : null,
      this.content);
    this.passages = body.kind === "image" || body.kind === "missing" ? null : passagesOf(body.text, matcher);
    this.whole = this.passages === null;
    this.frame = null;
    this.draw();
  }

  get canToggle() {
    return this.passages !== null;
  }

  toggle() {
    if (!this.canToggle) return;
    this.whole = !this.whole;
    this.draw();
  }

  remark(matcher) {
    this.matcher = matcher;
    if (this.canToggle) this.passages = passagesOf(this.body.text, matcher);
    this.draw();
  }

  draw() {
    const { body } = this;
    if (body.kind === "missing") this.content.replaceChildren();
    else if (body.kind === "image") {
      this.content.replaceChildren(
        element("img", { src: body.image, alt: "Document picture" }),
        ...(body.text ? [element("div", { class: "text", dir: "auto" }, marked(body.text, this.matcher))] : []));
    } else if (!this.whole) this.drawPassages();
    else if (body.kind === "html") this.drawFrame();
    else this.content.replaceChildren(element("div", { class: "text", dir: "auto" }, marked(body.text, this.matcher)));
  }

  drawPassages() {
    const shown = this.passages.reduce((sum, [start, end]) => sum + end - start, 0);
    const parts = this.passages.map(([start, end]) => element("div", { class: "text passage", dir: "auto" },
      start > 0 ? "… " : "", marked(this.body.text.slice(start, end), this.matcher), end < this.body.text.length ? " …" : ""));
    const share = Math.max(1, Math.round(100 * shown / this.body.text.length));
    this.content.replaceChildren(...parts,
      element("p", { class: "more" }, `Excerpt: ${share}% of the text. `,
        element("button", { type: "button", class: "plain", "data-action": "excerpt" }, "Show all ", element("kbd", {}, "E"))));
    this.frame = null;
  }

  drawFrame() {
    if (this.frame?.isConnected && this.frame.contentDocument?.body) {
      markInside(this.frame.contentDocument.body, this.matcher);
      return;
    }
    const frame = element("iframe", { sandbox: "allow-same-origin", title: "Document", scrolling: "no" });
    frame.addEventListener("load", () => this.frameLoaded(frame));
    frame.srcdoc = policy ? policy.createHTML(this.body.html) : this.body.html;
    this.frame = frame;
    this.content.replaceChildren(frame);
  }

  frameLoaded(frame) {
    const inner = frame.contentDocument;
    if (!inner?.body) return;
    markInside(inner.body, this.matcher);
    this.onFrame(inner);
    // The frame is as high as what it holds: the page scrolls, by whatever key, and the frame never does.
    const fit = () => {
      const height = `${inner.documentElement.getBoundingClientRect().height + 1}px`;
      if (frame.style.height !== height) frame.style.height = height;
    };
    new ResizeObserver(fit).observe(inner.documentElement);
    fit();
  }

  marks() {
    const inner = this.whole && this.frame ? this.frame.contentDocument : null;
    return [...this.root.querySelectorAll("mark"), ...(inner ? inner.querySelectorAll("mark") : [])];
  }
}
