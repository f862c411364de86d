// A counter of a time line: its values as steps, over two lanes.

import { lowerBound } from "./timeline-window.js";
import { grouped } from "./units.js";

/** counter draws the values on the screen; if a pixel has several values, their smallest and largest. @param {any} line @param {CanvasRenderingContext2D} c @param {[number, number]} bars @param {{label: number, most: number}} of @param {number} y @param {number} high @param {string} colour @param {string} ink */
export function counter(line, c, bars, of, y, high, colour, ink) {
  const { begins, ends, labels: mosts, spans: leasts } = line.window, end = bars[1], scale = line.scale, zero = line.gutter - line.from * scale;
  const base = y + high, unit = (high - 2) / Math.max(1, of.most);
  const first = lowerBound(ends, bars[0], end, line.from);
  if (first === end) return;
  let x = Math.max(begins[first] * scale + zero, line.gutter), least = Infinity, most = 0;
  c.beginPath();
  c.moveTo(x, base);
  for (let i = first; i < end && x < line.wide; i++) {
    least = Math.min(least, leasts[i]);
    most = Math.max(most, mosts[i]);
    const right = ends[i] * scale + zero;
    if (right < x + 1 && i + 1 < end) continue;
    for (const value of [most, least, leasts[i]]) c.lineTo(x, base - value * unit);
    c.lineTo(x = Math.min(right, line.wide), base - leasts[i] * unit);
    least = Infinity;
    most = 0;
  }
  c.lineTo(x, base);
  const shown = line.matching && !line.matching[of.label] ? 0.2 : 1;
  c.fillStyle = c.strokeStyle = colour;
  c.globalAlpha = 0.3 * shown;
  c.fill();
  c.globalAlpha = shown;
  c.stroke();
  c.globalAlpha = 1;
  const [px, py] = line.pointer, time = line.time(px), i = lowerBound(ends, first, end, time);
  if (py < y || py > base || px < line.gutter || i === end || begins[i] > time) return;
  c.fillStyle = ink;
  c.fillRect(px, y, 1, high);
  c.fillText(leasts[i] < mosts[i] ? `${grouped(leasts[i])} to ${grouped(mosts[i])}` : grouped(mosts[i]), Math.min(px + 5, line.wide - 70), y + 8);
}
