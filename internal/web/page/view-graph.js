// Pictures of the run and of its files, with the figures of a pipeline that runs.

import "./graph-canvas.js";
import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { figures } from "./figures.js";
import { address, folder } from "./folder.js";
import { hide, inspect } from "./inspector.js";
import { Follower } from "./live.js";
import { controls, goes, whose } from "./steer.js";
import { stream } from "./stream.js";
import { grouped, quantity, share } from "./units.js";

/** @param {HTMLElement} into @param {URLSearchParams} query */
export async function graphView(into, query) {
  const now = folder.now;
  const path = query.get("path") ?? (now.is_run ? "" : now.files[0]?.path ?? "");
  if (!path && !now.is_run) {
    fill(into, h("p", { class: "dim" }, "There is no file with a picture in this folder."));
    return () => {};
  }
  const file = now.files.find((/** @type {any} */ f) => f.path === path);
  const isPipe = file?.runs && file.role === "FLOW";
  const canvas = h("pentode-graph", {});
  const panel = h("aside", { class: "panel", "aria-label": "Node", hidden: true, tabindex: "-1" });
  const steering = h("span", { class: "buttons" });
  const figureBox = h("section", { class: "figures", "aria-label": "Figures", hidden: true });
  const found = h("output", { class: "dim" });
  const search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search nodes", class: "search" });
  let matches = /** @type {number[]} */ ([]), at = 0;
  search.addEventListener("input", () => {
    matches = canvas.search(search.value);
    at = 0;
    found.textContent = search.value ? `${matches.length} found` : "";
    if (matches.length) canvas.reveal(matches[0]);
  });
  search.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== "Enter" || !matches.length) return;
    canvas.reveal(matches[(at = (at + 1) % matches.length)]);
    canvas.select(matches[at]);
  });
  const pick = h("select", { "aria-label": "Picture of", onchange: () => (location.hash = address("graph", { path: pick.value })) },
    now.is_run && h("option", { value: "" }, `${now.name} (run)`),
    now.files.map((/** @type {any} */ f) => h("option", { value: f.path }, `${folder.short(f.path)}`)));
  pick.value = path;
  const which = h("select", { "aria-label": "Run", hidden: true, onchange: () => (location.hash = address("graph", { path, run: which.value })) });
  const button = (/** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ onclick) => h("button", { type: "button", title, "aria-label": title, onclick }, label);
  fill(into,
    h("div", { class: "toolbar" }, pick, search, found, h("span", { class: "buttons" }, button("−", "Zoom out", () => canvas.zoomBy(0.8)), button("+", "Zoom in", () => canvas.zoomBy(1.25)), button("All", "Show all", () => canvas.all())), which, steering),
    h("div", { class: "split" }, canvas, panel), figureBox);

  let live = false;
  const draw = async (/** @type {boolean} */ keep) => canvas.show(await get("graph", live ? { path, live: "1" } : { path }), keep);
  canvas.addEventListener("choose", (/** @type {CustomEvent} */ e) => (e.detail ? inspect(panel, path, e.detail, () => draw(true), () => (goes(run) ? run : null)) : hide(panel)));

  const follower = new Follower();
  let run = /** @type {any} */ (null);
  const patch = (/** @type {any} */ stats) => {
    if (!live) return;
    const f = follower.add(stats, !goes(run));
    patchPicture(canvas, f);
    figures(figureBox, f, follower.curve, canvas.answer, run, (/** @type {number} */ i) => {
      canvas.reveal(i);
      canvas.choose(i);
    });
  };
  const begin = async (/** @type {any[]} */ runs) => {
    const mine = runs.filter((r) => r.path === path && r.kind === "pipeline");
    const newest = mine.find((r) => r.id === query.get("run")) ?? mine[0] ?? null;
    which.hidden = mine.length < 2;
    if (document.activeElement !== which) fill(which, mine.map((r) => h("option", { value: r.id }, `${whose(r)} ${r.state}`)));
    which.value = newest?.id ?? "";
    const other = newest?.id !== run?.id;
    const ended = goes(run) && !goes(newest);
    run = newest;
    fill(steering, controls(path, run, () => {}));
    if (run && (other || !live)) {
      live = true;
      figureBox.hidden = false;
      stream.follow(run.id);
      await draw(true);
      canvas.fit();
    }
    if (ended && follower.last) patch(follower.last);
  };
  /** @type {(() => void)[]} */
  const offs = [];
  if (isPipe) {
    offs.push(stream.on("runs", begin), stream.on("history", (list) => {
      follower.history(list);
      if (list.length) patch(list[list.length - 1]);
    }), stream.on("stats", patch));
    await begin(now.runs);
  }
  if (!live) await draw(false);
  return () => offs.forEach((off) => off());
}

/** patchPicture writes figures into the picture. @param {any} canvas @param {import("./live.js").Figures} f */
function patchPicture(canvas, f) {
  const { nodes, edges } = canvas.answer;
  const byName = new Map(f.processes.map((p) => [p.name, p]));
  nodes.forEach((/** @type {any} */ n, /** @type {number} */ i) => {
    const p = byName.get(n.id), g = canvas.nodes[i];
    if (!g) return;
    const line = [...g.querySelectorAll(".small")].at(-1);
    g.classList.toggle("bottleneck", Boolean(p?.bottleneck));
    if (line) line.textContent = !p ? "" : p.done ? "done" : p.waits > p.busy ? `busy ${share(p.busy)} · waits ${share(p.waits)}` : `busy ${share(p.busy)}`;
  });
  const byEnds = new Map(f.edges.map((e) => [`${e.from} ${e.to}`, e]));
  edges.forEach((/** @type {any} */ e, /** @type {number} */ i) => {
    const figure = byEnds.get(`${e.from}.${e.from_port} ${e.to}.${e.to_port}`);
    const ratio = figure && figure.capacity ? figure.fill / figure.capacity : 0;
    const level = !figure ? "" : figure.dropped ? "drops" : ratio >= 0.9 ? "full" : ratio >= 0.5 ? "half" : figure.rate > 0 ? "flows" : "";
    for (const part of canvas.querySelectorAll(`[data-edge="${i}"]`)) {
      part.classList.remove("drops", "full", "half", "flows");
      if (level) part.classList.add(level);
      if (part.classList.contains("edgelabel")) {
        part.textContent = figure ? `${grouped(figure.fill)} of ${figure.capacity ? grouped(figure.capacity) : "∞"} · ${quantity(figure.rate)}/s` : e.label;
        fitPlate(part);
      }
    }
  });
}

/** fitPlate makes the ground of a label as wide as its text; the room for the widest is kept. @param {Element} label */
function fitPlate(label) {
  const plate = label.previousElementSibling;
  const width = 5.6 * (label.textContent?.length ?? 0) + 8;
  plate?.setAttribute("x", String(Number(label.getAttribute("x")) - width / 2));
  plate?.setAttribute("width", String(width));
}
