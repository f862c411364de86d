// What a run has left: pictures with a slider over their steps, and its files, each with what has written it.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
import { at, table } from "./record-table.js";
import { bytes, grouped, plural } from "./units.js";

export const byNumber = new Intl.Collator("en", { numeric: true });

/** results are those of a recorded run. @param {any} r @param {Life} life */
export function results(r, life) {
  const origin = origins(r);
  /** @type {Map<string, any[]>} */ const series = new Map();
  for (const f of r.files) {
    if (f.shows !== "picture" || f.gone) continue;
    if (!series.has(f.series)) series.set(f.series, []);
    series.get(f.series)?.push(f);
  }
  const opened = h("div", { class: "opened", tabindex: "-1" });
  let shown = new Life(life);
  const open = (/** @type {any} */ f) => {
    shown = shown.next();
    if (f.shows === "picture") fill(opened, gallery(r, [f], origin));
    else if (f.shows === "datasets") shown.answer(import("./dataset-tree.js")).then((m) => m.datasets(opened, r, f, origin, shown));
    else read(opened, r, f, origin, shown);
    opened.focus();
    opened.scrollIntoView({ block: "nearest" });
  };
  const name = (/** @type {any} */ f) => (f.shows && !f.gone ? h("button", { type: "button", class: "link", onclick: () => open(f) }, f.path) : f.path);
  return h("section", { class: "run-results" }, h("h2", {}, "Results"),
    h("p", { class: "dim" }, plural(r.results, "file"), " in ", h("code", {}, folder.tidy(r.out)), r.files.length < r.results && `; the first ${grouped(r.files.length)} are listed`),
    series.size > 0 && h("div", { class: "viewers" }, [...series.values()].map((list) => gallery(r, list.toSorted((a, b) => byNumber.compare(a.path, b.path)), origin))),
    opened,
    r.files.length > 0 && table("Results", ["file", "size", "written", "by", "note"], r.files.map((/** @type {any} */ f) => [
      name(f), bytes(f.size), new Date(f.time).toLocaleString(), origin(f), f.gone && h("span", { class: "dim" }, f.gone)])));
}

const maxLines = 5;

/**
 * origins says what has written a file: the process, the edge by which its data came, and lines of the process.
 * @param {any} r
 * @returns {(f: any) => any[]}
 */
function origins(r) {
  /** @type {Map<string, any[]>} */ const settings = new Map();
  for (const s of r.settings) {
    for (const process of s.of ?? []) {
      const list = settings.get(process) ?? [];
      settings.set(process, list);
      if (list.length < maxLines) list.push(s);
    }
  }
  return (f) => [
    f.process || h("span", { class: "dim" }, "not known"), f.edge && `, from ${f.edge}`,
    (settings.get(f.process) ?? []).map((s) => [" ", h("span", { title: `${s.key} = ${s.value}` }, at(s))]),
  ];
}

/** gallery shows one of some pictures, and a slider over all. @param {any} r @param {any[]} list @param {(f: any) => any[]} origin */
function gallery(r, list, origin) {
  const image = h("img", { alt: "", loading: "lazy", onerror: () => (image.hidden = true, failed.hidden = false) });
  const failed = h("p", { class: "refused", hidden: true }, "This picture cannot be shown.");
  const words = h("figcaption", {});
  const show = (/** @type {number} */ i) => {
    const f = list[i];
    image.hidden = false;
    failed.hidden = true;
    image.alt = f.path;
    image.src = `/api/result-picture?${new URLSearchParams({ run: r.run, path: f.path })}`;
    slider.setAttribute("aria-valuetext", f.path);
    fill(words, h("p", {}, h("strong", {}, f.path), ` ${bytes(f.size)}, ${new Date(f.time).toLocaleTimeString()}`, list.length > 1 && `, ${i + 1} of ${list.length}`),
      h("p", { class: "dim" }, origin(f)));
  };
  const slider = h("input", { type: "range", min: 0, max: list.length - 1, "aria-label": `Step of ${list[0].series}`, oninput: () => show(Number(slider.value)) });
  slider.value = 0; // after its limits
  show(0);
  return h("figure", { class: "viewer" }, image, failed, list.length > 1 && slider, words);
}

/** read shows a text or table, a part at a time. @param {HTMLElement} into @param {any} r @param {any} f @param {(f: any) => any[]} origin @param {Life} life */
function read(into, r, f, origin, life) {
  const body = f.shows === "table" ? h("tbody", {}) : h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": f.path });
  const note = h("p", { class: "dim", role: "status" });
  let next = 0;
  const more = h("button", { type: "button", onclick: () => load() }, "Show more");
  const load = async () => {
    more.disabled = true;
    try {
      const part = await life.answer(get("result", { run: r.run, path: f.path, from: String(next) }));
      if (f.shows === "text") body.append(part.text ?? "");
      else body.append(...(part.rows ?? []).map((/** @type {string[]} */ row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))));
      next = part.next;
      fill(note, next > 0 && `the first ${bytes(next)} of ${bytes(f.size)}`, part.wide && " rows have more columns than are shown");
    } catch (error) {
      next = 0;
      fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
    more.hidden = next === 0;
    more.disabled = false;
  };
  fill(into, h("h3", {}, f.path), h("p", { class: "dim" }, origin(f)),
    f.shows === "text" ? body : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": f.path }, h("table", {}, body)),
    h("p", { class: "toolbar" }, more, note));
  load();
}
