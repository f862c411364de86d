// An HDF5 or netCDF-4 file: its groups and datasets as a tree, and beside it the chosen dataset.

import { get } from "./api.js";
import { datasetView } from "./dataset-view.js";
import { fill, h } from "./dom.js";
import { Life } from "./life.js";
import { table } from "./record-table.js";
import { plural } from "./units.js";
/** @import { RecordedRun, Result } from "../types.js" */

/** shape describes the shape of a dataset or attribute. @param {number[]} dims */
const shape = (dims) => (dims.length === 0 ? "one element" : dims.map((n) => n.toLocaleString("en")).join(" × "));

/**
 * datasets shows a result, starting with its tree.
 * @param {HTMLElement} into
 * @param {RecordedRun} r the run
 * @param {Result} f its result
 * @param {(f: any) => any[]} origin
 * @param {Life} life
 */
export async function datasets(into, r, f, origin, life) {
  const head = [h("h3", {}, f.path), h("p", { class: "dim" }, origin(f))];
  fill(into, head, h("p", { class: "dim", role: "status" }, "Reading …"));
  const query = { run: r.run, path: f.path };
  try {
    const tree = await life.answer(get("result-tree", query));
    const chosen = h("section", { class: "dataset" });
    let shown = new Life(life);
    const buttons = new Map();
    const choose = (/** @type {any} */ object) => {
      shown = shown.next();
      for (const [path, button] of buttons) button.setAttribute("aria-pressed", String(path === object.path));
      const attributes = h("div", {});
      fill(chosen, h("h3", {}, object.path), object.dataset
        ? [h("p", { class: "dim" }, `${object.dataset.type}, ${shape(object.dataset.shape)}`, object.dataset.chunk && `, in chunks of ${shape(object.dataset.chunk)}`),
          datasetView(r, f, object, tree.objects, shown)]
        : h("p", { class: "dim" }, "group"), attributes);
      describe(attributes, { ...query, name: object.path }, shown);
    };
    const element = (/** @type {any} */ o, /** @type {string} */ name) => {
      const button = h("button", { type: "button", class: "leaf", "aria-pressed": "false", onclick: () => choose(o) }, name, o.dataset && h("small", {}, shape(o.dataset.shape)));
      buttons.set(o.path, button);
      return button;
    };
    fill(into, head, h("div", { class: "columns" },
      h("nav", { class: "card tree", "aria-label": `Groups and datasets of ${f.path}`, tabindex: "0" }, branches(tree.objects, element),
        tree.more && h("p", { class: "dim" }, `the first ${plural(tree.objects.length, "object")}`), tree.broken && h("p", { class: "refused" }, `The rest cannot be read: ${tree.broken}`)),
      chosen));
    choose(tree.objects.find((/** @type {any} */ o) => o.dataset?.numbers) ?? tree.objects.find((/** @type {any} */ o) => o.dataset) ?? tree.objects[0]);
  } catch (error) {
    fill(into, head, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
  }
}

/** branches shows the objects as nested lists. @param {any[]} objects @param {(o: any, name: string) => any} element */
function branches(objects, element) {
  /** @type {Map<string, any>} */ const lists = new Map();
  const root = h("ul", { class: "plain" });
  for (const o of objects) {
    const cut = o.path.lastIndexOf("/");
    const list = o.path === "/" ? root : lists.get(o.path.slice(0, cut));
    const own = o.dataset ? null : h("ul", { class: "plain" });
    if (own) lists.set(o.path === "/" ? "" : o.path, own);
    list.append(h("li", {}, own && o.path !== "/"
      ? h("details", { open: true }, h("summary", {}, h("span", { class: "hidden" }, "group "), o.path.slice(cut + 1)), element(o, "attributes"), own)
      : [element(o, o.path === "/" ? "/" : o.path.slice(cut + 1)), own]));
  }
  return root;
}

/** describe fills in the attributes of an object. @param {HTMLElement} into @param {Record<string, string>} query @param {Life} life */
async function describe(into, query, life) {
  try {
    const a = await life.answer(get("result-attributes", query));
    fill(into, a.attributes.length === 0 ? h("p", { class: "dim" }, "no attributes") : table("Attributes", ["attribute", "value", "type"],
      a.attributes.map((/** @type {any} */ v) => [v.name, v.value, `${v.type}${v.shape.length > 0 ? `, ${shape(v.shape)}` : ""}`])), a.more > 0 && h("p", { class: "dim" }, `and ${plural(a.more, "other")}`));
  } catch (error) {
    fill(into, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
  }
}
