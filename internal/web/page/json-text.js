// JSON as a foldable tree. The text is split into tokens, not parsed into values, so that numbers keep their digits.

import { h } from "./dom.js";
import { grouped } from "./units.js";

/** @typedef {{open: string, entries: [string | null, Node][]} | string} Node a string is a value without parts */

const maxShown = 200;

/** jsonText shows a text as a tree. It throws if the text is not JSON. @param {string} text @returns {any} */
export function jsonText(text) {
  JSON.parse(text); // throws if it is not JSON
  const words = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/gy;
  const blank = /\s*/y;
  const next = () => {
    blank.lastIndex = words.lastIndex;
    blank.exec(text);
    words.lastIndex = blank.lastIndex;
    return words.exec(text)?.[0] ?? "";
  };
  const value = (/** @type {string} */ word) => {
    if (word !== "{" && word !== "[") return word;
    /** @type {[string | null, Node][]} */ const entries = [];
    for (let w = next(); w !== "}" && w !== "]"; w = next()) {
      if (w === ",") continue;
      if (word === "[") entries.push([null, value(w)]);
      else {
        next(); // the colon
        entries.push([w, value(next())]);
      }
    }
    return { open: word, entries };
  };
  return h("div", { class: "json" }, branch(null, value(next()), 0));
}

/** @param {string | null} name @param {Node} node @param {number} depth @returns {any} */
function branch(name, node, depth) {
  const label = name !== null && [h("span", { class: "t-key" }, name), ": "];
  if (typeof node === "string") return h("div", {}, label, h("span", { class: node.startsWith('"') ? "t-text" : "t-number" }, node));
  const close = node.open === "{" ? "}" : "]";
  if (node.entries.length === 0) return h("div", {}, label, node.open + close);
  const inner = h("div", { class: "inner" });
  let filled = 0;
  const more = () => {
    inner.querySelector(":scope > button")?.remove();
    inner.append(...node.entries.slice(filled, filled + maxShown).map(([k, v]) => branch(k, v, depth + 1)));
    filled = Math.min(node.entries.length, filled + maxShown);
    if (filled < node.entries.length) inner.append(h("button", { type: "button", onclick: more }, `Show more of ${grouped(node.entries.length)}`));
  };
  const details = h("details", { open: depth < 2, ontoggle: () => details.open && filled === 0 && more() },
    h("summary", {}, label, node.open, h("small", {}, ` ${grouped(node.entries.length)} `), close), inner);
  if (depth < 2) more();
  return details;
}
