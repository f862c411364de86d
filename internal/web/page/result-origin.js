// The origin of a result: the path of its data, and every setting that mattered, then and now.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
import { at, table } from "./record-table.js";
import { grouped } from "./units.js";
/** @import { Origin, OriginSetting, RecordedRun, Result } from "../types.js" */

/**
 * withOrigin adds a button for the origin of a file to the text that says what wrote it.
 * @param {RecordedRun} r
 * @param {Life} life
 * @param {(f: any) => any[]} by
 * @returns {(f: any) => any[]}
 */
export const withOrigin = (r, life, by) => (f) => [
  by(f), " ", h("button", { type: "button", class: "link", onclick: () => open(r, f, new Life(life)) }, "Origin", h("span", { class: "hidden" }, ` of ${f.path}`))];

/** open shows the origin of a file above the page. @param {RecordedRun} r @param {Result} f @param {Life} life */
async function open(r, f, life) {
  const body = h("div", { class: "origin-body" }, h("p", { class: "dim", role: "status" }, "…"));
  const box = h("dialog", { class: "ask origin", "aria-label": `Origin of ${f.path}`, onclose: () => life.end() },
    h("header", {}, h("h2", {}, f.path), h("button", { type: "button", onclick: () => box.close() }, "Close")), body);
  life.until(() => box.remove());
  document.body.append(box);
  box.showModal();
  try {
    fill(body, story(await life.answer(get("origin", { run: r.run, path: f.path }))));
  } catch (error) {
    fill(body, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
  }
}

/** story describes the origin of a file. @param {Origin} o */
function story(o) {
  const line = (/** @type {string} */ name, /** @type {any} */ value) => [h("dt", {}, name), h("dd", {}, value)];
  const own = o.settings.filter((s) => !s.whole_run);
  const whole = o.settings.filter((s) => s.whole_run);
  return [
    h("dl", { class: "origin-facts" },
      o.process && line("process", [o.process, o.edge && `, through ${o.edge}`]),
      o.way.length > 0 && line("data of", o.way.join(", ")),
      o.parents.map((p) => line("parent", p)),
      o.inputs.map((i) => line("input", [h("code", {}, folder.tidy(i.path)), i.state !== "same" && h("strong", {}, ` ${i.state}`)])),
      o.missing.map((m) => line("missing", m))),
    settings("Settings that decided it", own), settings("Settings of the whole run", whole),
    o.more > 0 && h("p", { class: "dim" }, `and ${grouped(o.more)} more settings; pentode origin prints all`),
  ];
}

/** @param {string} title @param {any[]} list */
const settings = (title, list) => list.length > 0 && h("section", {}, h("h3", {}, title),
  table(title, ["key", "then", "now", "line"], list.map((s) => [s.key, h("code", {}, s.value), now(s), at(s)])));

/** now describes the current state of a setting. @param {OriginSetting} s */
function now(s) {
  if (s.state === "changed") return h("strong", {}, h("code", {}, s.now ?? ""));
  return h("span", { class: "dim" }, { same: "the same", gone: "gone", unknown: "unknown" }[/** @type {"same"} */ (s.state)]);
}
