// Findings as cards: the problem, its place, and how to fix it.

import { post } from "./api.js";
import { ask, h, tell } from "./dom.js";
import { folder, place } from "./folder.js";
/** @import { Finding, Fix, Position } from "../types.js" */

/**
 * finding shows one diagnostic of `check`.
 * @param {Finding} d
 * @param {import("./life.js").Life} [life] of the view that offers fixes
 * @param {() => void} [mended] is called after a fix was written
 */
export function finding(d, life, mended) {
  return h("li", { class: `finding ${d.severity}` },
    h("p", {}, h("span", { class: `badge ${d.severity}` }, d.severity), " ", h("code", {}, d.code), " ", d.path && place(d.path, d.start?.line ?? d.line)),
    h("p", { class: "message" }, quoted(folder.tidy(d.message))),
    (d.help ?? []).map((t) => h("p", { class: "help" }, "help: ", quoted(folder.tidy(t)))),
    (d.notes ?? []).map((t) => h("p", { class: "note" }, "note: ", quoted(folder.tidy(t)))),
    life && mended && (d.fixes ?? []).map((f) =>
      h("button", { type: "button", class: "fix", disabled: folder.now.read_only, onclick: () => apply(d, f, life, mended) }, `Fix: ${f.message}`)));
}

/** quoted shows text in back quotes as code. @param {string} text */
export function quoted(text) {
  return text.split("`").map((t, i) => (i % 2 ? h("code", {}, t) : t));
}

/** @param {Finding} d @param {Fix} f @param {import("./life.js").Life} life @param {() => void} mended */
async function apply(d, f, life, mended) {
  const change = { path: d.path, code: d.code, offset: /** @type {Position} */ (d.start).offset, message: f.message };
  try {
    const would = await life.answer(post("fix", { ...change, write: false }));
    if (!(await ask("Write this fix?", would.diff, "Write"))) return;
    await post("fix", { ...change, write: true });
    tell("the fix was written", "done");
    mended();
  } catch (error) {
    tell(/** @type {Error} */ (error).message);
  }
}

/** summary shows the number of findings. @param {{errors: number, warnings: number, infos: number}} s */
export function summary(s) {
  const parts = [];
  for (const [n, word] of /** @type {[number, string][]} */ ([[s.errors, "error"], [s.warnings, "warning"], [s.infos, "info"]])) {
    if (n > 0) parts.push(h("span", { class: `badge ${word}` }, `${n} ${word}${n === 1 ? "" : "s"}`));
  }
  return parts.length ? parts : [h("span", { class: "badge fine" }, "no finding")];
}
