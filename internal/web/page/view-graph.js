// Pictures of the run and of its files, with the figures of a live pipeline.

import "./graph-canvas.js";
import { get } from "./api.js";
import { fill, h, tell } from "./dom.js";
import { figures } from "./figures.js";
import { address, folder } from "./folder.js";
import { PictureFigures } from "./graph-figures.js";
import { hide, inspect } from "./inspector.js";
import { Life } from "./life.js";
import { controls, goes, whose } from "./steer.js";
import { stream } from "./stream.js";

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function graphView(into, query, life) {
  const now = folder.now;
  const path = query.get("path") ?? (now.is_run ? "" : now.files[0]?.path ?? "");
  if (!path && !now.is_run) {
    fill(into, h("p", { class: "dim" }, "This folder has no file that can be drawn."));
    return;
  }
  const file = now.files.find((f) => f.path === path);
  const isPipe = file?.runs && file.role === "FLOW";
  const canvas = h("pentode-graph", {});
  const panel = h("aside", { class: "panel", "aria-label": "Node", hidden: true, tabindex: "-1" });
  const steering = h("span", { class: "buttons" });
  const parts = h("span", { class: "buttons", role: "group", "aria-label": "Open parts", hidden: true });
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
    now.files.map((f) => h("option", { value: f.path }, `${folder.short(f.path)}`)));
  pick.value = path;
  const which = h("select", { "aria-label": "Run", hidden: true, onchange: () => (location.hash = address("graph", { path, run: which.value })) });
  const button = (/** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ onclick) => h("button", { type: "button", title, "aria-label": title, onclick }, label);
  fill(into,
    h("div", { class: "toolbar" }, pick, search, found, h("span", { class: "buttons" }, button("−", "Zoom out", () => canvas.zoomBy(0.8)), button("+", "Zoom in", () => canvas.zoomBy(1.25)), button("All", "Show all", () => canvas.all())), parts, which, steering),
    h("div", { class: "split" }, canvas, panel), figureBox);

  // The address names the open parts of a run.
  const opened = () => canvas.answer.parts.filter((/** @type {any} */ p) => p.open).map((/** @type {any} */ p) => p.name);
  const openParts = (/** @type {string[]} */ names) => (location.hash = address("graph", { path, open: names.join(",") || "none" }));
  const toggles = () => {
    parts.hidden = canvas.answer.parts.length === 0;
    fill(parts, canvas.answer.parts.map((/** @type {any} */ p) => h("button", {
      type: "button", "aria-pressed": String(p.open), title: p.open ? `Close ${p.name}` : `Open ${p.name}`,
      onclick: () => openParts(p.open ? opened().filter((/** @type {string} */ name) => name !== p.name) : [...opened(), p.name]),
    }, p.name)));
  };

  let live = false;
  let drawing = new Life(life), inspected = new Life(life);
  let drawn = () => {}, failed = (/** @type {any} */ error) => tell(error.message);
  const draw = async (/** @type {boolean} */ keep, fits = false) => {
    const room = live; // for figures
    drawing = drawing.next();
    try {
      canvas.show({ ...(await drawing.answer(get("graph", room ? { path, live: "1" } : { path, open: query.get("open") ?? "" }))), room }, keep);
    } catch (error) {
      return failed(error);
    }
    toggles();
    if (fits) canvas.fit();
    drawn();
  };
  canvas.addEventListener("choose", (/** @type {CustomEvent} */ e) => {
    if (e.detail?.closed) return openParts([...opened(), e.detail.label]);
    inspected = inspected.next();
    if (e.detail) inspect(inspected, panel, path, e.detail, () => draw(true), () => (goes(run) ? run : null));
    else hide(inspected, panel);
  });

  const look = async (/** @type {{from: string, to: string}} */ edge) => {
    if (!goes(run)) return tell("The run is over: its edges are empty.");
    canvas.select(-1);
    inspected = inspected.next();
    const { edgeView } = await inspected.answer(import("./edge-view.js"));
    edgeView(inspected, panel, edge);
  };
  canvas.addEventListener("edge", (/** @type {CustomEvent} */ e) => look({ from: `${e.detail.from}.${e.detail.from_port}`, to: `${e.detail.to}.${e.detail.to_port}` }));

  let run = /** @type {any} */ (null), curve = /** @type {any[]} */ ([]);
  let inPicture = /** @type {PictureFigures|null} */ (null);
  let newest = /** @type {import("./figures.js").Figures|null} */ (null), tabled = newest, frame = 0;
  const patch = () => {
    frame = 0;
    if (!newest || !canvas.answer?.room) return;
    if (!inPicture || inPicture.answer !== canvas.answer) inPicture = new PictureFigures(canvas);
    if (inPicture.show(newest)) soon();
    if (tabled === newest) return;
    tabled = newest;
    figures(figureBox, newest, curve, canvas.answer, run, (i) => {
      canvas.reveal(i);
      canvas.choose(i);
    }, look);
  };
  const soon = () => (frame ||= requestAnimationFrame(patch)); // at most once for each frame
  const take = (/** @type {import("./figures.js").Figures} */ figures) => {
    newest = figures;
    soon();
  };
  canvas.addEventListener("rest", soon); // other texts may be readable now
  const begin = (/** @type {any[]} */ runs) => {
    const mine = runs.filter((r) => r.path === path && r.kind === "pipeline");
    const chosen = mine.find((r) => r.id === query.get("run")) ?? mine[0] ?? null;
    which.hidden = mine.length < 2;
    if (document.activeElement !== which) fill(which, mine.map((r) => h("option", { value: r.id }, `${whose(r)} ${r.state}`)));
    which.value = chosen?.id ?? "";
    const other = chosen?.id !== run?.id;
    if (chosen?.state !== run?.state) tabled = null; // the tables show its state
    run = chosen;
    fill(steering, controls(life, path, run, () => {}));
    if (run && (other || !live)) {
      live = true;
      newest = null;
      curve = [];
      figureBox.hidden = false;
      stream.follow(run.id);
      draw(true, true);
    }
    soon();
  };
  life.until(() => cancelAnimationFrame(frame));
  // The view is ready as soon as any of the requested pictures arrives.
  await new Promise((resolve, reject) => {
    drawn = () => resolve(null);
    failed = reject;
    if (isPipe) {
      [stream.on("runs", begin), stream.on("curve", (points) => (curve = points)), stream.on("figures", take)].forEach((off) => life.until(off));
      begin(now.runs);
    }
    if (!live) draw(false);
  });
  failed = (error) => tell(error.message);
}
