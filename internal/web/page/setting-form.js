// The settings that a file offers to its users, as a form: types, ranges and documentation come from the program. Changes are
// previewed before they are written.

import { get, post } from "./api.js";
import { fill, h, tell } from "./dom.js";
import { finding, quoted } from "./findings.js";
import { folder, place } from "./folder.js";
import { diff } from "./inspector.js";
import { Life } from "./life.js";
/** @import { Field } from "../types.js" */

/**
 * form shows the settings of a file.
 * @param {HTMLElement} into @param {string} path @param {Life} life
 * @param {() => void} done is called to show the file again
 */
export async function form(into, path, life, done) {
  const fields = await life.answer(get("form", { path }));
  const would = h("div", { class: "would", "aria-live": "polite" });
  /** @type {Map<any, any>} */ const inputs = new Map(fields.map((f) => [f, input(f)]));
  const entered = () => fields.map((f) => ({ key: f.key, value: valueOf(f, inputs.get(f)), was: f.value })).filter((v) => v.value !== v.was)
    .map((v) => ({ key: v.key, value: v.value }));
  let asking = new Life(life);
  const preview = async () => {
    const mine = (asking = asking.next());
    const values = entered();
    fill(would);
    if (values.length === 0) return fill(would, h("p", { class: "dim" }, "Nothing has changed yet."));
    try {
      const answer = await mine.answer(post("form", { path, values, write: false }));
      if (answer.refused.length) return fill(would, h("p", { class: "refused" }, "Not written, because it would be an error:"), h("ul", { class: "findings" }, answer.refused.map((f) => finding(f))));
      if (!answer.diff) return fill(would, h("p", {}, "The settings already have these values."));
      fill(would, diff(answer.diff),
        answer.also.length > 0 && h("p", {}, "Also changes: ", answer.also.map((c, i) => [i > 0 && ", ", h("code", {}, c.key), ` ${c.was} → ${c.value}`])),
        h("p", {}, h("button", { type: "button", class: "primary", disabled: folder.now.read_only, onclick: () => write(values) }, "Write")));
    } catch (error) {
      fill(would, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
    }
  };
  const write = async (/** @type {any[]} */ values) => {
    try {
      const answer = await post("form", { path, values, write: true });
      if (!answer.written) return preview(); // the file has changed, and the new value is now an error
      tell("the settings were written", "done");
      if (life.ended) return;
      await life.answer(folder.load());
      form(into, path, life, done);
    } catch (error) {
      fill(would, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
    }
  };
  const changed = () => {
    asking = asking.next();
    fill(would); // the preview is of earlier values
  };
  fill(into,
    h("div", { class: "head" }, h("h2", {}, folder.short(path), " ", h("small", {}, "settings")), h("p", { class: "buttons" }, h("button", { type: "button", onclick: done }, "Show the text"))),
    h("form", { class: "form card", novalidate: true, oninput: changed, onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), preview()) },
      fields.map((f, i) => field(f, inputs.get(f), i)),
      h("p", { class: "buttons" }, h("button", { type: "submit" }, "Preview"))),
    would);
  inputs.get(fields[0])?.focus();
}

/** @param {Field} f @param {any} made its input @param {number} i */
function field(f, made, i) {
  made.id = `field-${i}`;
  made.setAttribute("aria-describedby", `about-${i}`);
  const range = [f.min !== undefined && `from ${f.min}`, f.max !== undefined && `to ${f.max}`].filter(Boolean).join(" ");
  return h("div", { class: "field" },
    h("label", { for: made.id }, h("code", {}, f.key), f.tunable && [" ", h("span", { class: "badge" }, "tunable")]),
    made,
    h("div", { id: `about-${i}`, class: "doc" },
      f.doc && h("p", {}, quoted(f.doc)),
      h("p", {}, [f.type, range, f.default && `default ${f.default}`].filter(Boolean).join(", "), f.path && [" · ", place(f.path, f.line)], f.readers.length > 0 && [" · read by ", h("code", {}, f.readers.join(", "))])));
}

/** input makes the input for a setting. The program checks numbers, so they are plain texts. @param {Field} f */
function input(f) {
  const words = f.type === "bool" ? ["true", "false"] : f.choices;
  if (words.length > 0) {
    const all = words.includes(f.value) ? words : [f.value, ...words];
    return h("select", { value: f.value }, all.map((w) => h("option", { value: w, selected: w === f.value }, w)));
  }
  const number = (f.type === "int" || f.type === "float") && f.value !== "" && Number.isFinite(Number(f.value));
  return h("input", { type: number ? "number" : "text", step: f.type === "int" ? 1 : "any", min: number ? f.min : null, max: number ? f.max : null, value: f.value, spellcheck: "false", autocomplete: "off" });
}

/** valueOf returns the entered value; the same number in other digits is not a change. @param {Field} f @param {any} made */
function valueOf(f, made) {
  return made.type === "number" && made.value !== "" && Number(made.value) === Number(f.value) ? f.value : made.value;
}
