// The base of all plots: a canvas in the colours of the page, with a mark that the pointer and the
// arrow keys move. The values at the mark are shown as text.

import { fill, h } from "./dom.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** decimal formats a number with a readable number of digits. @param {number | null} v */
export const decimal = (v) => (v === null ? "not a number" : v !== 0 && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-3) ? v.toExponential(3) : String(Number(v.toPrecision(5))));

/** ticks returns some round numbers between two. @param {number} low @param {number} high @param {number} most @returns {number[]} */
export function ticks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (([1, 2, 5, 10].find((s) => s * power >= rough) ?? 10) * power);
  const list = [];
  for (let i = Math.ceil(low / step); i * step <= high && list.length < 50; i++) list.push(i * step);
  return list;
}

export class Plot extends HTMLElement {
  constructor() {
    super();
    this.canvas = h("canvas", { tabindex: "0", role: "img" });
    this.said = h("p", { class: "dim said", role: "status" });
    this.wide = 0;
    this.high = 0;
    /** @type {[number, number] | null} */ this.mark = null; // column and row
    this.redraw = () => this.draw();
    this.observer = new ResizeObserver(() => {
      this.wide = this.canvas.clientWidth;
      this.high = this.canvas.clientHeight;
      this.draw();
    });
    this.canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => this.point(this.cell(e.offsetX, e.offsetY)));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("blur", () => this.point(null));
    this.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      const step = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[e.key];
      const [columns, rows] = this.cells();
      if (!step || columns === 0) return;
      e.preventDefault();
      const far = e.shiftKey ? 10 : 1;
      const [x, y] = this.mark ?? [step[0] < 0 ? columns : -step[0], step[1] < 0 ? rows : -step[1]];
      this.point([Math.min(columns - 1, Math.max(0, x + far * step[0])), Math.min(rows - 1, Math.max(0, y + far * step[1]))]);
    });
  }

  connectedCallback() {
    fill(this, this.canvas, this.said);
    this.observer.observe(this.canvas);
    dark.addEventListener("change", this.redraw);
  }

  disconnectedCallback() {
    this.observer.disconnect();
    dark.removeEventListener("change", this.redraw);
  }

  /** point moves the mark. @param {[number, number] | null} cell */
  point(cell) {
    this.mark = cell;
    fill(this.said, cell ? this.words(cell) : this.summary());
    this.draw();
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    if (!this.wide || this.cells()[0] === 0) return;
    this.canvas.width = Math.round(this.wide * ratio);
    this.canvas.height = Math.round(this.high * ratio);
    const c = this.canvas.getContext("2d");
    const style = getComputedStyle(this);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = `12px ${style.fontFamily}`;
    this.paint(c, (name) => style.getPropertyValue(`--${name}`));
  }

  /** cells returns the number of columns and rows for the mark. @returns {[number, number]} */
  cells() { return [0, 0]; }

  /** cell returns the cell under a point. @param {number} _x @param {number} _y @returns {[number, number] | null} */
  cell(_x, _y) { return null; }

  /** words describes the value of a cell. @param {[number, number]} _cell */
  words(_cell) { return ""; }

  /** summary describes the plot. */
  summary() { return ""; }

  /** @param {CanvasRenderingContext2D} _c @param {(name: string) => string} _colour */
  paint(_c, _colour) {}
}
