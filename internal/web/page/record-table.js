// A table of what a record has, and links to the lines that it names.

import { h } from "./dom.js";
import { place } from "./folder.js";
import { bytes, grouped, span } from "./units.js";
/** @import { Figure, Place, RecordEntry } from "../types.js" */

/** state is how a run ended, or how far it is. @param {RecordEntry} r */
export const state = (r) => h("span", { class: `chip ${r.state}` }, r.state === "failed" ? `failed, code ${r.exit}` : r.state);

/** started is when a run began. @param {RecordEntry} r */
export const started = (r) => new Date(r.started).toLocaleString();

/** figure is a number of a run with its unit. @param {Figure} f */
export const figure = (f) => (f.unit === "s" ? span(f.value) : f.unit === "B" ? bytes(f.value) : `${f.value.toLocaleString("en")} ${f.unit ?? ""}`);

/** at is where a setting was written. @param {Place & { at?: string }} s */
export const at = (s) => (s.path ? place(s.path, s.line) : h("span", { class: "dim" }, s.at ?? ""));

const maxRows = 50;

/**
 * table shows some rows, and all of them when asked for. The first cell of a row is its head.
 * @param {string} label
 * @param {string[]} heads
 * @param {any[][]} rows
 */
export function table(label, heads, rows) {
  const row = (/** @type {any[]} */ cells) => h("tr", {}, cells.map((c, i) => h(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, c)));
  const body = h("tbody", {}, rows.slice(0, maxRows).map(row));
  const more = rows.length > maxRows && h("button", { type: "button", onclick: () => {
    const rest = rows.slice(maxRows).map(row);
    body.append(...rest);
    more.remove();
    rest[0].tabIndex = -1;
    rest[0].focus();
  } }, `Show all ${grouped(rows.length)}`);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", { class: "wide" }, h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col" }, t)))), body), more);
}
