// Small curves on canvas, each with a table of its numbers for users who cannot
// see it.

import { fill, h } from "./dom.js";

class Spark extends HTMLElement {
  constructor() {
    super();
    this.canvas = h("canvas", { width: 240, height: 44, "aria-hidden": "true" });
    this.now = h("strong", {});
    this.body = h("tbody", {});
    this.wide = 0;
    this.high = 0;
    this.observer = new ResizeObserver(() => {
      this.wide = this.canvas.clientWidth;
      this.high = this.canvas.clientHeight;
      this.draw();
    });
    /** @type {number[]} */ this.values = [];
    /** @type {(n: number) => string} */ this.unit = String;
  }

  connectedCallback() {
    const name = this.getAttribute("name") ?? "";
    fill(this,
      h("p", {}, h("span", {}, name), this.now),
      this.canvas,
      h("details", {}, h("summary", {}, h("span", { class: "hidden" }, `${name}: `), "numbers"),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${name}, second by second` },
          h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "seconds ago"), h("th", { scope: "col" }, name))), this.body))));
    this.observer.observe(this.canvas);
  }

  disconnectedCallback() {
    this.observer.disconnect();
  }

  /**
   * show draws values, the newest last.
   * @param {number[]} values
   * @param {(n: number) => string} unit
   */
  show(values, unit) {
    this.values = values;
    this.unit = unit;
    this.now.textContent = values.length ? unit(values[values.length - 1]) : "–";
    this.draw();
    if (this.querySelector("details")?.open) {
      fill(this.body, values.slice(-60).reverse().map((v, i) => h("tr", {}, h("td", {}, i), h("td", {}, unit(v)))));
    }
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.wide, height = this.high;
    if (!width) return;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const c = this.canvas.getContext("2d");
    const style = getComputedStyle(this);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const values = this.values.slice(-180);
    if (values.length < 2) return;
    const top = Math.max(...values, 1e-9);
    const x = (/** @type {number} */ i) => (i / (values.length - 1)) * width;
    const y = (/** @type {number} */ v) => height - 2 - (v / top) * (height - 6);
    c.beginPath();
    values.forEach((v, i) => (i ? c.lineTo(x(i), y(v)) : c.moveTo(x(i), y(v))));
    c.lineWidth = 1.6;
    c.strokeStyle = style.getPropertyValue("--accent");
    c.stroke();
    c.lineTo(width, height);
    c.lineTo(0, height);
    c.globalAlpha = 0.13;
    c.fillStyle = style.getPropertyValue("--accent");
    c.fill();
    c.globalAlpha = 1;
  }
}

customElements.define("pentode-spark", Spark);

/** spark makes a curve. @param {string} name @returns {any} */
export function spark(name) {
  return h("pentode-spark", { name });
}
