// A table of figures. Only changed cells are written. A long table shows only some rows at
// first, because a change of one cell makes the browser lay out the whole table.

import { h } from "./dom.js";
import { grouped, share } from "./units.js";

const maxRows = 50;

/**
 * @typedef {object} Row
 * @property {string[]} texts of the cells
 * @property {number} part length of the bar, from 0 to 1
 * @property {string} kind a class, or ""
 * @property {boolean} first the row is above the others
 */

/** FigureTable is a table with a row for each of some figures, and a bar in one column. */
export class FigureTable {
  /**
   * @param {string} label
   * @param {string[]} heads
   * @param {number} barAt
   * @param {(figure: any) => string} key identifies a row
   * @param {(figure: any) => any} name the first cell
   */
  constructor(label, heads, barAt, key, name) {
    this.key = key;
    this.name = name;
    this.columns = heads.length - 1;
    this.barAt = barAt;
    this.all = false;
    /** @type {Map<string, any>} */ this.rows = new Map();
    this.body = h("tbody", {});
    this.more = h("button", { type: "button", hidden: true, onclick: () => (this.all = true) });
    this.element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h("table", { class: "wide" }, h("thead", {}, h("tr", {}, heads.map((n) => h("th", { scope: "col" }, n)))), this.body), this.more);
  }

  /** show writes figures. @param {any[]} figures @param {(figure: any) => Row} rowOf */
  show(figures, rowOf) {
    const shown = new Set();
    figures.forEach((f, i) => {
      const row = rowOf(f);
      if (i >= maxRows && !this.all && !row.first) return;
      const key = this.key(f);
      shown.add(key);
      this.write(this.rows.get(key) ?? this.add(key, f), row);
    });
    for (const [key, made] of this.rows) {
      if (shown.has(key)) continue;
      made.element.remove();
      this.rows.delete(key);
    }
    const hidden = this.all || figures.length <= maxRows;
    if (this.more.hidden !== hidden) {
      this.more.hidden = hidden;
      this.more.textContent = `Show all ${grouped(figures.length)}`;
    }
  }

  /** @param {string} key @param {any} figure */
  add(key, figure) {
    const texts = Array.from({ length: this.columns }, () => h("span", {}));
    const bar = h("span", { class: "fillbar", "aria-hidden": "true" });
    const cells = texts.map((t, i) => h("td", {}, i === this.barAt ? h("span", { class: "meter" }, bar) : null, t));
    const made = { element: h("tr", {}, h("th", { scope: "row" }, this.name(figure)), cells), texts, bar, now: /** @type {string[]} */ ([]), width: "", kind: "" };
    this.rows.set(key, made);
    this.body.append(made.element);
    return made;
  }

  /** @param {any} made @param {Row} row */
  write(made, row) {
    row.texts.forEach((t, i) => {
      if (made.now[i] !== t) made.texts[i].textContent = made.now[i] = t;
    });
    const width = share(row.part).replace(" ", "");
    if (made.width !== width) made.bar.style.width = made.width = width;
    if (made.kind !== row.kind) made.element.className = made.kind = row.kind;
    // Do not move the focused row while the user works with the keyboard.
    if (row.first && this.body.firstChild !== made.element && !this.body.contains(document.activeElement)) this.body.prepend(made.element);
  }
}
