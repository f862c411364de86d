// The layout of a type: the offsets of its members on some machines, the holes between them, and a binary file beside it.

import { get, pairs } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { address, folder } from "./folder.js";
import { Life } from "./life.js";
import { plural } from "./units.js";
/** @import { Layout } from "../types.js" */

/** named lists known machines and files of the folder for an input. @param {string} id @param {string[]} known */
export const named = (id, known) => h("datalist", { id }, known.map((n) => h("option", { value: n })),
  folder.now.files.filter((f) => f.path.endsWith(".coilcfg")).map((f) => h("option", { value: f.path }, folder.short(f.path))));

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function layoutView(into, query, life) {
  const path = query.get("path") ?? "";
  const asked = { path, name: query.get("name") ?? "", target: query.getAll("target"), set: query.getAll("set") };
  const shown = h("div", {}), targets = h("span", { class: "toolbar" });
  let answer = /** @type {Layout} */ ({ names: /** @type {string[]} */ ([]), known: /** @type {string[]} */ ([]) });
  /** @type {(first: number, last: number) => void} */ let mark = () => {};
  let asking = new Life(life);
  const load = async () => {
    const mine = (asking = asking.next());
    try {
      answer = await mine.answer(get("layout", pairs(asked)));
    } catch (error) {
      return fill(shown, h("p", { class: "refused", role: "alert" }, quoted(/** @type {Error} */ (error).message)));
    }
    asked.name = answer.name;
    if (!asked.target.length) asked.target = [answer.machines[0].name];
    if (document.contains(into)) history.replaceState(null, "", `#/layout?${pairs(asked)}`);
    fill(targets, asked.target.map((t, i) => h("button", { type: "button", disabled: asked.target.length < 2, "aria-label": `Without ${folder.short(t)}`, onclick: () => {
      asked.target.splice(i, 1);
      add.focus();
      load();
    } }, folder.short(t), " ×")));
    fill(shown, answer.why ? [h("p", { class: "refused" }, quoted(answer.why)), answer.needs.length > 0 && h("p", { class: "dim" }, `Give ${answer.needs.join(" and ")} a value above.`)] : table(answer, (at, size) => mark(at, at + size)));
    if (!answer.why) fileOf.again();
  };
  const values = h("input", { type: "text", placeholder: "rows=4 cols=3", "aria-label": "Values of data", value: asked.set.join(" "), spellcheck: "false", onchange: () => {
    asked.set = values.value.split(/\s+/).filter(Boolean);
    load();
  } });
  const add = h("input", { type: "text", list: "machines", placeholder: "Add a target", "aria-label": "Add a target", onchange: () => {
    if (!add.value) return;
    asked.target = [...new Set([...asked.target, add.value])];
    add.value = "";
    load();
  } });
  const { FileBytes } = await life.answer(import("./file-bytes.js"));
  const fileOf = new FileBytes(asked, query, life, (at) => memberAt(shown, at));
  mark = (first, last) => fileOf.member(first, last, answer.machines[0].size);
  await load();
  const type = h("select", { "aria-label": "Type", onchange: () => {
    asked.name = type.value;
    load();
  } }, answer.names.map((n) => h("option", { value: n, selected: n === asked.name }, n)));
  fill(into, h("div", { class: "head" }, h("h2", {}, "Layout ", h("small", {}, folder.short(path))), h("p", { class: "buttons" }, h("a", { class: "button", href: address("files", { path }) }, "Show the text"))),
    h("div", { class: "toolbar" }, type, values, targets, add, named("machines", answer.known)), shown, fileOf.section);
}

/** table shows the layout as a table, including holes. @param {Layout} a @param {(at: number, size: number) => void} choose */
function table(a, choose) {
  const rows = a.lines.map((l) => {
    const [at, size] = l.cells[0] ?? [-1, 0];
    const name = "  ".repeat(l.depth) + (l.name || l.type);
    const row = h("tr", { class: l.name ? "" : "hole", "data-at": at, "data-size": size }, h("th", { scope: "row" }, l.name && at >= 0 ? [name.slice(0, 2 * l.depth), h("button", { type: "button", class: "link", onclick: () => {
      memberAt(row.closest("table"), at, size);
      choose(at, size);
    } }, l.name)] : name), h("td", {}, l.name && l.type), l.cells.map((c) => [h("td", { class: "at" }, c?.[0]), h("td", { class: "at" }, c?.[1])]));
    return row;
  });
  return h("section", {},
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Layout of ${a.name}` }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, a.name), h("th", { scope: "col" }, a.type), a.machines.map((m) => h("th", { scope: "colgroup", colspan: 2 }, folder.short(m.name), h("br"), h("small", {}, m.words)))),
        h("tr", {}, h("th", {}, h("span", { class: "hidden" }, "member")), h("th", {}, h("span", { class: "hidden" }, "type")), a.machines.map(() => [h("th", { scope: "col" }, "offset"), h("th", { scope: "col" }, "size")]))),
      h("tbody", {}, rows, a.more > 0 && h("tr", {}, h("td", { colspan: 2 + 2 * a.machines.length }, `and ${plural(a.more, "line")} more`)),
        h("tr", {}, h("th", { scope: "row" }, "whole"), h("td"), a.machines.map((m) => h("td", { class: "at", colspan: 2 }, `${plural(m.size, "byte")}, align ${m.align}`)))))),
    a.machines.filter((m) => m.advice).map((m) => h("p", { class: "dim" }, quoted(m.advice), ` saves ${plural(m.saves, "byte")} on ${folder.short(m.name)}`)));
}

/** memberAt marks the innermost lines at an offset, or the line with an offset and size. @param {Element} within @param {number} at @param {number} [size] */
function memberAt(within, at, size) {
  const rows = /** @type {any[]} */ ([...within.querySelectorAll("tr[data-at]")]);
  const meets = rows.filter((r) => size === undefined ? Number(r.dataset.at) <= at && at < Number(r.dataset.at) + Number(r.dataset.size) : Number(r.dataset.at) === at && Number(r.dataset.size) === size);
  const last = meets[meets.length - 1];
  for (const r of rows) r.classList.toggle("on", r === last);
}
