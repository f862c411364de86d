// A picture that can be moved, zoomed and searched. Moving and zooming change the CSS
// transform of one layer. When it comes to rest, it is redrawn at its new size.

import { fill, h } from "./dom.js";
/** @import { Graph } from "../types.js" */

const smallest = 0.05, largest = 4;

class GraphCanvas extends HTMLElement {
  constructor() {
    super();
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
    this.drawn = 1; // the zoom that the layer was drawn at
    this.width = 1; // of the picture
    this.height = 1;
    this.wide = 0; // of the visible area
    this.high = 0;
    /** @type {any} */ this.svg = null;
    /** @type {any[]} */ this.layers = []; // the picture, and the layers drawn over it
    /** @type {Graph} */ this.answer = /** @type {any} */ (null); // until a picture is shown
    /** @type {Element[]} */ this.nodes = [];
    /** @type {number} */ this.still = 0;
    this.selected = -1;
    this.stage = h("div", { class: "stage" });
    this.overview = h("canvas", { class: "overview", width: 180, height: 110, "aria-hidden": "true" });
    this.small = document.createElement("canvas"); // the nodes of the overview
    this.drawnIn = "";
    /** @type {any} */ this.drawnFor = null;
    this.frame = 0;
    this.moved = false; // by the user; until then the picture adapts to the size of the visible area
  }

  connectedCallback() {
    this.tabIndex = 0;
    this.setAttribute("role", "application");
    this.setAttribute("aria-label", "picture: arrows move, plus and minus zoom, 0 shows all, Tab goes to the nodes, Enter opens one");
    fill(this, this.stage, this.overview);
    this.addEventListener("wheel", this.onWheel, { passive: false });
    this.addEventListener("pointerdown", this.onDown);
    this.addEventListener("keydown", this.onKey);
    this.overview.addEventListener("pointerdown", (/** @type {PointerEvent} */ e) => this.jump(e));
    this.observer = new ResizeObserver(() => this.sized());
    this.observer.observe(this);
  }

  disconnectedCallback() {
    this.observer?.disconnect();
  }

  /** show draws a picture. @param {Graph} answer @param {boolean} keep the visible position */
  show(answer, keep) {
    this.answer = answer;
    const parsed = new DOMParser().parseFromString(answer.svg, "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    this.svg = svg;
    this.layers = [svg];
    this.drawn = 1;
    svg.setAttribute("aria-label", answer.title);
    this.width = Number(svg.getAttribute("width"));
    this.height = Number(svg.getAttribute("height"));
    this.nodes = [];
    for (const node of svg.querySelectorAll("[data-node]")) {
      const i = Number(node.getAttribute("data-node"));
      this.nodes[i] = node;
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.addEventListener("focus", () => this.reveal(i));
    }
    fill(this.stage, svg);
    if (!keep) this.moved = false;
    this.sized();
    this.select(this.selected);
  }

  sized() {
    this.wide = this.clientWidth;
    this.high = this.clientHeight;
    if (!this.answer || !this.wide) return;
    if (this.moved) this.place();
    else this.fit();
  }

  /** fit shows the whole picture, or its beginning if the whole would be too small to read. */
  fit() {
    this.zoom = Math.max(this.whole(), 0.45);
    this.x = Math.max(0, (this.wide - this.width * this.zoom) / 2);
    this.y = Math.max(0, (this.high - this.height * this.zoom) / 2);
    this.place();
  }

  /** whole returns the zoom that shows everything, but not much more than natural size. */
  whole() {
    return Math.min(this.wide / this.width, this.high / this.height, 1.3);
  }

  /** all shows everything, however small. */
  all() {
    this.zoom = this.whole();
    this.x = (this.wide - this.width * this.zoom) / 2;
    this.y = (this.high - this.height * this.zoom) / 2;
    this.place();
  }

  /** place moves the layer to its position. */
  place() {
    const margin = 60;
    this.x = Math.min(this.wide - margin, Math.max(margin - this.width * this.zoom, this.x));
    this.y = Math.min(this.high - margin, Math.max(margin - this.height * this.zoom, this.y));
    this.transform();
    clearTimeout(this.still);
    this.still = window.setTimeout(() => this.rest(), 180);
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.drawOverview();
      });
    }
  }

  transform() {
    this.stage.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.zoom / this.drawn})`;
  }

  /** rest redraws the picture at its size when it has come to rest. */
  rest() {
    if (this.drawn !== this.zoom) {
      this.drawn = this.zoom;
      for (const layer of this.layers) this.size(layer);
      this.transform();
    }
    this.dispatchEvent(new Event("rest"));
  }

  /** @param {Element} layer */
  size(layer) {
    layer.setAttribute("width", String(this.width * this.drawn));
    layer.setAttribute("height", String(this.height * this.drawn));
  }

  /**
   * layer adds a group over the picture for parts that change often: the
   * browser then does not redraw the other parts.
   */
  layer() {
    const layer = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    layer.setAttribute("class", "pentode-graph over");
    layer.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    layer.setAttribute("aria-hidden", "true"); // the tables have the same figures
    this.size(layer);
    this.layers.push(layer);
    layer.append(group);
    this.stage.append(layer);
    return group;
  }

  /** seen returns the visible part of the picture. */
  seen() {
    return { left: -this.x / this.zoom, top: -this.y / this.zoom, right: (this.wide - this.x) / this.zoom, bottom: (this.high - this.y) / this.zoom };
  }

  /** @param {number} factor @param {number} [cx] @param {number} [cy] */
  zoomBy(factor, cx = this.wide / 2, cy = this.high / 2) {
    const zoom = Math.min(largest, Math.max(smallest, this.zoom * factor));
    this.x = cx - ((cx - this.x) * zoom) / this.zoom;
    this.y = cy - ((cy - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.moved = true;
    this.place();
  }

  /** @param {WheelEvent} e */
  onWheel(e) {
    e.preventDefault();
    const box = this.getBoundingClientRect();
    if (e.ctrlKey || Math.abs(e.deltaY) >= Math.abs(e.deltaX)) this.zoomBy(Math.exp(-e.deltaY * 0.0016), e.clientX - box.left, e.clientY - box.top);
    else {
      this.x -= e.deltaX;
      this.moved = true;
      this.place();
    }
  }

  /** @param {PointerEvent} e */
  onDown(e) {
    if (e.button !== 0 || e.target === this.overview) return;
    const start = { x: e.clientX, y: e.clientY, left: this.x, top: this.y };
    const node = /** @type {Element} */ (e.target).closest("[data-node]");
    let moved = false;
    const move = (/** @type {PointerEvent} */ m) => {
      const dx = m.clientX - start.x, dy = m.clientY - start.y;
      if (!moved && Math.abs(dx) + Math.abs(dy) < 5) return;
      moved = this.moved = true;
      this.classList.add("moving");
      this.x = start.left + dx;
      this.y = start.top + dy;
      this.place();
    };
    const up = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
      this.classList.remove("moving");
      if (moved) return;
      const edge = node ? -1 : this.edgeNear(e.clientX, e.clientY);
      if (edge >= 0) this.dispatchEvent(new CustomEvent("edge", { detail: this.answer.edges[edge] }));
      else this.choose(node ? Number(node.getAttribute("data-node")) : -1);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  }

  /** @param {KeyboardEvent} e */
  onKey(e) {
    const node = /** @type {Element} */ (e.target).closest("[data-node]");
    const step = 60;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => (this.x += step), ArrowRight: () => (this.x -= step), ArrowUp: () => (this.y += step), ArrowDown: () => (this.y -= step),
      "+": () => this.zoomBy(1.25), "=": () => this.zoomBy(1.25), "-": () => this.zoomBy(0.8), 0: () => this.all(),
    };
    if ((e.key === "Enter" || e.key === " ") && node) this.choose(Number(node.getAttribute("data-node")));
    else if (e.key === "Escape") this.choose(-1);
    else if (keys[e.key] && !e.ctrlKey && !e.metaKey) {
      keys[e.key]();
      this.moved = e.key !== "0";
      this.place();
    } else return;
    e.preventDefault();
  }

  /** edgeNear returns the edge near a point in a picture with figures; -1: none. @param {number} x @param {number} y */
  edgeNear(x, y) {
    for (const far of [0, 3, 6]) {
      for (const [dx, dy] of [[0, -far], [0, far], [-far, 0], [far, 0]]) {
        const edge = document.elementFromPoint(x + dx, y + dy)?.closest(".over [data-edge]");
        if (edge) return Number(edge.getAttribute("data-edge"));
      }
    }
    return -1;
  }

  /** choose selects a node and notifies the view. @param {number} i */
  choose(i) {
    this.select(i);
    this.dispatchEvent(new CustomEvent("choose", { detail: i < 0 ? null : this.answer.nodes[i] }));
  }

  /** @param {number} i */
  select(i) {
    this.nodes[this.selected]?.classList.remove("selected");
    this.selected = i;
    this.nodes[i]?.classList.add("selected");
  }

  /** reveal moves a node into view. @param {number} i */
  reveal(i) {
    const node = this.nodes[i]?.getBoundingClientRect(), box = this.getBoundingClientRect();
    if (!node || this.classList.contains("moving")) return;
    const inside = node.left >= box.left && node.right <= box.right && node.top >= box.top && node.bottom <= box.bottom;
    if (inside) return;
    this.moved = true;
    this.x += box.left + box.width / 2 - (node.left + node.width / 2);
    this.y += box.top + box.height / 2 - (node.top + node.height / 2);
    this.place();
  }

  /**
   * search marks the nodes that contain a text, and returns their numbers.
   * @param {string} text
   */
  search(text) {
    const wanted = text.trim().toLowerCase();
    /** @type {number[]} */
    const found = [];
    this.answer.nodes.forEach((n, i) => {
      const is = wanted !== "" && `${n.label} ${n.kind}`.toLowerCase().includes(wanted);
      this.nodes[i]?.classList.toggle("match", is);
      if (is) found.push(i);
    });
    this.classList.toggle("searching", wanted !== "");
    return found;
  }

  /** boxes returns the nodes as rectangles of the picture. */
  boxes() {
    return this.nodes.filter(Boolean).map((n) => {
      const r = n.querySelector("rect");
      const number = (/** @type {string} */ a) => Number(r?.getAttribute(a));
      return [number("x"), number("y"), number("width"), number("height")];
    });
  }

  drawOverview() {
    const c = this.overview.getContext("2d");
    const ratio = window.devicePixelRatio || 1, w = 180, hgt = 110;
    if (this.overview.width !== w * ratio) {
      this.overview.width = w * ratio;
      this.overview.height = hgt * ratio;
    }
    const scale = Math.min(w / this.width, hgt / this.height);
    const style = getComputedStyle(this);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, hgt);
    const colour = style.getPropertyValue("--dim");
    if (this.drawnFor !== this.answer || this.drawnIn !== colour) { // the nodes do not move
      this.drawnFor = this.answer;
      this.drawnIn = colour;
      this.small.width = w * ratio;
      this.small.height = hgt * ratio;
      const s = /** @type {CanvasRenderingContext2D} */ (this.small.getContext("2d"));
      s.scale(ratio, ratio);
      s.fillStyle = colour;
      for (const [x, y, bw, bh] of this.boxes()) s.fillRect(x * scale, y * scale, Math.max(1, bw * scale), Math.max(1, bh * scale));
    }
    c.drawImage(this.small, 0, 0, w, hgt);
    c.strokeStyle = style.getPropertyValue("--accent");
    c.lineWidth = 1.5;
    const seen = this.seen();
    const within = (/** @type {number} */ v, /** @type {number} */ max) => Math.min(max, Math.max(0, v)) * scale;
    const left = within(seen.left, this.width), top = within(seen.top, this.height);
    const right = within(seen.right, this.width), bottom = within(seen.bottom, this.height);
    this.overview.classList.toggle("needless", right - left >= this.width * scale - 1 && bottom - top >= this.height * scale - 1);
    c.strokeRect(left + 1, top + 1, Math.max(0, right - left - 2), Math.max(0, bottom - top - 2));
  }

  /** jump goes to a point of the overview. @param {PointerEvent} e */
  jump(e) {
    const box = this.overview.getBoundingClientRect();
    const scale = Math.min(box.width / this.width, box.height / this.height); // on a narrow screen it is smaller
    this.moved = true;
    this.x = this.wide / 2 - ((e.clientX - box.left) / scale) * this.zoom;
    this.y = this.high / 2 - ((e.clientY - box.top) / scale) * this.zoom;
    this.place();
  }
}

customElements.define("pentode-graph", GraphCanvas);
