// The figures of a pipeline as curves, images and tables, the bottleneck first.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { FigureTable } from "./figure-table.js";
import { place } from "./folder.js";
import { goes } from "./steer.js";
import { spark } from "./spark.js";
import { grouped, quantity, share, span } from "./units.js";
/** @import { Row } from "./figure-table.js" */
/** @import { Graph, Run } from "../types.js" */

/**
 * @typedef {object} ProcessFigures
 * @property {string} name
 * @property {string} type
 * @property {number} steps
 * @property {number} [total] steps until its end, if it knows them
 * @property {number} rate steps a second
 * @property {number} busy share of the time
 * @property {number} waits share of the time that it waits for `on`; 0: almost none
 * @property {string} on what it waits for most
 * @property {boolean} [program] it runs as a separate program, which is busy
 * @property {boolean} done
 * @property {boolean} bottleneck
 *
 * @typedef {object} EdgeFigures
 * @property {string} from
 * @property {string} to
 * @property {number} held data on the edge
 * @property {number} capacity 0: unlimited
 * @property {number} fill share of the capacity
 * @property {string} level drops, full, half, flows or nothing
 * @property {number} high
 * @property {number} rate data a second
 * @property {number} taken
 * @property {number} dropped
 *
 * @typedef {object} SiteFigures
 * @property {string} name
 * @property {string} state
 * @property {number} [silent_ns] how long a lost site has been silent
 * @property {string} [host]
 * @property {string} [last] its last message
 *
 * @typedef {object} Figures
 * @property {number} wall_ns
 * @property {number} [rest_ns] remaining time, if an end is known
 * @property {number} rate data a second over all edges
 * @property {number} taken
 * @property {number} dropped
 * @property {ProcessFigures[]} processes
 * @property {EdgeFigures[]} edges
 * @property {SiteFigures[]} sites of a run on several sites
 */

/**
 * figures fills a box. It keeps the parts of the box from one call to the next.
 * @param {any} box
 * @param {Figures} f
 * @param {{rate: number, busy: number, fill: number}[]} curve one point a second
 * @param {Graph} picture
 * @param {Run} run
 * @param {(node: number) => void} open
 * @param {(edge: {from: string, to: string}) => void} look
 */
export function figures(box, f, curve, picture, run, open, look) {
  if (!box.parts || box.parts.picture !== picture) box.parts = build(box, f, picture, open, look);
  const { title, state, total, sparks, viewers, processes, edges, sites } = box.parts;
  title.textContent = goes(run) ? "Now" : "The whole run";
  state.textContent = ` ${run.state}${run.message ? `: ${run.message}` : ""}`;
  total.textContent = summary(f);
  if (box.parts.curve !== curve) {
    box.parts.curve = curve;
    sparks[0].show(curve.map((c) => c.rate), (/** @type {number} */ n) => `${quantity(n)}/s`);
    sparks[1].show(curve.map((c) => c.busy), share);
    sparks[2].show(curve.map((c) => c.fill), share);
  }
  for (const p of f.processes) viewers.get(p.name)?.(run.id, p);
  processes.show(f.processes, processRow);
  edges.show(f.edges, edgeRow);
  sites?.show(f.sites, siteRow);
}

/** summary describes the run in a sentence or two. @param {Figures} f */
function summary(f) {
  const slow = f.processes.find((p) => p.bottleneck);
  let text = `${grouped(f.taken)} data in ${span(f.wall_ns / 1e9)}, ${quantity(f.rate)} data/s`;
  if (f.dropped) text += `, ${grouped(f.dropped)} dropped`;
  if (f.rest_ns) text += `, about ${span(Math.round(f.rest_ns / 1e9))} left`;
  return slow ? `${text}. Bottleneck: ${slow.name}, busy ${share(slow.busy)}` : text;
}

/** @param {ProcessFigures} p @returns {Row} */
function processRow(p) {
  const kind = p.bottleneck ? "bottleneck" : "";
  const steps = p.total ? `${grouped(p.steps)} of ${grouped(p.total)}` : grouped(p.steps);
  const waits = p.waits ? `${p.on} ${share(p.waits).replace(" ", "\u00a0")}` : "–"; // number and unit stay together
  return { texts: [p.done ? "done" : kind, steps, `${quantity(p.rate)}/s`, share(p.busy), waits], part: p.busy, kind, first: p.bottleneck };
}

/** @param {EdgeFigures} e @returns {Row} */
function edgeRow(e) {
  const holds = `${grouped(e.held)} of ${e.capacity ? grouped(e.capacity) : "unlimited"}`;
  return { texts: [holds, grouped(e.high), `${quantity(e.rate)}/s`, grouped(e.taken), grouped(e.dropped)], part: e.fill, kind: e.level, first: false };
}

/** @param {SiteFigures} s @returns {Row} */
function siteRow(s) {
  const away = s.state === "away";
  const state = away ? `away for ${span(Math.round((s.silent_ns ?? 0) / 1e9))}` : s.state;
  return { texts: [state, s.host ?? "", s.last ?? ""], part: 0, kind: away ? "bottleneck" : "", first: away };
}

/** build makes the parts once. @param {any} box @param {Figures} f @param {Graph} picture @param {(node: number) => void} open @param {(edge: EdgeFigures) => void} look */
function build(box, f, picture, open, look) {
  const title = h("span", {}), state = h("small", {}), total = h("p", { class: "summary" });
  const sparks = [spark("data a second"), spark("busiest process"), spark("fullest edge")];
  const viewers = new Map(), images = h("div", { class: "viewers" });
  for (const p of f.processes.filter((p) => p.type === "image_viewer")) {
    const v = viewer();
    viewers.set(p.name, v.show);
    images.append(v.element);
  }
  const numbers = new Map(picture.nodes.map((n, i) => [n.id, i]));
  const processes = new FigureTable("Processes", ["process", "state", "steps", "rate", "busy", "waits for"], 3, (p) => p.name, (p) => {
    const i = numbers.get(p.name);
    return i === undefined ? p.name : h("button", { type: "button", class: "link", onclick: () => open(i) }, p.name);
  });
  const connects = new Map(picture.edges.map((e) => [`${e.from}.${e.from_port} ${e.to}.${e.to_port}`, e]));
  const edges = new FigureTable("Edges", ["edge", "holds", "highest", "rate", "taken", "dropped"], 0, (e) => `${e.from} ${e.to}`, (e) => {
    const edge = connects.get(`${e.from} ${e.to}`);
    return [h("button", { type: "button", class: "link", title: "Show the newest datum of this edge", onclick: () => look(e) }, `${e.from} → ${e.to}`), " ", edge?.path && place(edge.path, edge.line)];
  });
  const sites = f.sites.length ? new FigureTable("Sites", ["site", "state", "host", "last message"], -1, (s) => s.name, (s) => s.name) : null;
  fill(box, h("div", { class: "head" }, h("h2", {}, title, state), total), h("div", { class: "sparks" }, sparks), images,
    h("div", { class: "tables" }, processes.element, edges.element, sites?.element));
  return { picture, title, state, total, sparks, viewers, processes, edges, sites, curve: null };
}

/** viewer shows the newest image of an `image_viewer`, at most five a second. If an image fails to load, the last one stays. */
function viewer() {
  const title = h("b", {}), header = h("p", {}), footer = h("p", {});
  let image = h("img", { alt: "" });
  let shown = -1, run = "", loading = false;
  const done = () => setTimeout(() => (loading = false), 200);
  const show = async (/** @type {string} */ id, /** @type {any} */ p) => {
    if (loading || p.steps === 0 || (p.steps === shown && id === run)) return;
    loading = true;
    const query = { run: id, process: p.name };
    if (id !== run) {
      const words = await get("words", query).catch(() => ({}));
      title.textContent = words.title ?? p.name;
      header.textContent = words.header ?? "";
      footer.textContent = words.footer ?? "";
    }
    run = id;
    shown = p.steps;
    const next = h("img", { alt: `the newest image of ${p.name}` });
    next.onload = () => {
      image.replaceWith(next);
      image = next;
      done();
    };
    next.onerror = done;
    next.src = `/api/picture?${new URLSearchParams({ ...query, step: p.steps })}`;
  };
  return { show, element: h("figure", { class: "viewer" }, h("figcaption", {}, title, header), image, footer) };
}
