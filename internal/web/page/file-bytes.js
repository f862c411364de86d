// A binary file beside the layout of a type: one page of bytes at a time, and their meaning.

import { get, pairs } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
import { bytes, grouped, plural } from "./units.js";
/** @import { Decoded } from "../types.js" */

const wide = 16; // bytes of a row

export class FileBytes {
  /** @type {Decoded} */ page = /** @type {any} */ (null); // until a file is decoded
  at = -1; // the byte of the cursor
  /** @type {any[]} */ cells = []; // bytes
  /** @type {any[]} */ rows = []; // fields
  said = h("p", { class: "said", role: "status" });

  /** @param {any} asked the type @param {URLSearchParams} query @param {Life} life @param {(at: number) => void} member marks the member at an offset of the type */
  constructor(asked, query, life, member) {
    this.asked = asked;
    this.life = life;
    this.found = member;
    this.asking = new Life(life);
    this.from = Number(query.get("from") ?? 0);
    this.file = h("input", { type: "text", list: "results", placeholder: "a file of the folder", "aria-label": "File", value: query.get("file") ?? "", spellcheck: "false" });
    this.run = h("select", { "aria-label": "Run that wrote it", onfocus: () => this.offer(), onchange: () => this.offer() }, h("option", { value: "" }, "in the folder"), query.get("run") && h("option", { value: query.get("run"), selected: true }, query.get("run")));
    this.results = h("datalist", { id: "results" });
    this.body = h("div", {});
    this.section = h("section", {}, h("h3", {}, "Decode a file"), h("form", { class: "toolbar", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), (this.from = 0), this.load()) },
      this.file, this.run, this.results, h("button", { type: "submit" }, "Decode")), this.body);
  }

  /** offer lists the runs, and the results of the chosen run. */
  async offer() {
    if (!this.runs) {
      this.runs = await this.life.answer(get("records"));
      this.run.append(...this.runs.filter((r) => r.run !== this.run.value).map((r) => h("option", { value: r.run }, `${r.what} ${r.run}`)));
    }
    const files = this.run.value ? (await this.life.answer(get("record", { run: this.run.value }))).files : [];
    fill(this.results, files.map((f) => h("option", { value: f.path }, bytes(f.size))));
  }

  /** again reads the page again for another type. */
  again() { if (this.file.value) this.load(); }

  async load() {
    const mine = (this.asking = this.asking.next());
    const run = this.run.value, file = this.file.value;
    const path = run || file.startsWith("/") || file.startsWith(`${folder.now.root}/`) ? file : `${folder.now.root}/${file}`;
    try {
      this.page = await mine.answer(get("decode", pairs({ ...this.asked, run, file: path, from: String(this.from) })));
    } catch (error) {
      this.page = /** @type {any} */ (null);
      return fill(this.body, h("p", { class: "refused", role: "alert" }, quoted(folder.tidy(/** @type {Error} */ (error).message))));
    }
    history.replaceState(null, "", `#/layout?${pairs({ ...this.asked, run, file, from: this.from })}`);
    this.draw();
  }

  draw() {
    const p = this.page;
    const kinds = Array.from({ length: p.bytes.length / 2 }, () => "none");
    p.fields.forEach((f, i) => kinds.fill(i % 2 ? "odd" : "even", Math.max(0, f.offset - p.from), Math.max(0, f.offset + f.size - p.from)));
    this.cells = kinds.map((kind, i) => h("span", { class: kind }, p.bytes.slice(2 * i, 2 * i + 2)));
    const rows = [];
    for (let i = 0; i < kinds.length; i += wide) rows.push(h("div", {}, h("span", { class: "dim" }, (p.from + i).toString(16).padStart(8, "0")), " ", this.cells.slice(i, i + wide)));
    this.at = -1;
    fill(this.said);
    this.grid = h("div", { class: "bytes", tabindex: "0", role: "group", "aria-label": "Bytes. Arrow keys go from byte to byte.", onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e), onclick: (/** @type {any} */ e) => {
      const i = this.cells.indexOf(e.target);
      if (i >= 0) this.point(i);
    } }, rows);
    this.rows = p.fields.map((f) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => this.point(Math.max(0, f.offset - p.from)) }, f.path || this.asked.name)), h("td", {}, h("code", {}, f.value)), h("td", {}, f.type), h("td", { class: "at" }, f.offset)));
    const turn = (/** @type {string} */ text, /** @type {number} */ to) => h("button", { type: "button", disabled: to < 0 || to >= p.size, onclick: async () => {
      this.from = to;
      await this.load();
      /** @type {any} */ ([...this.body.querySelectorAll("button")].find((b) => b.textContent === text && !b.disabled) ?? this.grid)?.focus();
    } }, text);
    const rest = p.size - p.count * p.value;
    fill(this.body, h("p", { class: "toolbar" }, turn("Previous bytes", p.from > 0 ? Math.max(0, p.from - p.page) : -1), turn("Next bytes", p.from + p.page),
      h("span", { class: "dim" }, `bytes ${grouped(p.from)} to ${grouped(p.from + kinds.length - 1)} of ${grouped(p.size)}: ${plural(p.count, "value")} of ${plural(p.value, "byte")} on ${folder.short(p.machine)}`, rest > 0 && `, and ${plural(rest, "byte")} left, too few for another value`)),
    this.said, h("div", { class: "columns even" }, this.grid, h("div", { class: "scroll fields", tabindex: "0", role: "region", "aria-label": "Values" },
      h("table", {}, h("thead", {}, h("tr", {}, ["value of", "value", "type", "offset"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, this.rows)))));
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const step = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide })[e.key];
    if (!step) return;
    e.preventDefault();
    this.point(this.at < 0 ? 0 : Math.min(this.cells.length - 1, Math.max(0, this.at + step)));
  }

  /** point chooses a byte, and marks its field and its member. @param {number} i */
  point(i) {
    const p = this.page, at = p.from + i, inside = at < p.count * p.value;
    const f = p.fields.find((f) => f.offset <= at && at < f.offset + f.size);
    this.at = i;
    this.mark(f ? [[f.offset, f.offset + f.size]] : []);
    this.found(inside ? at % p.value : -1);
    this.cells[i].classList.add("here");
    this.cells[i].scrollIntoView({ block: "nearest", inline: "nearest" });
    fill(this.said, `byte ${grouped(at)}: `, f ? [h("code", {}, f.path || this.asked.name), ` ${f.type} `, h("code", {}, f.value)] : inside ? "a hole" : "after the last value");
  }

  /** member marks the bytes of a member in all values of the page. @param {number} first @param {number} last @param {number} size of a value */
  member(first, last, size) {
    const p = this.page;
    if (!p) return;
    const ranges = [];
    for (let v = Math.floor(p.from / size); v < p.count && v * size < p.from + this.cells.length; v++) ranges.push([v * size + first, v * size + last]);
    this.mark(ranges);
    fill(this.said);
  }

  /** @param {number[][]} ranges of the file */
  mark(ranges) {
    const { from } = this.page;
    this.cells.forEach((c) => c.classList.remove("on", "here"));
    for (const [a, b] of ranges) for (let i = Math.max(0, a - from); i < Math.min(this.cells.length, b - from); i++) this.cells[i].classList.add("on");
    this.page.fields.forEach((f, i) => this.rows[i].classList.toggle("on", ranges.some(([a, b]) => f.offset < b && f.offset + f.size > a)));
  }
}
