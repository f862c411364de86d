// One dataset as a curve, heat map or table of a slice that sliders choose: alone, beside another one, or their difference.
// The server reduces the slice for drawing.

import { get } from "./api.js";
import { key } from "./curve.js";
import { fill, h } from "./dom.js";
import "./heat-map.js";
import { Life } from "./life.js";
import { decimal } from "./plot.js";
import { grouped } from "./units.js";
/** @import { RecordedRun, Result } from "../types.js" */

/** choice makes a labelled list. @param {string} label @param {[string, string][]} options @param {string} value @param {(v: string) => void} change */
function choice(label, options, value, change) {
  const select = h("select", { onchange: () => change(select.value) }, options.map(([v, text]) => h("option", { value: v }, text)));
  select.value = value;
  return h("label", { class: "choice" }, label, " ", select);
}

/**
 * datasetView shows the controls of a dataset and the chosen slice.
 * @param {RecordedRun} r the run
 * @param {Result} f its result
 * @param {any} object of the tree
 * @param {any[]} objects the tree
 * @param {Life} life
 */
export function datasetView(r, f, object, objects, life) {
  const d = object.dataset;
  /** @type {number[]} */ const dims = d.shape;
  if (dims.includes(0)) return h("p", {}, "The dataset has no elements.");
  const numbers = d.numbers || d.members?.length > 0;
  const long = dims.map((_, i) => i).filter((i) => dims[i] > 1);
  const state = {
    as: !d.numbers || long.length === 0 ? "table" : long.length === 1 ? "curve" : "map",
    member: d.numbers ? "" : d.members?.[0] ?? "", rows: long.at(-2) ?? 0, columns: long.at(-1) ?? 0,
    at: dims.map(() => 0), from: dims.map(() => 0), to: dims.map((n) => n - 1),
    file: f.path, other: "", how: "beside",
  };
  const controls = h("div", { class: "toolbar" }), sliders = h("div", { class: "sliders" }), against = h("div", { class: "toolbar" });
  const shown = h("div", { class: "plots" }), note = h("p", { class: "dim", role: "status" });
  const drawn = () => (state.as === "curve" ? [state.columns] : state.as === "map" || long.length > 1 ? [state.rows, state.columns] : [state.columns]).filter((i) => i < dims.length);

  let busy = false, again = false;
  const update = async () => {
    again = true;
    if (busy) return; // when this answer arrives, the newest slice is requested
    busy = true;
    while (again) {
      again = false;
      try {
        await show();
      } catch (error) {
        fill(shown);
        fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
      }
    }
    busy = false;
  };

  const show = async () => {
    const axes = drawn();
    const box = { at: dims.map((_, i) => (axes.includes(i) ? state.from[i] : state.at[i])).join(), count: dims.map((_, i) => (axes.includes(i) ? state.to[i] - state.from[i] + 1 : 1)).join(), as: state.as };
    const here = { run: r.run, path: f.path, name: object.path, member: state.member, ...box };
    const there = { run: r.run, path: state.file, name: state.other, member: state.member, ...box };
    const less = { ...here, "other-path": state.file, other: state.other, "other-member": state.member };
    const queries = !state.other || state.as === "table" ? [here] : state.how === "difference" ? [less] : [here, there];
    const answers = await life.answer(Promise.all(queries.map((q) => get("result-values", q))));
    const titles = queries.length > 1 ? [object.path, `${state.file === f.path ? "" : `${state.file} `}${state.other}`] : [state.other && state.as !== "table" ? `${object.path} less ${state.other}` : object.path];
    if (state.as === "table") tableOf(answers[0], axes);
    else if (state.as === "curve") curves(answers, titles, axes[0]);
    else maps(answers, titles, axes);
  };

  const plots = (/** @type {string} */ tag, /** @type {string[]} */ titles) => {
    // Keep existing plots, so that their position and mark are not lost.
    const there = [...shown.querySelectorAll(tag)];
    if (there.length !== titles.length || shown.children.length !== titles.length) fill(shown, titles.map(() => h("figure", { class: "plot card" }, h("figcaption", {}), h(tag))));
    shown.querySelectorAll("figcaption").forEach((/** @type {Element} */ e, /** @type {number} */ i) => fill(e, titles[i]));
    return [...shown.querySelectorAll(tag)];
  };

  const curves = (/** @type {any[]} */ answers, /** @type {string[]} */ titles, /** @type {number} */ axis) => {
    const [plot] = plots("pentode-curve", [titles.join(" and ")]);
    plot.show(answers.map((a, i) => ({ name: titles[i], low: a.low, high: a.high })), state.from[axis] ?? 0, (answers[0].shape[1]) / answers[0].cells[1]);
    if (titles.length > 1) fill(/** @type {Element} */ (shown.querySelector("figcaption")), titles.map((t, i) => h("span", { class: "key" }, h("span", { class: `line ${key(i)}` }), t)));
    remark(answers);
  };

  const maps = (/** @type {any[]} */ answers, /** @type {string[]} */ titles, /** @type {number[]} */ [rows, columns]) => {
    const low = Math.min(...answers.map((a) => Math.min(...finite(a.mean)))), high = Math.max(...answers.map((a) => Math.max(...finite(a.mean))));
    plots("pentode-heat-map", titles).forEach((plot, i) => {
      const a = answers[i], turned = rows > columns;
      const [down, across] = turned ? [a.cells[1], a.cells[0]] : a.cells;
      plot.show({ name: titles[i], columns: across, rows: down, values: turned ? turn(a.mean, a.cells[0], a.cells[1]) : a.mean, low, high, parting: state.other !== "" && state.how === "difference",
        first: [state.from[columns], state.from[rows]], step: [(state.to[columns] - state.from[columns] + 1) / across, (state.to[rows] - state.from[rows] + 1) / down] });
    });
    remark(answers);
  };

  const remark = (/** @type {any[]} */ answers) => fill(note, answers.map((a, i) => {
    const all = a.shape[0] * a.shape[1], cells = a.cells[0] * a.cells[1];
    return [i > 0 && "; ", `${grouped(all)} elements from ${decimal(a.min)} to ${decimal(a.max)}`, cells < all && (state.as === "map" ? ", each cell is the mean of its elements" : ", each point is the smallest and the largest of its elements"),
      a.read < all && `; ${grouped(a.read)} of them were read, evenly spaced: choose a smaller range to read all`, a.odd > 0 && `; ${grouped(a.odd)} are infinite or not a number`];
  }));

  const tableOf = (/** @type {any} */ a, /** @type {number[]} */ axes) => {
    if (a.rows.length === 1 && a.rows[0].length === 1) fill(shown, h("p", { class: "single" }, a.rows[0][0]));
    else {
      const line = a.shape[0] === 1;
      const heads = a.heads ?? (line ? ["value"] : a.rows[0].map((/** @type {string} */ _, /** @type {number} */ i) => state.from[Math.max(...axes)] + i));
      const first = state.from[line ? Math.max(...axes, 0) : Math.min(...axes)] ?? 0;
      fill(shown, h("div", { class: "scroll card", tabindex: "0", role: "region", "aria-label": `Elements of ${object.path}` }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, line ? "element" : "row"), heads.map((/** @type {any} */ t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, a.rows.map((/** @type {string[]} */ row, /** @type {number} */ i) => h("tr", {}, h("th", { scope: "row" }, first + i), row.map((v) => h("td", {}, v))))))));
    }
    const cells = a.rows.length * (a.heads ? 1 : a.rows[0].length), all = a.shape[0] * a.shape[1];
    fill(note, cells < all && `the first ${grouped(cells)} of ${grouped(all)} elements; change the ranges to see others`);
  };

  const arrange = () => {
    const axes = drawn();
    const named = /** @type {[string, string][]} */ (long.map((i) => [String(i), `axis ${i} (${grouped(dims[i])})`]));
    const swap = (/** @type {"rows" | "columns"} */ one, /** @type {"rows" | "columns"} */ other) => (/** @type {string} */ v) => {
      if (state[other] === Number(v)) state[other] = state[one];
      state[one] = Number(v);
      arrange();
    };
    const kinds = /** @type {[string, string][]} */ ([...(numbers && long.length > 1 ? [["map", "heat map"]] : []), ...(numbers && long.length > 0 ? [["curve", "curve"]] : []), ["table", long.length > 0 ? "table" : "value"]]);
    fill(controls, kinds.length > 1 && choice("Show as", kinds, state.as, (v) => { state.as = v; arrange(); }),
      !d.numbers && d.members?.length > 0 && state.as !== "table" && choice("Member", d.members.map((/** @type {string} */ m) => [m, m]), state.member, (v) => { state.member = v; update(); }),
      state.as === "map" && choice("Rows", named, String(state.rows), swap("rows", "columns")),
      (state.as === "map" || state.as === "curve" && long.length > 1) && choice(state.as === "map" ? "Columns" : "Along", named, String(state.columns), swap("columns", "rows")));
    fill(sliders, long.map((i) => (axes.includes(i) ? range(i) : slider(i))));
    update();
  };

  const slider = (/** @type {number} */ i) => {
    const value = h("output", {}, state.at[i]);
    const input = h("input", { type: "range", min: 0, max: dims[i] - 1, "aria-label": `Element of axis ${i}`, oninput: () => {
      state.at[i] = Number(input.value);
      fill(value, state.at[i]);
      update();
    } });
    input.value = state.at[i];
    return h("div", { class: "slider" }, h("span", {}, `axis ${i}`), input, value, h("span", { class: "dim" }, `of ${grouped(dims[i])}`));
  };

  const range = (/** @type {number} */ i) => {
    const field = (/** @type {"from" | "to"} */ end) => {
      const input = h("input", { type: "number", min: 0, max: dims[i] - 1, "aria-label": `${end === "from" ? "First" : "Last"} element of axis ${i}`, onchange: () => {
        const v = Math.min(dims[i] - 1, Math.max(0, Math.round(Number(input.value)) || 0));
        state[end][i] = v;
        if (state.from[i] > state.to[i]) state.from[i] = state.to[i] = v;
        arrange();
      } });
      input.value = state[end][i];
      return input;
    };
    return h("div", { class: "slider" }, h("span", {}, `axis ${i}`), field("from"), "to", field("to"), h("span", { class: "dim" }, `of ${grouped(dims[i])}`));
  };

  /** compare offers datasets of the same shape in the files of the run. @param {any[]} list */
  const compare = (list) => {
    const same = list.filter((o) => o.dataset && (o.dataset.numbers || o.dataset.members?.includes(state.member)) && o.dataset.shape.join() === dims.join() && (state.file !== f.path || o.path !== object.path));
    const files = r.files.filter((o) => o.shows === "datasets" && !o.gone).slice(0, 200);
    if (!same.some((o) => o.path === state.other)) state.other = "";
    fill(against,
      files.length > 1 && choice("Compare with a dataset of", files.map((o) => [o.path, o.path]), state.file, async (v) => {
        state.file = v;
        try {
          compare((await life.answer(get("result-tree", { run: r.run, path: v }))).objects);
        } catch (error) {
          fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
        }
        update();
      }),
      (same.length > 0 || files.length > 1) && choice(files.length > 1 ? "Dataset" : "Compare with", [["", same.length > 0 ? "none" : "none of this shape"], .../** @type {[string, string][]} */ (same.map((o) => [o.path, o.path]))], state.other, (v) => { state.other = v; compare(list); update(); }),
      state.other && choice("as", [["beside", "both"], ["difference", "difference"]], state.how, (v) => { state.how = v; update(); }));
  };
  if (numbers) compare(objects);
  arrange();
  return [controls, sliders, numbers && against, shown, note];
}

/** @param {(number | null)[]} list @returns {number[]} */
function finite(list) {
  let low = Infinity, high = -Infinity;
  for (const v of list) if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
  return [low, high];
}

/** turn exchanges rows and columns. @param {any[]} list @param {number} rows @param {number} columns */
function turn(list, rows, columns) {
  const out = new Array(list.length);
  for (let i = 0; i < rows; i++) for (let k = 0; k < columns; k++) out[k * rows + i] = list[i * columns + k];
  return out;
}
