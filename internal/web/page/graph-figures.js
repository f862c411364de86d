// The figures of a pipeline in its picture. Only changed and readable texts are
// written, so that a large picture stays smooth.

import { grouped, quantity, share } from "./units.js";
/** @import { Figures } from "./figures.js" */

// Below this zoom the texts of a picture are too small to read.
const readable = 0.3;

// The levels of an edge, as classes.
const levels = ["flows", "half", "full", "drops"];

// The number of texts written in one frame.
const maxTexts = 50;

/** PictureFigures writes figures into the picture that a canvas shows. */
export class PictureFigures {
  /** @param {any} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.answer = canvas.answer;
    /** @type {Figures|null} */ this.shown = null;
    this.next = 0; // the first text that the last frame did not reach
    const boxes = canvas.boxes(), lines = canvas.layer(), labels = canvas.layer();
    this.nodes = this.answer.nodes.map((/** @type {any} */ n, /** @type {number} */ i) => {
      const line = [...(canvas.nodes[i]?.querySelectorAll(".small") ?? [])].at(-1);
      return { id: n.id, box: boxes[i], text: new Text(labels, boxes[i], line), figure: null };
    });
    this.edges = this.answer.edges.map((/** @type {any} */ e) => (
      { id: `${e.from}.${e.from_port} ${e.to}.${e.to_port}`, parts: [], level: "", text: new Text(labels, [0, 0, 0, 0]), figure: null }));
    for (const part of canvas.svg.querySelectorAll("[data-edge]:not(.plate)")) {
      const edge = this.edges[Number(part.getAttribute("data-edge"))];
      if (part.classList.contains("edgelabel")) {
        const plate = part.previousElementSibling;
        edge.text = new Text(labels, ["x", "y", "width", "height"].map((a) => Number(plate.getAttribute(a))), part, plate);
      } else {
        edge.parts.push(part);
        lines.append(part);
      }
    }
    this.texts = [...this.nodes, ...this.edges];
    this.bottleneck = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    this.bottleneck.setAttribute("rx", "6");
    labels.append(this.bottleneck);
  }

  /**
   * show writes figures, and reports whether there are more texts for the next frame.
   * @param {Figures} f
   */
  show(f) {
    if (this.shown !== f) this.take(f);
    return this.write();
  }

  /** take shows the colours of the figures at once. @param {Figures} f */
  take(f) {
    this.shown = f;
    const processes = new Map(f.processes.map((p) => [p.name, p]));
    let slow = null;
    for (const n of this.nodes) {
      n.figure = processes.get(n.id);
      if (n.figure?.bottleneck) slow = n;
    }
    this.bottleneck.setAttribute("class", slow ? "bottleneck" : "none");
    if (slow) ["x", "y", "width", "height"].forEach((a, i) => this.bottleneck.setAttribute(a, slow.box[i]));
    const edges = new Map(f.edges.map((e) => [`${e.from} ${e.to}`, e]));
    for (const e of this.edges) {
      const figure = e.figure = edges.get(e.id);
      const level = figure?.level ?? "";
      if (level === e.level) continue;
      e.level = level;
      for (const part of e.parts) {
        part.classList.remove(...levels);
        if (level) part.classList.add(level);
      }
    }
  }

  /** write writes the next readable texts. */
  write() {
    const { left, top, right, bottom } = this.canvas.seen();
    const legible = this.canvas.zoom >= readable;
    let written = 0;
    for (let i = 0; i < this.texts.length; i++) {
      const { text, figure } = this.texts[(this.next + i) % this.texts.length];
      const [x, y, w, h] = text.box;
      const seen = legible && x < right && x + w > left && y < bottom && y + h > top;
      if (!text.set(seen && figure ? textOf(figure) : "")) continue;
      if (++written === maxTexts) {
        this.next = (this.next + i + 1) % this.texts.length;
        return true;
      }
    }
    return false;
  }
}

/** Text is a text of the picture, in its box, with a plate below it if it has one. */
class Text {
  /** @param {Element} into @param {number[]} box @param {any} [element] @param {any} [plate] */
  constructor(into, box, element, plate) {
    this.into = into;
    this.box = box ?? [0, 0, 0, 0];
    this.parts = [plate, element].filter(Boolean);
    this.now = "";
    for (const part of this.parts) part.remove();
    if (element) element.textContent = " "; // the picture contains the widest text, to reserve room for it
    this.element = element;
    this.plate = plate;
    this.middle = Number(element?.getAttribute("x"));
  }

  /** set changes the text, and reports whether it was different before. An empty text is not drawn. @param {string} text */
  set(text) {
    if (!this.element || text === this.now) return false;
    if (!text) for (const part of this.parts) part.remove();
    else if (!this.now) this.into.append(...this.parts);
    this.element.firstChild.data = text;
    if (this.plate && text.length !== this.now.length) {
      const width = 5.6 * text.length + 8;
      this.plate.setAttribute("x", this.middle - width / 2);
      this.plate.setAttribute("width", width);
    }
    this.now = text;
    return true;
  }
}

/** @param {any} figure of a process or an edge */
function textOf(figure) {
  return "capacity" in figure ? edgeText(figure) : nodeText(figure);
}

/** @param {import("./figures.js").ProcessFigures} p */
function nodeText(p) {
  if (p.done) return "done";
  const busy = `busy ${share(p.busy)}`;
  if (p.program) return `${busy} · program ${share(p.waits)}`;
  return p.waits > p.busy ? `${busy} · waits ${share(p.waits)}` : busy;
}

/** @param {import("./figures.js").EdgeFigures} e */
function edgeText(e) {
  return `${grouped(e.held)} of ${e.capacity ? grouped(e.capacity) : "∞"} · ${quantity(e.rate)}/s`;
}
