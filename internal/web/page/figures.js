// The figures of a pipeline as tables and curves, the bottleneck first.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { place } from "./folder.js";
import { goes } from "./steer.js";
import { spark } from "./spark.js";
import { grouped, quantity, share, span } from "./units.js";

/**
 * figures fills a box; its parts are kept from one call to the next.
 * @param {any} box
 * @param {import("./live.js").Figures} f
 * @param {import("./live.js").Figures[]} curve
 * @param {any} picture
 * @param {any} run
 * @param {(node: number) => void} open
 */
export function figures(box, f, curve, picture, run, open) {
  if (!box.parts || box.parts.picture !== picture) box.parts = build(box, f, picture, open);
  const { title, total, sparks, pictures, processes, edges, sites } = box.parts;
  const slow = f.processes.find((p) => p.bottleneck);
  fill(title, goes(run) ? "Now" : "The whole run", h("small", {}, ` ${run.state}${run.message ? `: ${run.message}` : ""}`));
  total.textContent = `${grouped(f.taken)} data in ${span(f.wall)}, ${quantity(f.rate)} data/s` + (f.dropped ? `, ${grouped(f.dropped)} dropped` : "") + (goes(run) && f.rest !== null ? `, about ${span(Math.round(f.rest))} left` : "") + (slow ? `. Bottleneck: ${slow.name}, busy ${share(slow.busy)}` : "");
  sparks[0].show(curve.map((c) => c.rate), (/** @type {number} */ n) => `${quantity(n)}/s`);
  sparks[1].show(curve.map((c) => Math.max(0, ...c.processes.map((p) => p.busy))), share);
  sparks[2].show(curve.map((c) => Math.max(0, ...c.edges.map((e) => (e.capacity ? e.fill / e.capacity : 0)))), share);
  for (const p of f.processes) {
    pictures.get(p.name)?.(run.id, p);
    const cells = processes.get(p.name);
    if (!cells) continue;
    cells.row.classList.toggle("bottleneck", p.bottleneck);
    set(cells, [p.done ? "done" : p.bottleneck ? "bottleneck" : "", p.total ? `${grouped(p.steps)} of ${grouped(p.total)}` : grouped(p.steps), `${quantity(p.rate)}/s`, share(p.busy), p.waits >= 0.005 ? `${p.on} ${share(p.waits)}` : "–"]);
    cells.bar.style.width = share(p.busy).replace(" ", "");
  }
  if (slow && !box.contains(document.activeElement)) {
    const row = processes.get(slow.name)?.row;
    if (row && row.parentNode.firstChild !== row) row.parentNode.prepend(row);
  }
  for (const s of f.sites) {
    const cells = sites.get(s.name);
    if (!cells) continue;
    set(cells, [s.state, s.host, s.last]);
    cells.row.classList.toggle("bottleneck", s.away);
  }
  f.edges.forEach((e) => {
    const cells = edges.get(`${e.from} ${e.to}`);
    if (!cells) return;
    const ratio = e.capacity ? e.fill / e.capacity : 0;
    set(cells, [`${grouped(e.fill)} of ${e.capacity ? grouped(e.capacity) : "unlimited"}`, grouped(e.high), `${quantity(e.rate)}/s`, grouped(e.taken), grouped(e.dropped)]);
    cells.bar.style.width = share(ratio).replace(" ", "");
    cells.row.classList.toggle("full", ratio >= 0.9);
    cells.row.classList.toggle("drops", e.dropped > 0);
  });
}

/** @param {any} cells @param {string[]} texts */
function set(cells, texts) {
  texts.forEach((t, i) => {
    if (cells.texts[i].textContent !== t) cells.texts[i].textContent = t;
  });
}

/** build makes the tables once. @param {any} box @param {import("./live.js").Figures} f @param {any} picture @param {(node: number) => void} open */
function build(box, f, picture, open) {
  const title = h("h2", {}), total = h("p", { class: "summary" });
  const sparks = [spark("data a second"), spark("busiest process"), spark("fullest edge")];
  const processes = new Map(), edges = new Map(), sites = new Map(), pictures = new Map();
  const views = h("div", { class: "viewers" });
  const head = (/** @type {string[]} */ names) => h("thead", {}, h("tr", {}, names.map((n) => h("th", { scope: "col" }, n))));
  const row = (/** @type {any} */ first, /** @type {number} */ columns, /** @type {number} */ barAt) => {
    const texts = Array.from({ length: columns }, () => h("span", {}));
    const bar = h("span", { class: "fillbar", "aria-hidden": "true" });
    const cells = texts.map((t, i) => h("td", {}, i === barAt ? h("span", { class: "meter" }, bar) : null, t));
    return { row: h("tr", {}, h("th", { scope: "row" }, first), cells), texts, bar };
  };
  const processBody = h("tbody", {}), edgeBody = h("tbody", {}), siteBody = h("tbody", {});
  for (const p of f.processes) {
    const i = picture.nodes.findIndex((/** @type {any} */ n) => n.id === p.name);
    const made = row(i < 0 ? p.name : h("button", { type: "button", class: "link", onclick: () => open(i) }, p.name), 5, 3);
    processes.set(p.name, made);
    if (p.type === "image_viewer") {
      const v = viewer();
      pictures.set(p.name, v.show);
      views.append(v.element);
    }
    processBody.append(made.row);
  }
  for (const e of f.edges) {
    const edge = picture.edges.find((/** @type {any} */ x) => `${x.from}.${x.from_port}` === e.from && `${x.to}.${x.to_port}` === e.to);
    const made = row([`${e.from} → ${e.to} `, edge?.path && place(edge.path, edge.line)], 5, 0);
    edges.set(`${e.from} ${e.to}`, made);
    edgeBody.append(made.row);
  }
  for (const s of f.sites) {
    const made = row(s.name, 3, -1);
    sites.set(s.name, made);
    siteBody.append(made.row);
  }
  const scroll = (/** @type {string} */ label, /** @type {any} */ table) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
  fill(box, h("div", { class: "head" }, title, total), h("div", { class: "sparks" }, sparks), views,
    h("div", { class: "tables" },
      scroll("Processes", h("table", { class: "wide" }, head(["process", "state", "steps", "rate", "busy", "waits for"]), processBody)),
      scroll("Edges", h("table", { class: "wide" }, head(["edge", "holds", "highest", "rate", "taken", "dropped"]), edgeBody)),
      f.sites.length ? scroll("Sites", h("table", { class: "wide" }, head(["site", "state", "host", "last said"]), siteBody)) : null));
  return { picture, title, total, sparks, pictures, processes, edges, sites };
}

/** viewer shows the newest image of an `image_viewer`, at most five a second. */
function viewer() {
  const title = h("b", {}), header = h("p", {}), footer = h("p", {});
  const image = h("img", { alt: "" });
  let shown = -1, run = "", loading = false;
  const done = () => setTimeout(() => (loading = false), 200);
  image.onload = image.onerror = done;
  const show = async (/** @type {string} */ id, /** @type {any} */ p) => {
    if (loading || p.steps === 0 || (p.steps === shown && id === run)) return;
    loading = true;
    const query = { run: id, process: p.name };
    if (id !== run) {
      const words = await get("words", query).catch(() => ({}));
      title.textContent = words.title ?? p.name;
      header.textContent = words.header ?? "";
      footer.textContent = words.footer ?? "";
      image.alt = `the newest image of ${p.name}`;
    }
    run = id;
    shown = p.steps;
    image.src = `/api/picture?${new URLSearchParams({ ...query, step: p.steps })}`;
  };
  return { show, element: h("figure", { class: "viewer" }, h("figcaption", {}, title, header), image, footer) };
}
