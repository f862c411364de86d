// Two machines compared: their differences, and whether code built for one runs on the other.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { address, folder } from "./folder.js";
import { Life } from "./life.js";
import { table } from "./record-table.js";
import { named } from "./view-layout.js";
/** @import { Target } from "../types.js" */

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function targetView(into, query, life) {
  const path = query.get("path") ?? "";
  const shown = h("div", { class: "results" });
  let answer = /** @type {Target | null} */ (null);
  let asking = new Life(life);
  const draw = () => {
    if (!answer) return;
    const here = folder.short(path), there = folder.short(answer.with);
    const verdict = (/** @type {string} */ why, /** @type {string} */ yes, /** @type {string} */ no) => h("li", {}, h("span", { class: `badge ${why ? "error" : "fine"}` }, why ? "no" : "yes"), " ", why ? [no, ": ", quoted(why)] : yes);
    const runs = (/** @type {string} */ why, /** @type {string} */ a, /** @type {string} */ b) => verdict(why, `code of ${a} runs on ${b}`, `code of ${a} does not run on ${b}`);
    const rows = answer.facts.filter((f) => all.checked || f.differs);
    fill(shown, h("ul", { class: "plain" }, runs(answer.runs[0], here, there), runs(answer.runs[1], there, here), verdict(answer.links, `objects of ${here} and ${there} can be linked`, `objects of ${here} and ${there} cannot be linked`)),
      rows.length === 0 ? h("p", {}, "All compared properties are equal.") : table("Compared properties", ["property", "part", here, there], rows.map((f) => [f.name, f.group, cell(f.a, f.differs), cell(f.b, f.differs)])));
  };
  const load = async () => {
    const mine = (asking = asking.next());
    const given = { path, with: other.value };
    try {
      answer = await mine.answer(get("target", given));
    } catch (error) {
      answer = null;
      return fill(shown, h("p", { class: "refused", role: "alert" }, quoted(folder.tidy(/** @type {Error} */ (error).message))));
    }
    other.value = answer.with;
    if (document.contains(into)) history.replaceState(null, "", address("target", { path, with: answer.with }));
    draw();
  };
  const other = h("input", { type: "text", list: "targets", "aria-label": "Compare with", spellcheck: "false", value: query.get("with") ?? "", onchange: load });
  const all = h("input", { type: "checkbox", onchange: draw });
  await load();
  fill(into, h("div", { class: "head" }, h("h2", {}, "Target ", h("small", {}, folder.short(path))), h("p", { class: "buttons" }, h("a", { class: "button", href: address("files", { path }) }, "Show the text"))),
    h("div", { class: "toolbar" }, h("span", { class: "dim" }, "compared with"), other, named("targets", answer?.known ?? []), h("label", { class: "choice" }, all, "also show equal properties")), shown);
}

/** @param {string} text @param {boolean} differs */
const cell = (text, differs) => (text ? h(differs ? "strong" : "span", {}, text) : h("span", { class: "dim" }, "–"));
