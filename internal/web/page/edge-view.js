// The newest datum on an edge of a run, while the panel is open, and the cost of watching it.

import "./curve.js";
import "./heat-map.js";
import { fill, h } from "./dom.js";
import { hide } from "./inspector.js";
import { stream } from "./stream.js";
import { bytes, grouped, span } from "./units.js";

/**
 * edgeView fills a panel with the newest datum of an edge, at most twice a second.
 * @param {import("./life.js").Life} life of the panel's content
 * @param {HTMLElement} panel
 * @param {{from: string, to: string}} edge
 */
export function edgeView(life, panel, { from, to }) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const name = `${from} → ${to}`;
  const what = h("p", { class: "dim" }, "Waiting for a datum."), datum = h("div", { class: "datum" }), costs = h("dl", { class: "costs" });
  let held = false;
  const hold = h("button", { type: "button", "aria-pressed": "false", title: "Keep this datum and stop watching", onclick: () => {
    held = !held;
    hold.setAttribute("aria-pressed", String(held));
    stream.look(held ? "" : to);
  } }, "Hold");
  const close = () => {
    hide(life, panel);
    before?.focus();
  };
  const escape = (/** @type {KeyboardEvent} */ e) => e.key === "Escape" && close();
  fill(panel, h("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "×"), h("h2", {}, name), what, datum, h("div", { class: "head" }, h("h3", {}, "Cost of watching"), hold), costs);
  panel.setAttribute("aria-label", "Edge");
  panel.addEventListener("keydown", escape);
  panel.hidden = false;
  panel.focus();
  let shown = /** @type {{kind: string, show: (v: any) => void} | null} */ (null);
  life.until(stream.on("edge", (v, size) => {
    if (held) return;
    if (v.error) return fill(what, v.error);
    fill(what, words(v));
    if (shown?.kind !== v.kind) {
      shown = { kind: v.kind, show: (makers[v.kind] ?? plain)(datum, name) };
    }
    shown?.show(v);
    fill(costs, pairs(v, size).map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
  }));
  life.until(() => {
    stream.look("");
    panel.removeEventListener("keydown", escape);
    panel.setAttribute("aria-label", "Node");
  });
  stream.look(to);
}

/** words describes the datum. @param {any} v */
function words(v) {
  const is = /** @type {Record<string, string>} */ ({ nothing: "No datum has arrived yet.", empty: "An empty datum: the step had no value.", error: "An error instead of a value" })[v.kind] ?? v.noun;
  const read = v.drawing && v.drawing.read < v.drawing.shape[0] * v.drawing.shape[1] ? `, ${grouped(v.drawing.read)} of its elements, evenly spaced` : "";
  return v.kind === "nothing" ? is : `${is}${v.part ? `, ${v.part} of it` : ""}${read}${v.bytes ? `, ${bytes(v.bytes)}` : ""}; stamp ${grouped(v.stamp)}`;
}

/** pairs returns the costs as names and values. @param {any} v @param {number} size @returns {[string, string][]} */
function pairs(v, size) {
  const part = v.watched_ns ? (100 * v.cost_ns) / v.watched_ns : 0;
  return [
    ["data that have passed", grouped(v.passed) + (v.dropped ? `, and ${grouped(v.dropped)} dropped` : "")],
    ["skipped since the last one", grouped(v.skipped)],
    ["time of the producer", `${span(v.cost_ns / 1e9)} in ${span(v.watched_ns / 1e9)}, ${part < 0.01 ? "less than 0.01" : part.toFixed(2)} %`],
    ["to draw and send", `${span(v.render_ns / 1e9)} beside the run, ${bytes(size)}`],
  ];
}

/** plain shows a datum as text. @param {HTMLElement} into */
function plain(into) {
  const text = h("pre", { tabindex: "0", "aria-label": "Datum" });
  fill(into, text);
  return (/** @type {any} */ v) => {
    text.className = v.kind;
    text.hidden = !v.text;
    text.textContent = (v.text ?? "") + (v.cut ? "…" : "");
  };
}

/** How each kind of datum is shown. Each function makes its elements once. @type {Record<string, (into: HTMLElement, name: string) => (v: any) => void>} */
const makers = {
  image(into, name) {
    const canvas = h("canvas", { role: "img", "aria-label": `newest image of ${name}` });
    fill(into, canvas);
    return async (v) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(v.png), (c) => c.charCodeAt(0))], { type: "image/png" }));
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d").drawImage(image, 0, 0);
    };
  },
  curve(into, name) {
    const plot = plotIn(into, "pentode-curve");
    return ({ drawing: d }) => plot.show([{ name, low: d.low, high: d.high }], 0, d.shape[1] / d.cells[1]);
  },
  map(into, name) {
    const plot = plotIn(into, "pentode-heat-map");
    return ({ drawing: d }) => {
      const [rows, columns] = d.cells;
      plot.show({ name, columns, rows, values: d.mean, low: d.min ?? 0, high: d.max ?? 0, parting: false, first: [0, 0], step: [d.shape[1] / columns, d.shape[0] / rows] });
    };
  },
};

/** @param {HTMLElement} into @param {string} tag */
function plotIn(into, tag) {
  const plot = h(tag, {});
  fill(into, h("figure", { class: "plot" }, plot));
  return plot;
}
