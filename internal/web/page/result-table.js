// A table among the results of a run, one page at a time, and a chart of chosen columns.

import { get } from "./api.js";
import { key } from "./curve.js";
import { fill, h } from "./dom.js";
import { bytes, grouped } from "./units.js";
/** @import { RecordedRun, Result } from "../types.js" */

const maxCharted = 6;

/** @param {HTMLElement} into @param {RecordedRun} r @param {Result} f @param {(f: any) => any[]} origin @param {import("./life.js").Life} life */
export function resultTable(into, r, f, origin, life) {
  const query = { run: r.run, path: f.path };
  const head = h("tr", {}), body = h("tbody", {}), note = h("p", { class: "dim", role: "status" }), chart = h("div", { class: "chart" });
  /** @type {{from: number, row: number}[]} */ const pages = [{ from: 0, row: 1 }]; // the beginnings of the pages seen so far
  let page = 0, busy = false;
  const turn = async (/** @type {number} */ to) => {
    if (busy) return;
    busy = true;
    try {
      const at = pages[to];
      const part = await life.answer(get("result", { ...query, from: String(at.from) }));
      const rows = part.rows ?? [];
      page = to;
      if (part.next > 0) pages[page + 1] = { from: part.next, row: at.row + rows.length };
      if (to === 0) name(part.heads, rows);
      fill(body, rows.map((/** @type {string[]} */ row, /** @type {number} */ i) => h("tr", {}, h("th", { scope: "row" }, grouped(at.row + i)), row.map((cell) => h("td", {}, cell)))));
      scroll.scrollTop = 0;
      before.disabled = page === 0;
      next.disabled = pages.length === page + 1;
      fill(note, rows.length > 0 ? `rows ${grouped(at.row)} to ${grouped(at.row + rows.length - 1)}` : "no rows", part.next > 0 && `, ${bytes(part.next)} of ${bytes(f.size)}`, part.wide && ", the rows have more columns than shown here");
    } catch (error) {
      fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
    busy = false;
  };
  /** name writes the names of the columns, and offers columns of numbers for the chart. @param {string[] | undefined} heads @param {string[][]} rows */
  const name = (heads, rows) => {
    const columns = rows.reduce((n, row) => Math.max(n, row.length), heads?.length ?? 0);
    const names = Array.from({ length: columns }, (_, i) => heads?.[i] || `column ${i + 1}`);
    fill(head, h("th", { scope: "col" }, "row"), names.map((n) => h("th", { scope: "col" }, n)));
    const numeric = names.map((_, i) => i).filter((i) => rows.some((row) => (row[i] ?? "").trim() !== "" && Number.isFinite(Number(row[i]))));
    if (numeric.length > 0 && rows.length > 1) fill(chart, charted(query, f, names, numeric, life));
  };
  const before = h("button", { type: "button", disabled: true, onclick: () => turn(page - 1) }, "Previous rows");
  const next = h("button", { type: "button", disabled: true, onclick: () => turn(page + 1) }, "Next rows");
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": f.path }, h("table", {}, h("thead", {}, head), body));
  fill(into, h("h3", {}, f.path), h("p", { class: "dim" }, origin(f)), chart, scroll, h("p", { class: "toolbar" }, before, next, note));
  turn(0);
}

/** charted shows a checkbox for each column, and the curves of the checked ones. @param {any} query @param {Result} f @param {string[]} names @param {number[]} numeric @param {import("./life.js").Life} life */
function charted(query, f, names, numeric, life) {
  const shown = h("div", { class: "plots" }), note = h("p", { class: "dim", role: "status" });
  const chosen = /** @type {Set<number>} */ (new Set());
  let asked = 0;
  const draw = async () => {
    const mine = ++asked;
    for (const box of boxes) box.disabled = !box.checked && chosen.size === maxCharted;
    if (chosen.size === 0) return void (fill(shown), fill(note));
    try {
      const list = [...chosen].sort((a, b) => a - b);
      const a = await life.answer(get("result-chart", { ...query, columns: list.join() }));
      if (mine !== asked) return; // a newer request is on its way
      const titles = list.map((i) => names[i]);
      if (!shown.firstChild) fill(shown, h("figure", { class: "plot card" }, h("figcaption", {}), h("pentode-curve")));
      fill(shown.querySelector("figcaption"), titles.map((t, i) => h("span", { class: "key" }, h("span", { class: `line ${key(i)}` }), t)));
      shown.querySelector("pentode-curve").show(a.lines.map((/** @type {any} */ l, /** @type {number} */ i) => ({ name: titles[i], ...l })), 1, a.step);
      fill(note, `${grouped(a.rows)} rows`, a.step > 1 && `, each point is the smallest and the largest of ${a.step}`, a.read < f.size && `; the first ${bytes(a.read)} of ${bytes(f.size)}`);
    } catch (error) {
      fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  const boxes = numeric.map((i) => h("input", { type: "checkbox", onchange: (/** @type {any} */ e) => {
    if (e.target.checked) chosen.add(i);
    else chosen.delete(i);
    draw();
  } }));
  return [h("fieldset", { class: "toolbar" }, h("legend", {}, "Chart of"), boxes.map((box, k) => h("label", { class: "choice" }, box, names[numeric[k]]))), shown, note];
}
