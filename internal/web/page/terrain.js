// Numbers over rows and time as a surface, drawn from the back to the front.

import { colourAt, rising } from "./heat-map.js";
import { Plot, decimal, ticks } from "./plot.js";

/** @typedef {{focus: string, bins: (number | null)[]}} Row */
/** @typedef {[x: number, y: number, near: number]} Spot */

class Terrain extends Plot {
  /** @type {Row[]} */ rows = [];
  columns = 0;
  width = 1;
  top = 0;
  angle = -30;
  /** @type {(i: number) => string} */ moment = String;

  /** show draws rows with bins of `width` seconds. @param {Row[]} rows @param {number} width @param {(i: number) => string} moment */
  show(rows, width, moment) {
    const all = rows.map((r) => r.bins);
    Object.assign(this, { rows, width, moment, columns: Math.max(0, ...all.map((v) => v.length)), top: Math.max(1e-9, ...all.flat().map((v) => v ?? 0)) });
    this.canvas.setAttribute("aria-label", `Surface of ${rows.map((r) => r.focus).join(", ")}. Arrow keys read its values.`);
    this.point(this.mark && this.mark[0] < this.columns && this.mark[1] < rows.length ? this.mark : null);
  }

  /** turn changes the direction of view. @param {number} angle in degrees */
  turn(angle) {
    this.angle = angle;
    this.draw();
  }

  /** @returns {[number, number]} */
  cells() { return [this.columns, this.rows.length]; }

  /** @param {[number, number]} cell */
  words([i, k]) { return `${this.rows[k].focus}, ${this.moment(i)}: ${decimal(this.rows[k].bins[i] ?? null)}`; }

  summary() { return `up to ${decimal(this.top)}`; }

  /** spot returns the position of a value on the screen, and its nearness. @param {number} i @param {number} k @param {number} v @returns {Spot} */
  spot(i, k, v) {
    const turn = (this.angle * Math.PI) / 180, cos = Math.cos(turn), sin = Math.sin(turn);
    const x = i / Math.max(1, this.columns - 1) - 0.5, z = k / Math.max(1, this.rows.length - 1) - 0.5;
    const near = x * sin + z * cos;
    return [this.wide * ((this.angle <= 0 ? 0.54 : 0.46) + (0.7 / (cos + Math.abs(sin))) * (x * cos - z * sin)), this.high * (0.66 + 0.32 * near - 0.4 * (v / this.top)), near];
  }

  /** @param {CanvasRenderingContext2D} c @param {(name: string) => string} colour */
  paint(c, colour) {
    const [n, m] = this.cells(), last = Math.max(1, m - 1); // a single row is drawn as a ribbon
    const path = (/** @type {Spot[]} */ spots) => {
      c.beginPath();
      spots.forEach(([x, y]) => c.lineTo(x, y));
      c.closePath();
      c.fill();
      c.stroke();
    };
    c.strokeStyle = colour("line");
    c.fillStyle = colour("raised");
    path([this.spot(0, 0, 0), this.spot(n - 1, 0, 0), this.spot(n - 1, last, 0), this.spot(0, last, 0)]);
    const patches = [];
    for (let k = 0; k < last; k++) {
      const far = this.rows[k].bins, near = (this.rows[k + 1] ?? this.rows[k]).bins;
      for (let i = 0; i + 1 < n; i++) {
        const v = [far[i], far[i + 1], near[i + 1], near[i]].filter((v) => typeof v === "number");
        if (v.length < 4) continue; // some values there are unknown
        const spots = [this.spot(i, k, v[0]), this.spot(i + 1, k, v[1]), this.spot(i + 1, k + 1, v[2]), this.spot(i, k + 1, v[3])];
        patches.push({ spots, near: spots[0][2] + spots[2][2], share: (v[0] + v[1] + v[2] + v[3]) / 4 / this.top });
      }
    }
    for (const p of patches.sort((a, b) => a.near - b.near)) {
      c.fillStyle = c.strokeStyle = `rgb(${colourAt(rising, 0.2 + 0.8 * p.share).join()})`;
      path(p.spots);
    }
    c.fillStyle = colour("ink");
    const left = this.angle <= 0; // the side on which names do not overlap the surface
    c.textAlign = left ? "right" : "left";
    c.textBaseline = "middle";
    this.rows.forEach((r, k) => {
      const [x, y] = this.spot(left ? 0 : n - 1, k, 0);
      c.fillText(r.focus, x + (left ? -8 : 8), y, left ? x - 10 : this.wide - x - 10);
    });
    c.fillStyle = colour("dim");
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const t of ticks(0, (n - 1) * this.width, 4)) {
      const [x, y] = this.spot(t / this.width, last, 0);
      c.fillText(`${decimal(t)} s`, x, y + 6);
    }
    if (!this.mark) return;
    const [i, k] = this.mark, [x, y] = this.spot(i, k, this.rows[k].bins[i] ?? 0);
    c.strokeStyle = colour("error");
    c.lineWidth = 2;
    c.strokeRect(x - 4, y - 4, 8, 8);
  }
}

customElements.define("pentode-terrain", Terrain);
