// The results of a run: pictures with a slider over their steps, and files, each with the process that wrote it.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { film } from "./film.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
import { at, table } from "./record-table.js";
import { withOrigin } from "./result-origin.js";
import { bytes, grouped, plural } from "./units.js";
/** @import { RecordedRun, Result } from "../types.js" */

export const byNumber = new Intl.Collator("en", { numeric: true });

/** results shows the results of a recorded run; update adds the files that a live run has written since. @param {RecordedRun} r @param {Life} life */
export function results(r, life) {
  const origin = withOrigin(r, life, origins(r));
  const opened = h("div", { class: "opened", tabindex: "-1" });
  let shown = new Life(life);
  const open = (/** @type {any} */ f) => {
    shown = shown.next();
    if (f.shows === "picture") fill(opened, gallery(r, [f], origin, shown).figure);
    else if (f.shows === "table") shown.answer(import("./result-table.js")).then((m) => m.resultTable(opened, r, f, origin, shown));
    else if (f.shows === "datasets") shown.answer(import("./dataset-tree.js")).then((m) => m.datasets(opened, r, f, origin, shown));
    else read(opened, r, f, origin, shown);
    opened.focus();
    opened.scrollIntoView({ block: "nearest" });
  };
  const name = (/** @type {any} */ f) => (f.shows && !f.gone ? h("button", { type: "button", class: "link", onclick: () => open(f) }, f.path) : f.path);
  const count = h("p", { class: "dim" }), viewers = h("div", { class: "viewers" }), listed = h("div", { class: "listed" });
  /** @type {Map<string, ReturnType<typeof gallery>>} */ const galleries = new Map();
  let before = "";
  const update = (/** @type {any} */ r) => {
    const text = JSON.stringify(r.files);
    if (text === before) return;
    before = text;
    for (const [series, list] of inSeries(r.files)) {
      const there = galleries.get(series);
      if (there) there.update(list);
      else {
        galleries.set(series, gallery(r, list, origin, life));
        viewers.append(galleries.get(series)?.figure);
      }
    }
    viewers.hidden = galleries.size === 0;
    fill(count, plural(r.results, "file"), " in ", h("code", {}, folder.tidy(r.out)), r.files.length < r.results && `; the first ${grouped(r.files.length)} are listed`);
    const chosen = listed.contains(document.activeElement) ? document.activeElement?.textContent : null;
    fill(listed, r.files.length > 0 && table("Results", ["file", "size", "written", "by", "note"], r.files.map((/** @type {any} */ f) => [
      name(f), bytes(f.size), new Date(f.time).toLocaleString(), origin(f), f.gone && h("span", { class: "dim" }, f.gone)])));
    if (chosen) [...listed.querySelectorAll("button")].find((b) => b.textContent === chosen)?.focus(); // the focus stays
  };
  update(r);
  return { section: h("section", { class: "run-results" }, h("h2", {}, "Results"), count, viewers, opened, listed), update };
}

/** inSeries returns the pictures that can be shown, grouped into series whose names differ only in a number. @param {any[]} files @returns {Map<string, any[]>} */
function inSeries(files) {
  const series = new Map();
  for (const f of files) {
    if (f.shows !== "picture" || f.gone) continue;
    if (!series.has(f.series)) series.set(f.series, []);
    series.get(f.series).push(f);
  }
  for (const list of series.values()) list.sort((/** @type {any} */ a, /** @type {any} */ b) => byNumber.compare(a.path, b.path));
  return series;
}

const maxLines = 5;

/**
 * origins shows what wrote a file: the process, the edge of its data, and lines of the process.
 * @param {RecordedRun} r
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
    f.process || h("span", { class: "dim" }, "unknown"), f.edge && `, from ${f.edge}`,
    (settings.get(f.process) ?? []).map((s) => [" ", h("span", { title: `${s.key} = ${s.value}` }, at(s))]),
  ];
}

/** gallery shows one picture of a series, a slider over all of them, and buttons that play them as a film. @param {RecordedRun} r @param {any[]} list @param {(f: any) => any[]} origin @param {Life} life */
function gallery(r, list, origin, life) {
  const image = h("img", { alt: "", loading: "lazy", onerror: () => (image.hidden = true, failed.hidden = false) });
  const failed = h("p", { class: "refused", hidden: true }, "This picture cannot be shown.");
  const words = h("figcaption", {});
  let at = 0;
  const show = (/** @type {number} */ i) => {
    const f = list[i];
    at = i;
    image.hidden = false;
    failed.hidden = true;
    image.alt = f.path;
    image.src = `/api/result-picture?${new URLSearchParams({ run: r.run, path: f.path })}`;
    slider.value = i;
    slider.setAttribute("aria-valuetext", f.path);
    fill(words, h("p", {}, h("strong", {}, f.path), ` ${bytes(f.size)}, ${new Date(f.time).toLocaleTimeString()}`, list.length > 1 && `, ${i + 1} of ${list.length}`),
      h("p", { class: "dim" }, origin(f)));
    return image.decode().catch(() => {}); // its error handler shows a message
  };
  const slider = h("input", { type: "range", min: 0, "aria-label": `Step of ${list[0].series}`, oninput: () => {
    played.pause();
    show(Number(slider.value));
  } });
  const played = film(() => list.length, () => at, show, life);
  /** @param {any[]} now more pictures, or newer ones */
  const update = (now) => {
    const last = at === list.length - 1, newer = now[at]?.time !== list[at]?.time;
    list = now;
    slider.max = String(list.length - 1);
    slider.hidden = played.bar.hidden = list.length < 2;
    show(last ? list.length - 1 : Math.min(at, list.length - 1));
    if (newer && !last) image.src += `&at=${encodeURIComponent(list[at].time)}`;
  };
  slider.max = String(list.length - 1);
  slider.hidden = played.bar.hidden = list.length < 2;
  show(0);
  return { figure: h("figure", { class: "viewer" }, image, failed, slider, played.bar, words), update };
}

const maxFolded = 1 << 20; // bytes of JSON

/** read shows a text, one part at a time, or JSON as a tree. @param {HTMLElement} into @param {RecordedRun} r @param {Result} f @param {(f: any) => any[]} origin @param {Life} life */
function read(into, r, f, origin, life) {
  const body = h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": f.path });
  const note = h("p", { class: "dim", role: "status" });
  let next = 0;
  const more = h("button", { type: "button", onclick: () => load() }, "Show more");
  const part = async (/** @type {Record<string, string>} */ query) => {
    const part = await life.answer(get("result", { run: r.run, path: f.path, from: String(next), ...query }));
    next = part.next;
    return part.text ?? "";
  };
  const load = async () => {
    more.disabled = true;
    try {
      body.append(await part({}));
      fill(note, next > 0 && `the first ${bytes(next)} of ${bytes(f.size)}`);
    } catch (error) {
      next = 0;
      fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
    more.hidden = next === 0;
    more.disabled = false;
  };
  const folded = async () => {
    let text = "";
    try {
      do text += await part({ lines: "all" }); while (next > 0);
      const { jsonText } = await life.answer(import("./json-text.js"));
      fill(body, jsonText(text));
    } catch {
      next = 0;
      fill(body);
      await load(); // as plain text
      return;
    }
    more.hidden = true;
  };
  fill(into, h("h3", {}, f.path), h("p", { class: "dim" }, origin(f)), body, h("p", { class: "toolbar" }, more, note));
  if (f.path.toLowerCase().endsWith(".json") && f.size <= maxFolded) folded();
  else load();
}
