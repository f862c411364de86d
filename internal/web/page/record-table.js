// Tables for records of runs, with links to the lines that they name.

import { h } from "./dom.js";
import { place } from "./folder.js";
import { bytes, grouped, span } from "./units.js";
/** @import { Figure, Place, RecordEntry } from "../types.js" */

/** state shows how a run ended, or its current state. @param {RecordEntry} r */
export const state = (r) => h("span", { class: `chip ${r.state}` }, r.state === "failed" ? `failed, code ${r.exit}` : r.state);

/** started returns the start time of a run. @param {RecordEntry} r */
export const started = (r) => new Date(r.started).toLocaleString();

/** figure formats a number of a run with its unit. @param {Figure} f */
export const figure = (f) => (f.unit === "s" ? span(f.value) : f.unit === "B" ? bytes(f.value) : `${f.value.toLocaleString("en")} ${f.unit ?? ""}`);

/** at shows the place where a setting was written. @param {Place & { at?: string }} s */
export const at = (s) => (s.path ? place(s.path, s.line) : h("span", { class: "dim" }, s.at ?? ""));

const maxRows = 50;

/**
 * table shows the first rows, and a button for all. The first cell of a row is its header.
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
