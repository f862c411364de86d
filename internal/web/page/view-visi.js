// A visualisation of a launch plan, in place of a program of Paradyn. The server measures while this view asks.

import { get } from "./api.js";
import { key } from "./curve.js";
import { fill, h } from "./dom.js";
import { address } from "./folder.js";
import { decimal } from "./plot.js";
import { bytes, grouped, quantity, share, span } from "./units.js";
import "./terrain.js";

/** @typedef {{metric: string, focus: string, now: number | null, mean: number | null, total: number | null, bins: (number | null)[]}} Series a series without bins is not drawn */
/** @typedef {{name: string, view: string}} Visi */
/**
 * @typedef {Visi & {state: string, why: string, note: string, visis: Visi[], width: number, metrics: {name: string, title: string}[], metric: string, unit: string,
 *   series: Series[], phases: {handle: number, focus: string, name: string, start: number, end: number | null}[]}} Answer
 */
/** @typedef {{element: any, show: (a: Answer) => void}} Part a part of the view that shows answers */

const every = 1000; // milliseconds between two requests
const maxCurves = 6, maxTimes = 12; // at first; columns of numbers

/** @param {HTMLElement} into @param {URLSearchParams} query @param {import("./life.js").Life} life */
export async function visiView(into, query, life) {
  const ask = { run: query.get("run") ?? "", visi: query.get("visi") ?? "", metric: "" };
  /** @type {Answer} */ let a = await life.answer(get("visi", ask));
  const part = parts[a.view]();
  const show = () => {
    fill(state, h("span", { class: `chip ${a.state === "running" ? "running" : "finished"}` }, a.state));
    if (metric.options.length !== a.metrics.length) fill(metric, a.metrics.map((m) => h("option", { value: m.name }, `${m.name}: ${m.title}`)));
    if (document.activeElement !== metric) metric.value = a.metric;
    fill(note, a.note);
    part.show(a);
  };
  const look = async () => {
    const wanted = ask.metric;
    try {
      const next = await life.answer(get("visi", ask));
      if (wanted !== ask.metric) return; // another one was chosen in the meantime
      a = next;
      show();
    } catch (error) {
      fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  const state = h("span", {}), note = h("p", { class: "dim" });
  const pick = h("select", { "aria-label": "Visualisation", onchange: () => (location.hash = address("visi", { run: ask.run, visi: pick.value })) }, a.visis.map((v) => h("option", { value: v.name }, `${v.name} (${v.view})`)));
  pick.value = a.name;
  const metric = h("select", { "aria-label": "Metric", hidden: a.view === "tableVisi" || a.view === "phaseTable", onchange: () => {
    ask.metric = metric.value;
    look();
  } });
  fill(into, h("div", { class: "toolbar" }, h("h2", {}, "Visualisation"), pick, metric, state, h("a", { href: address("processes", { run: ask.run }) }, "Processes")),
    h("p", {}, a.why), part.element, note);
  show();
  (async () => {
    while (a.state === "running") {
      await life.pause(every);
      if (!document.hidden) await look();
    }
  })();
}

/** amount formats a value of a metric with its unit. @param {string} metric @param {number | null} v */
const amount = (metric, v) => (v === null ? "–" : metric === "memory" ? bytes(v) : metric === "busy" ? share(v) : metric === "cpu" ? `${v.toFixed(2)} CPUs` : `${quantity(v)}/s`);

const drawn = (/** @type {Answer} */ a) => a.series.filter((s) => s.bins.length > 0);
const moment = (/** @type {Answer} */ a) => (/** @type {number} */ i) => `${decimal(i * a.width)} to ${decimal((i + 1) * a.width)} s`;

/** table makes a scrolling table. @param {string} label @param {any[]} heads @param {any} rows */
const table = (label, heads, rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
  h("table", {}, h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, rows)));

const row = (/** @type {string} */ name, /** @type {any[]} */ cells) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((c) => h("td", {}, c)));

/** tabled makes a part that each answer rebuilds, unless it has the focus. @param {(a: Answer) => any} make @returns {Part} */
function tabled(make) {
  const element = h("section", {});
  return { element, show: (a) => element.contains(document.activeElement) || fill(element, make(a)) };
}

/** numbers makes a table of the drawn values, for users who cannot see the plot. @returns {Part} */
function numbers() {
  const part = tabled((a) => {
    const list = drawn(a), n = Math.max(0, ...list.map((s) => s.bins.length)), step = Math.ceil(n / maxTimes) || 1;
    const at = Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
    return table("Numbers", [a.unit, ...at.map((i) => `${decimal(i * a.width)} s`)], list.map((s) => row(s.focus, at.map((i) => (typeof s.bins[i] === "number" ? decimal(s.bins[i]) : "–")))));
  });
  return { element: h("details", {}, h("summary", {}, "Numbers"), part.element), show: part.show };
}

/** rthist draws curves over time for the checked foci. @returns {Part} */
function rthist() {
  const caption = h("figcaption", {}), curve = h("pentode-curve"), boxes = h("fieldset", { class: "toolbar" }), below = numbers();
  let known = "";
  /** @type {Part["show"]} */ const show = (a) => {
    const list = drawn(a), foci = list.map((s) => s.focus);
    if (known !== foci.join()) {
      known = foci.join();
      fill(boxes, h("legend", {}, "Curves of"), foci.map((f, i) => h("label", { class: "choice" }, h("input", { type: "checkbox", checked: i < maxCurves }), f)));
    }
    const draw = () => {
      const ticks = [...boxes.querySelectorAll("input")], shown = list.filter((_, i) => ticks[i].checked);
      fill(caption, `${a.unit} over seconds `, shown.map((s, i) => h("span", { class: "key" }, h("span", { class: `line ${key(i)}` }), s.focus)));
      curve.show(shown.map((s) => ({ name: s.focus, low: s.bins, high: s.bins })), 0, a.width, { place: moment(a), low: 0 });
    };
    boxes.onchange = draw;
    draw();
    below.show(a);
  };
  return { element: [boxes, h("figure", { class: "plot card" }, caption, curve), below.element], show };
}

/** terrain draws a surface over foci and time. @returns {Part} */
function terrain() {
  const surface = h("pentode-terrain"), caption = h("figcaption", {}), below = numbers();
  const turn = h("input", { type: "range", min: -80, max: 80, value: -30, oninput: () => surface.turn(Number(turn.value)) });
  return { element: [h("figure", { class: "plot card" }, caption, surface, h("label", { class: "choice" }, "Turn", turn)), below.element], show: (a) => {
    fill(caption, `${a.unit} over foci and seconds`);
    surface.show(drawn(a), a.width, moment(a));
    below.show(a);
  } };
}

/** barChart draws two bars for each focus. */
const barChart = () => tabled((a) => {
  const list = a.series.filter((s) => s.metric === a.metric), top = Math.max(0, ...list.map((s) => Math.max(s.now ?? 0, s.mean ?? 0)));
  const cells = (/** @type {number | null} */ v) => {
    const bar = h("span", { class: "fillbar" });
    bar.style.width = `${top > 0 ? (100 * (v ?? 0)) / top : 0}%`;
    return [h("span", { class: "meter", "aria-hidden": "true" }, bar), amount(a.metric, v)];
  };
  return table("Bars", ["focus", "current", "average"], list.map((s) => row(s.focus, [cells(s.now), cells(s.mean)])));
});

/** tableVisi shows all metrics of all foci. */
const tableVisi = () => tabled((a) => table("Values", ["focus", "metric", "current", "average", "total"], [...a.series].sort((s, t) => (s.focus < t.focus ? -1 : Number(s.focus > t.focus))).map((s) =>
  row(s.focus, [s.metric, amount(s.metric, s.now), amount(s.metric, s.mean), s.total === null ? "–" : s.metric === "cpu" ? span(s.total) : grouped(s.total)]))));

/** phaseTable shows the phases of the run. */
const phaseTable = () => tabled((a) => table("Phases", ["phase", "handle", "start", "end", "lasts"], a.phases.map((p) =>
  row(`${p.focus} ${p.name}`, [p.handle, span(p.start), p.end === null ? (a.state === "running" ? "continues" : "unknown") : span(p.end), p.end === null ? "–" : span(p.end - p.start)]))));

/** @type {Record<string, () => Part>} */ const parts = { rthist, barChart, tableVisi, phaseTable, terrain };
