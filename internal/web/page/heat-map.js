// Numbers over two axes as colours, with the scale beside them.

import { h } from "./dom.js";
import { Plot, decimal, ticks } from "./plot.js";

const left = 56, right = 96, top = 8, bottom = 22, bar = 14;

/** Colours from the smallest to the largest number, each lighter than the previous one. */
export const rising = [[27, 16, 60], [62, 58, 140], [34, 118, 152], [58, 172, 133], [158, 212, 98], [250, 236, 110]];
/** Colours for numbers below zero, for zero, and above. */
const parting = [[21, 62, 134], [104, 150, 214], [242, 242, 242], [222, 128, 108], [150, 28, 20]];

/** colourAt returns the colour at a share of the scale. @param {number[][]} scale @param {number} share @returns {number[]} */
export function colourAt(scale, share) {
  const at = Math.min(1, Math.max(0, share)) * (scale.length - 1);
  const i = Math.min(scale.length - 2, Math.floor(at));
  return scale[i].map((v, k) => Math.round(v + (scale[i + 1][k] - v) * (at - i)));
}

class HeatMap extends Plot {
  columns = 0;
  rows = 0;
  /** @type {(number | null)[]} */ values = [];
  low = 0;
  upper = 0;
  scale = rising;
  /** @type {[number, number]} */ first = [0, 0];
  /** @type {[number, number]} */ step = [1, 1];
  image = h("canvas", {});

  /**
   * show draws values, row by row. `first` and `step` give the numbers of their columns and rows.
   * @param {{name: string, columns: number, rows: number, values: (number | null)[], low: number, high: number, parting: boolean, first: [number, number], step: [number, number]}} map
   */
  show(map) {
    const far = Math.max(Math.abs(map.low), Math.abs(map.high));
    Object.assign(this, { columns: map.columns, rows: map.rows, values: map.values, first: map.first, step: map.step, scale: map.parting ? parting : rising,
      low: map.parting ? -far : map.low, upper: map.parting ? far : map.high });
    this.canvas.setAttribute("aria-label", `Heat map of ${map.name}. Arrow keys read its values.`);
    this.colour();
    this.point(this.mark && this.mark[0] < map.columns && this.mark[1] < map.rows ? this.mark : null);
  }

  colour() {
    this.image.width = this.columns;
    this.image.height = this.rows;
    const c = this.image.getContext("2d");
    const data = c.createImageData(this.columns, this.rows);
    const table = Array.from({ length: 256 }, (_, i) => colourAt(this.scale, i / 255));
    const span = this.upper - this.low;
    this.values.forEach((v, i) => {
      if (v === null) return; // nothing is drawn there
      const [r, g, b] = table[span > 0 ? Math.min(255, Math.max(0, Math.round(((v - this.low) / span) * 255))) : 128];
      data.data.set([r, g, b, 255], 4 * i);
    });
    c.putImageData(data, 0, 0);
  }

  /** @returns {[number, number]} */
  cells() { return [this.columns, this.rows]; }

  /** @param {number} x @param {number} y @returns {[number, number] | null} */
  cell(x, y) {
    const column = Math.floor(((x - left) / (this.wide - left - right)) * this.columns);
    const row = Math.floor(((y - top) / (this.high - top - bottom)) * this.rows);
    return column >= 0 && column < this.columns && row >= 0 && row < this.rows ? [column, row] : null;
  }

  /** @param {[number, number]} cell */
  words([column, row]) {
    const place = (/** @type {number} */ axis, /** @type {number} */ i) => {
      const at = Math.floor(this.first[axis] + i * this.step[axis]), last = Math.ceil(this.first[axis] + (i + 1) * this.step[axis]) - 1;
      return last > at ? `${at} to ${last}` : at;
    };
    return `row ${place(1, row)}, column ${place(0, column)}: ${decimal(this.values[row * this.columns + column])}`;
  }

  summary() { return this.low <= this.upper ? `scale from ${decimal(this.low)} to ${decimal(this.upper)}` : "no numbers"; }

  /** @param {CanvasRenderingContext2D} c @param {(name: string) => string} colour */
  paint(c, colour) {
    const wide = this.wide - left - right, high = this.high - top - bottom;
    c.imageSmoothingEnabled = false;
    c.drawImage(this.image, left, top, wide, high);
    c.strokeStyle = colour("strong");
    c.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    const x = left + wide + 14;
    for (let i = 0; i < high; i++) {
      c.fillStyle = `rgb(${colourAt(this.scale, 1 - i / high).join()})`;
      c.fillRect(x, top + i, bar, 1.5);
    }
    c.fillStyle = colour("dim");
    c.textAlign = "left";
    c.textBaseline = "middle";
    if (this.upper > this.low) for (const v of ticks(this.low, this.upper, Math.max(2, high / 50))) c.fillText(decimal(v), x + bar + 5, top + high - ((v - this.low) / (this.upper - this.low)) * high);
    else c.fillText(decimal(this.low), x + bar + 5, top + high / 2);
    c.textAlign = "right";
    for (const v of ticks(0, this.rows, Math.max(1, high / 50))) if (v < this.rows && Number.isInteger(v)) c.fillText(decimal(Math.floor(this.first[1] + v * this.step[1])), left - 6, top + ((v + 0.5) / this.rows) * high);
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const v of ticks(0, this.columns, Math.max(1, wide / 90))) if (v < this.columns && Number.isInteger(v)) c.fillText(decimal(Math.floor(this.first[0] + v * this.step[0])), left + ((v + 0.5) / this.columns) * wide, top + high + 6);
    if (!this.mark) return;
    c.strokeStyle = colour("ink");
    c.lineWidth = 2;
    c.strokeRect(left + (this.mark[0] / this.columns) * wide - 1, top + (this.mark[1] / this.rows) * high - 1, wide / this.columns + 2, high / this.rows + 2);
  }
}

customElements.define("pentode-heat-map", HeatMap);
