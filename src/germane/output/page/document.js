// A document in a ranking: its id, how it begins, and a way to open it where its text or picture was given.
import { el, nameOf } from "./dom.js";
import { inWords } from "./questions.js";
import { choose } from "./state.js";

const EXCERPT = 100; // characters of a document in a ranking
const PICTURE = "data:image/"; // how a document that is a picture begins

/** The words of a query as its documents write them. */
export function wordsOf(words, query) {
  return Object.hasOwn(words, query) ? words[query] : [];
}

export function documentCell(texts, words, id) {
  if (!Object.hasOwn(texts, id)) return nameOf(id);
  const open = () => choose({ document: id });
  const text = texts[id];
  return [
    el("button", { type: "button", class: "link", "data-document": id, click: open }, nameOf(id)),
    el("div", { class: "beginning" }, isPicture(text) ? picture(id, text) : inWords(marked(beginning(text), words))),
  ];
}

export function isPicture(text) {
  return text.startsWith(PICTURE);
}

export function picture(id, source) {
  return el("img", { src: source, alt: id.slice(0, 100) });
}

function beginning(text) {
  const line = text.replaceAll("\n", " ");
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1)}…` : line;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** A text with the words of the query marked, as the library found them. */
export function marked(text, words) {
  if (!words.length) return [text];
  const whole = (word) => (UNSPACED.test(word) ? literal(word) : `(?<![\\p{L}\\p{N}])${literal(word)}(?![\\p{L}\\p{N}])`);
  return text.split(new RegExp(`(${words.map(whole).join("|")})`, "giu")).map((part, i) => (i % 2 ? el("mark", {}, part) : part));
}

function literal(word) {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
