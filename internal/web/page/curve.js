// Curves over steps. A point that represents many numbers is a bar from the smallest to the largest of them.

import { Plot, decimal, ticks } from "./plot.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {(number | null)[]} low
 * @property {(number | null)[]} high
 */

const left = 62, right = 10, top = 8, bottom = 22;
const colours = ["accent", "error", "fine", "warning", "t-number", "t-word"];

class Curve extends Plot {
  /** @type {Line[]} */ lines = [];
  /** @type {((i: number) => string) | undefined} */ place;
  from = 0;
  step = 1;
  low = 0;
  upper = 1;

  /**
   * show draws lines whose points are `step` apart. `place` names a point, else its step does. The axis begins at `low` or lower.
   * @param {Line[]} lines
   * @param {number} from
   * @param {number} step
   * @param {{place?: (i: number) => string, low?: number}} [axis]
   */
  show(lines, from, step, { place, low = Infinity } = {}) {
    this.lines = lines;
    this.place = place;
    this.from = from;
    this.step = step;
    this.low = low;
    this.upper = -Infinity;
    for (const line of lines) {
      for (const v of line.low) if (v !== null && v < this.low) this.low = v;
      for (const v of line.high) if (v !== null && v > this.upper) this.upper = v;
    }
    this.canvas.setAttribute("aria-label", `Curve of ${lines.map((l) => l.name).join(", ")}. Arrow keys read its values.`);
    this.point(this.mark && this.mark[0] < this.cells()[0] ? this.mark : null);
  }

  /** @returns {[number, number]} */
  cells() { return [Math.max(0, ...this.lines.map((l) => l.low.length)), 1]; }

  /** @param {number} x @returns {[number, number] | null} */
  cell(x) {
    const [n] = this.cells();
    const i = Math.round(((x - left) / (this.wide - left - right)) * (n - 1));
    return i >= 0 && i < n ? [i, 0] : null;
  }

  /** @param {[number, number]} cell */
  words([i]) {
    const at = Math.round(this.from + i * this.step);
    const last = Math.round(this.from + (i + 1) * this.step) - 1;
    return `${this.place?.(i) ?? (last > at ? `${at} to ${last}` : at)}: ${this.lines.map((l) => {
      const low = l.low[i] ?? null, high = l.high[i] ?? null;
      return (this.lines.length > 1 ? `${l.name} ` : "") + (low === high ? decimal(low) : `${decimal(low)} to ${decimal(high)}`);
    }).join(", ")}`;
  }

  summary() { return this.low <= this.upper ? `from ${decimal(this.low)} to ${decimal(this.upper)}` : "no numbers"; }

  /** @param {CanvasRenderingContext2D} c @param {(name: string) => string} colour */
  paint(c, colour) {
    const [n] = this.cells();
    const wide = this.wide - left - right, high = this.high - top - bottom;
    if (this.low > this.upper) return;
    const flat = this.upper === this.low;
    const low = flat ? this.low - (Math.abs(this.low) || 1) : this.low, span = flat ? 2 * (Math.abs(this.low) || 1) : this.upper - this.low;
    const x = (/** @type {number} */ i) => left + (n > 1 ? (i / (n - 1)) * wide : wide / 2);
    const y = (/** @type {number} */ v) => top + high - ((v - low) / span) * high;
    c.fillStyle = colour("dim");
    c.strokeStyle = colour("line");
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of ticks(low, low + span, Math.max(2, high / 44))) {
      c.fillText(decimal(v), left - 6, y(v));
      c.beginPath();
      c.moveTo(left, Math.round(y(v)) + 0.5);
      c.lineTo(left + wide, Math.round(y(v)) + 0.5);
      c.stroke();
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    const last = this.from + (n - 1) * this.step;
    for (const v of ticks(this.from, last, Math.max(1, wide / 110))) c.fillText(decimal(v), Math.min(this.wide - 24, x(last > this.from ? (v - this.from) / this.step : 0)), top + high + 6);
    this.lines.forEach((line, k) => {
      c.strokeStyle = colour(colours[k % colours.length]);
      c.lineWidth = 1.6;
      c.setLineDash(k === 0 ? [] : [8, 2 + 2 * k]);
      c.beginPath();
      let broken = true;
      line.low.forEach((v, i) => {
        const w = line.high[i];
        if (v === null || w === null || w === undefined) return void (broken = true);
        if (broken) c.moveTo(x(i), y(v));
        else c.lineTo(x(i), y(v));
        if (w !== v) c.lineTo(x(i), y(w));
        if (broken && (i + 1 === n || line.low[i + 1] === null)) c.lineTo(x(i) + 1, y(w)); // a point alone
        broken = false;
      });
      c.stroke();
    });
    c.setLineDash([]);
    if (!this.mark) return;
    c.strokeStyle = colour("ink");
    c.lineWidth = 1;
    c.strokeRect(x(this.mark[0]) - 0.5, top, 1, high);
  }
}

customElements.define("pentode-curve", Curve);

/** key returns the style class of a line, so that lines drawn together differ. @param {number} i */
export const key = (i) => colours[i % colours.length];
