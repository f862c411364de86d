// Tracks of a trace on a canvas. The server sends windows that reach beyond the screen, so that
// panning can draw at once. Times are nanoseconds since the beginning of the trace.

import { h } from "./dom.js";
import { counter } from "./timeline-counter.js";
import { tick } from "./timeline-units.js";
import { lowerBound, read } from "./timeline-window.js";
import { grouped } from "./units.js";
/** @import { TimelineHead } from "../types.js" */
/** @import { Window } from "./timeline-window.js" */

const laneHigh = 18, trackGap = 8, rulerHigh = 24, curveHigh = 34, top = rulerHigh + curveHigh;
const leastLength = 10; // nanoseconds on the screen
const maxTracks = 200; // in one request

class Timeline extends HTMLElement {
  constructor() {
    super();
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.wide = 0;
    this.high = 0;
    this.from = 0;
    this.to = 1;
    this.down = 0; // scrolled pixels
    this.head = /** @type {TimelineHead} */ ({ tracks: /** @type {any[]} */ ([]), labels: /** @type {any[]} */ ([]), length: 1 });
    /** @type {number[]} */ this.tops = [];
    this.total = 0;
    this.threads = 0; // tracks that are not counters
    this.pointer = [-1, -1];
    /** @type {Window | null} */ this.window = null;
    /** @type {boolean[] | null} */ this.matching = null;
    /** @type {any} */ this.selected = null; // a span
    /** @type {[number, number] | null} */ this.range = null;
    this.asking = false;
    this.frame = 0;
    /** @type {string[]} */ this.colours = [];
    /** @type {(asked: any) => Promise<ArrayBuffer>} */ this.ask = () => Promise.reject(new Error("no trace is shown yet"));
    this.observer = new ResizeObserver(() => this.resize());
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.recolour = () => { this.colours = []; this.later(); };
  }

  connectedCallback() {
    this.replaceChildren(this.canvas);
    this.observer.observe(this);
    this.scheme.addEventListener("change", this.recolour);
    this.onwheel = (/** @type {WheelEvent} */ event) => this.wheel(event);
    this.onpointerdown = (/** @type {PointerEvent} */ event) => this.press(event);
    this.addEventListener("pointermove", (event) => this.point(event.offsetX, event.offsetY));
    this.onpointerleave = () => this.point(-1, -1);
  }

  disconnectedCallback() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.recolour);
  }

  /** show starts to show a trace. @param {TimelineHead} head @param {(asked: any) => Promise<ArrayBuffer>} ask @param {number} from @param {number} to */
  show(head, ask, from, to) {
    this.head = head;
    this.ask = ask;
    this.threads = head.tracks.filter((t) => !t.lanes[0]?.counter).length;
    this.place(true);
    this.look(from, to);
  }

  /** place computes the position of each track. @param {boolean} counters whether to show counters */
  place(counters) {
    let y = 0;
    this.tops = this.head.tracks.map((t) => {
      const at = y;
      if (counters || !t.lanes[0]?.counter) y += Math.max(2, t.lanes.length) * laneHigh + trackGap; // room for the two lines of the name
      return at;
    });
    this.total = y;
    this.style.height = `min(65vh, ${top + Math.max(y, 60)}px)`;
    this.move(0);
  }

  /** tall returns the height of a track; 0: it is not shown. @param {number} track */
  tall(track) { return (this.tops[track + 1] ?? this.total) - this.tops[track]; }

  /** point sets the position of the pointer. @param {number} x @param {number} y */
  point(x, y) {
    this.pointer = [x, y];
    if (this.threads < this.tops.length) this.later();
  }

  get gutter() { return this.wide < 600 ? 104 : 190; }
  get scale() { return Math.max(1, this.wide - this.gutter) / (this.to - this.from); }
  /** @param {number} time */
  x(time) { return this.gutter + (time - this.from) * this.scale; }
  /** @param {number} x */
  time(x) { return this.from + (x - this.gutter) / this.scale; }

  resize() {
    this.wide = this.clientWidth;
    this.high = this.clientHeight;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.wide * ratio);
    this.canvas.height = Math.round(this.high * ratio);
    this.move(0);
    this.draw();
  }

  /** look shows the time between two points. @param {number} from @param {number} to */
  look(from, to) {
    const room = Math.max(1, this.head.length) * 0.05;
    const length = Math.min(Math.max(to - from, leastLength), Math.max(this.head.length + 2 * room, leastLength));
    const middle = (from + to) / 2;
    this.from = Math.max(-room, Math.min(middle - length / 2, this.head.length + room - length));
    this.to = this.from + length;
    this.later();
    this.dispatchEvent(new Event("look"));
  }

  all() { this.look(-0.01 * this.head.length, 1.01 * this.head.length); }
  /** middle returns the middle of the selection if it is visible, else of the screen. */
  get middle() {
    const s = this.selected, from = Math.max(this.from, s?.begin ?? this.from), to = Math.min(this.to, s?.end ?? this.to);
    return from <= to ? (from + to) / 2 : (this.from + this.to) / 2;
  }
  /** zoom multiplies the shown time by a factor. @param {number} factor @param {number} [around] a time that keeps its position */
  zoom(factor, around = this.middle) { this.look(around - (around - this.from) * factor, around + (this.to - around) * factor); }
  /** pan moves by a part of the shown time. @param {number} part */
  pan(part) { const by = part * (this.to - this.from); this.look(this.from + by, this.to + by); }
  /** @param {number} by */
  move(by) { this.down = Math.max(0, Math.min(this.down + by, this.total - (this.high - top))); this.later(); }

  /** reveal moves until a span is on the screen. @param {any} s */
  reveal(s) {
    const length = this.to - this.from, y = this.tops[s.track] + s.lane * laneHigh;
    if (s.end - s.begin > length || s.begin < this.from || s.end > this.to) {
      const wide = Math.max(Math.min(length, 20 * (s.end - s.begin) || length), 1.5 * (s.end - s.begin));
      this.look((s.begin + s.end - wide) / 2, (s.begin + s.end + wide) / 2);
    }
    if (y < this.down || y + laneHigh > this.down + this.high - top) this.move(y - this.down - (this.high - top) / 3);
    this.later();
  }

  later() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  /** visible returns the first track on the screen, and the first one after the screen. */
  visible() {
    let first = 0;
    while (first + 1 < this.tops.length && this.tops[first + 1] <= this.down) first++;
    let last = first;
    while (last < this.tops.length && this.tops[last] < this.down + this.high - top) last++;
    return [first, Math.min(last, first + maxTracks)];
  }

  /** fetch requests missing parts of the shown time, one request at a time. */
  async fetch() {
    const w = this.window, [first, last] = this.visible(), length = this.to - this.from;
    const pixel = length / Math.max(1, this.wide - this.gutter);
    const fits = w && w.from <= Math.max(this.from, 0) && w.to >= Math.min(this.to, this.head.length) && w.first <= first && w.first + w.count >= last && w.pixel < 1.6 * pixel && w.pixel > pixel / 6;
    if (fits || this.asking || this.wide === 0 || this.tops.length === 0 || !this.isConnected) return;
    this.asking = true;
    const from = Math.floor(this.from - length), to = Math.ceil(this.to + length), width = Math.max(1, Math.round(3 * (this.wide - this.gutter)));
    const asked = { from, to, width, first: Math.max(0, first - 5), count: last - first + 10 };
    try {
      this.window = read(await this.ask(asked), { ...asked, pixel: (to - from) / width });
      this.later();
    } catch (error) {
      this.dispatchEvent(new CustomEvent("failed", { detail: error }));
    }
    this.asking = false;
  }

  /** colour returns the colour of a label, the same for labels of one name. @param {number} label */
  colour(label) {
    if (this.colours.length === 0) {
      const names = [...new Set(this.head.labels.map((l) => l.name))].sort();
      const order = new Map(names.map((name, i) => [name, i]));
      this.colours = this.head.labels.map((l) => {
        const i = order.get(l.name) ?? 0, hue = Math.round(i * 137.508 + 210) % 360;
        return this.scheme.matches ? `hsl(${hue} ${34 + (i % 3) * 8}% ${31 + (i % 4) * 3}%)` : `hsl(${hue} ${52 + (i % 3) * 9}% ${72 + (i % 4) * 3}%)`;
      });
    }
    return this.colours[label];
  }

  draw() {
    if (!this.wide || !this.isConnected) return;
    const c = this.canvas.getContext("2d", { alpha: false }), ratio = window.devicePixelRatio || 1, style = getComputedStyle(this);
    const [ink, dim, line, paper, raised, accent, warning] = ["--ink", "--dim", "--line", "--paper", "--raised", "--accent", "--warning"].map((name) => style.getPropertyValue(name));
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = paper;
    c.fillRect(0, 0, this.wide, this.high);
    c.font = `11px ${style.fontFamily}`;
    c.textBaseline = "middle";
    const [first, last] = this.visible();
    c.save();
    c.beginPath();
    c.rect(0, top, this.wide, this.high - top);
    c.clip();
    for (let t = first; t < last; t++) {
      const y = top + this.tops[t] - this.down, tall = this.tall(t);
      if (t % 2) { c.fillStyle = raised; c.fillRect(0, y - trackGap / 2, this.wide, tall); }
      if (this.window && tall) this.lanes(c, t, y, ink, accent);
    }
    if (this.window) this.arrows(c, accent);
    if (this.selected) this.mark(c, warning);
    this.names(c, first, last, ink, dim, paper, raised, line);
    c.restore();
    this.ruler(c, dim, line, accent, paper);
    if (this.range) {
      const [a, b] = this.range.map((t) => Math.max(this.gutter, Math.min(this.x(t), this.wide)));
      c.globalAlpha = 0.16;
      c.fillStyle = accent;
      c.fillRect(a, 0, Math.max(1, b - a), this.high);
      c.globalAlpha = 1;
    }
    this.fetch();
  }

  /** lanes draws the bars of a track. @param {CanvasRenderingContext2D} c @param {number} track @param {number} y @param {string} ink @param {string} accent */
  lanes(c, track, y, ink, accent) {
    const w = /** @type {Window} */ (this.window), lanes = w.tracks.get(track), kinds = this.head.tracks[track].lanes;
    if (!lanes) return;
    if (kinds[0].counter) return counter(this, c, lanes[0], kinds[0].counter, y, 2 * laneHigh, accent, ink);
    const { begins, ends, labels } = w, scale = this.scale, gutter = this.gutter, zero = gutter - this.from * scale, wide = this.wide, matches = this.matching;
    const dot = 1 / (window.devicePixelRatio || 1); // narrower bars are invisible beside another bar
    /** @type {[number, number, number, number][]} */ const texts = [];
    let painted = -1; // the label of the fill colour: changing it costs as much as a bar
    for (let l = 0; l < lanes.length; l++) {
      const high = kinds[l].instants ? 6 : laneHigh - 3, at = y + l * laneHigh + (kinds[l].instants ? 5 : 0);
      const end = lanes[l][1];
      let last = -1;
      for (let i = lowerBound(ends, lanes[l][0], end, this.from); i < end; i++) {
        const x = begins[i] * scale + zero;
        if (x > wide) break;
        const right = Math.max(ends[i] * scale + zero, x + 1);
        if (right < last + dot) continue;
        const left = x < last + dot ? Math.max(last, gutter) : Math.max(x, gutter);
        if (painted !== labels[i]) {
          painted = labels[i];
          c.fillStyle = this.colour(painted);
          c.globalAlpha = matches && !matches[painted] ? 0.2 : 1;
        }
        c.fillRect(left, at, Math.min(right, wide) - left, high);
        if (right - left > 34) texts.push([i, left, Math.min(right, wide) - left, at]);
        last = right > x + 3 ? right - 0.5 : right; // a small gap between long bars
      }
    }
    c.globalAlpha = 1;
    c.fillStyle = ink;
    for (const [i, left, room, at] of texts) {
      if (matches && !matches[labels[i]]) continue;
      const name = w.spans[i] > 1 ? `${w.spans[i]} × ${this.head.labels[labels[i]].name}` : this.head.labels[labels[i]].name;
      const signs = Math.floor((room - 6) / 6.2);
      c.fillText(name.length > signs ? `${name.slice(0, Math.max(1, signs - 1))}…` : name, left + 3, at + (laneHigh - 3) / 2, room - 4);
    }
  }

  /** @param {CanvasRenderingContext2D} c @param {string} accent */
  arrows(c, accent) {
    const w = /** @type {Window} */ (this.window);
    c.save();
    c.beginPath();
    c.rect(this.gutter, top, this.wide, this.high);
    c.clip();
    c.strokeStyle = c.fillStyle = accent;
    c.globalAlpha = 0.75;
    for (let i = 0; i < w.sent.length; i++) {
      const x0 = this.x(w.sent[i]), x1 = this.x(w.come[i]);
      if (Math.max(x0, x1) < this.gutter || Math.min(x0, x1) > this.wide) continue;
      const y0 = top + this.tops[w.froms[i]] - this.down + laneHigh / 2, y1 = top + this.tops[w.tos[i]] - this.down + laneHigh / 2;
      const bend = Math.min(40, Math.abs(x1 - x0) / 2 + 8);
      c.beginPath();
      c.moveTo(x0, y0);
      c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      c.stroke();
      c.beginPath();
      c.moveTo(x1, y1);
      c.lineTo(x1 - 6, y1 - 3);
      c.lineTo(x1 - 6, y1 + 3);
      c.fill();
    }
    c.restore();
  }

  /** mark draws a frame around the selection. @param {CanvasRenderingContext2D} c @param {string} colour */
  mark(c, colour) {
    const s = this.selected;
    if (s.end < this.from || s.begin > this.to) return;
    const x = Math.max(this.x(s.begin), this.gutter), right = Math.min(Math.max(this.x(s.end), x + 2), this.wide + 4), lanes = s.value === undefined ? 1 : 2;
    c.strokeStyle = colour;
    c.lineWidth = 2.5;
    c.strokeRect(x - 1, top + this.tops[s.track] - this.down + s.lane * laneHigh - 1, right - x + 2, lanes * laneHigh - 1);
    c.lineWidth = 1;
  }

  /** names draws the names of tracks, over bars that reach below them. @param {CanvasRenderingContext2D} c @param {number} first @param {number} last @param {string} ink @param {string} dim @param {string} paper @param {string} raised @param {string} line */
  names(c, first, last, ink, dim, paper, raised, line) {
    for (let t = first; t < last; t++) {
      const track = this.head.tracks[t], y = top + this.tops[t] - this.down, room = this.gutter - 12, tall = this.tall(t), of = track.lanes[0]?.counter;
      if (!tall) continue;
      c.fillStyle = t % 2 ? raised : paper;
      c.fillRect(0, y - trackGap / 2, this.gutter - 1, tall);
      c.fillStyle = ink;
      c.fillText(fitting(track.name, room), 8, y + 8);
      c.fillStyle = dim;
      c.fillText(fitting(of ? `up to ${grouped(of.most)}, ${track.process}` : track.process, room), 8, y + 22);
    }
    c.fillStyle = line;
    c.fillRect(this.gutter - 1, top, 1, this.high);
  }

  /** ruler draws the times, and the number of busy tracks. @param {CanvasRenderingContext2D} c @param {string} dim @param {string} line @param {string} accent @param {string} paper */
  ruler(c, dim, line, accent, paper) {
    c.fillStyle = paper;
    c.fillRect(0, 0, this.wide, top);
    const w = this.window;
    if (w && w.curve.length > 0) {
      const step = (w.to - w.from) / w.curve.length, most = Math.max(1, this.threads);
      c.save();
      c.beginPath();
      c.rect(this.gutter, rulerHigh, this.wide, curveHigh);
      c.clip();
      c.beginPath();
      c.moveTo(this.x(w.from), top - 2);
      for (let i = Math.max(0, Math.floor((this.from - w.from) / step) - 1); i < w.curve.length && w.from + i * step < this.to; i++) {
        const y = top - 2 - (curveHigh - 6) * Math.min(1, w.curve[i] / Math.floor(step) / most);
        c.lineTo(this.x(w.from + i * step), y);
        c.lineTo(this.x(w.from + (i + 1) * step), y);
      }
      c.lineTo(this.wide, top - 2);
      c.globalAlpha = 0.35;
      c.fillStyle = accent;
      c.fill();
      c.restore();
    }
    const { step, text } = tick(this.to - this.from, Math.max(2, (this.wide - this.gutter) / 130));
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = this.x(t);
      c.fillStyle = line;
      c.fillRect(x, rulerHigh - 6, 1, this.high);
      c.fillStyle = dim;
      if (x + 40 < this.wide) c.fillText(text(t), x + 3, rulerHigh / 2);
    }
    c.fillStyle = paper;
    c.fillRect(0, 0, this.gutter - 1, top);
    c.fillStyle = dim;
    c.fillText(fitting(`of ${this.threads} at work`, this.gutter - 12), 8, rulerHigh + curveHigh / 2);
    c.fillStyle = line;
    c.fillRect(0, top - 1, this.wide, 1);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY / 300), this.time(event.offsetX));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / this.wide);
    else this.move(event.deltaY);
  }

  /** press starts a drag: it pans, or selects a time with Shift; without a movement it is a click. @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const begin = this.time(event.offsetX), { clientX, clientY } = event, from = this.from, to = this.to, down = this.down;
    let moved = false;
    this.setPointerCapture(event.pointerId);
    this.onpointermove = (/** @type {PointerEvent} */ now) => {
      const dx = now.clientX - clientX;
      if (!moved && Math.abs(dx) + Math.abs(now.clientY - clientY) < 4) return;
      moved = true;
      if (event.shiftKey) {
        const end = this.time(now.offsetX);
        this.range = [Math.min(begin, end), Math.max(begin, end)];
        this.later();
      } else {
        this.down = down;
        this.move(clientY - now.clientY);
        this.look(from - dx / this.scale, to - dx / this.scale);
      }
    };
    this.onpointerup = this.onpointercancel = () => {
      this.onpointermove = this.onpointerup = this.onpointercancel = null;
      if (!moved) this.pick(event.offsetX, event.offsetY);
      else if (event.shiftKey) this.dispatchEvent(new Event("range"));
    };
  }

  /** pick returns the lane at a point. @param {number} x @param {number} y */
  pick(x, y) {
    const inside = y - top + this.down;
    let track = this.tops.findLastIndex((t) => t <= inside);
    if (y < top || x < this.gutter || track < 0 || !this.tall(track)) return;
    const lane = Math.min(Math.floor((inside - this.tops[track]) / laneHigh), this.head.tracks[track].lanes.length - 1);
    this.dispatchEvent(new CustomEvent("pick", { detail: { track, lane, at: Math.round(this.time(x)) } }));
  }
}

/** fitting cuts a text to a width. @param {string} text @param {number} room */
const fitting = (text, room) => (text.length * 6.2 > room ? `${text.slice(0, Math.max(1, Math.floor(room / 6.2) - 1))}…` : text);

customElements.define("pentode-timeline", Timeline);
