// One node of a picture: its settings and their origins, its ports, its
// documentation and findings, and a field to change a value.

import { get, post } from "./api.js";
import { fill, h, tell } from "./dom.js";
import { finding, quoted } from "./findings.js";
import { folder, place } from "./folder.js";
import { Life } from "./life.js";
/** @import { GraphNode, NodeDetail, Port, Run, Setting, Step } from "../types.js" */

/**
 * inspect fills a panel with a node.
 * @param {Life} life of what the panel shows
 * @param {HTMLElement} panel
 * @param {string} path of the picture; "": the picture of the run
 * @param {GraphNode} node
 * @param {() => void} changed is called after a setting was written
 * @param {() => any} running returns the live run of the picture, if there is one
 */
export async function inspect(life, panel, path, node, changed, running) {
  const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => hide(life, panel) }, "×");
  let is;
  try {
    is = await life.answer(get("node", { path, node: node.id }));
  } catch (error) {
    fill(panel, close, h("h2", {}, node.label), h("p", {}, /** @type {Error} */ (error).message));
    panel.hidden = false;
    return;
  }
  const again = () => {
    changed();
    if (!life.ended) inspect(life, panel, path, node, changed, running);
  };
  const run = running();
  const tunable = run ? await life.answer(get("tunable", { run: run.id }).catch(() => [])) : [];
  fill(panel, close,
    h("h2", {}, is.label, " ", h("small", {}, is.kind)),
    h("p", {}, is.language, is.path && [" · ", place(is.path, is.line)]),
    is.doc.text && h("p", { class: "doc" }, quoted(is.doc.text)),
    is.findings.length > 0 && h("ul", { class: "findings" }, is.findings.map((f) => finding(f))),
    h("h3", {}, "Settings"),
    is.settings.length === 0 && h("p", { class: "dim" }, "none"),
    h("ul", { class: "settings" }, is.settings.map((s) => setting(life, is, s, again, tunable.find((/** @type {any} */ k) => k.setting === s.key), run))),
    (is.in.length > 0 || is.out.length > 0) && [
      h("h3", {}, "Ports"),
      h("table", { class: "ports" },
        h("thead", {}, h("tr", {}, ["direction", "port", "type"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, /** @type {[string, Port[]][]} */ ([["in", is.in], ["out", is.out]]).map(([way, list]) => list.map((p) => h("tr", {}, h("td", {}, way), h("td", {}, p.name), h("td", {}, p.type || "–")))))),
    ]);
  panel.hidden = false;
}

/** @param {Life} life of what the panel shows @param {HTMLElement} panel */
export function hide(life, panel) {
  life.end();
  panel.hidden = true;
  fill(panel);
}

/** A value that was set in a run, but that the program has not taken over yet. */
const pending = "; pending until the program's next event";

/** @param {Life} life @param {NodeDetail} is the node @param {Setting} s @param {() => void} again @param {any} inRun the key in a run, if it may change there @param {Run | undefined} run */
function setting(life, is, s, again, inRun, run) {
  const short = s.key.includes(":") ? s.key.slice(s.key.indexOf(":") + 1) : s.key;
  const doc = is.doc.keys[short];
  const result = h("div", { class: "would", "aria-live": "polite" });
  const inRunResult = h("div", { class: "would", "aria-live": "polite" });
  const field = h("input", { type: "text", value: s.value, "aria-label": `new value of ${s.key}`, spellcheck: "false", autocomplete: "off" });
  let asking = new Life(life);
  const form = h("form", {
    class: "change",
    onsubmit: (/** @type {Event} */ e) => {
      e.preventDefault();
      asking = asking.next();
      preview(asking, is.file, s.key, field.value, result, again);
      if (inRun) previewInRun(asking, /** @type {Run} */ (run), s.key, field.value, inRunResult);
    },
  }, field, h("button", { type: "submit" }, "Preview"));
  const fixed = s.flags.includes("ro");
  return h("li", {},
    h("p", {}, h("code", { class: "key" }, s.key), s.flags.map((f) => [" ", h("span", { class: "badge" }, f)])),
    doc && h("p", { class: "doc" }, quoted(doc)),
    fixed ? h("p", {}, h("code", {}, s.value)) : form, result, inRunResult,
    inRun && (inRun.pending || inRun.value !== s.value) && h("p", { class: "dim" }, "in the run it is ", h("code", {}, inRun.value), inRun.pending && pending),
    h("ol", { class: "origin", "aria-label": `where ${s.key} comes from` }, s.origin.map(step)));
}

/** step shows one step of the origin of a value. @param {Step} o */
export function step(o) {
  return h("li", {}, h("span", { class: "what" }, o.what), " ", h("code", {}, o.text), " ", o.path ? place(o.path, o.line) : null, o.note && h("span", { class: "dim" }, " ", quoted(folder.tidy(o.note))));
}

/**
 * preview shows what a new value would change, before it is written.
 * @param {Life} life @param {string} path @param {string} key @param {string} value @param {HTMLElement} into @param {() => void} again
 */
async function preview(life, path, key, value, into, again) {
  fill(into);
  try {
    const would = await life.answer(post("set", { path, key, value, write: false }));
    if (would.refused.length) {
      refuse(into, would.refused);
      return;
    }
    if (!would.diff) {
      fill(into, h("p", {}, "The setting already has this value."));
      return;
    }
    fill(into,
      diff(would.diff),
      would.also.length > 0 && [h("p", {}, "This also changes:"), h("ul", { class: "plain" }, would.also.map((c) => h("li", {}, h("code", {}, c.key), ` = ${c.value}, was ${c.was}`)))],
      h("button", {
        type: "button", class: "primary", disabled: folder.now.read_only,
        onclick: async () => {
          try {
            const did = await post("set", { path, key, value, write: true });
            if (!did.written) return refuse(into, did.refused);
            tell(`${key} was written`, "done");
            again();
          } catch (error) {
            fill(into, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
          }
        },
      }, "Write"));
  } catch (error) {
    fill(into, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
  }
}

/** refuse shows why a value was not written. @param {HTMLElement} into @param {any[]} findings */
function refuse(into, findings) {
  fill(into, h("p", { class: "refused" }, "Not written, because it would be an error:"), h("ul", { class: "findings" }, findings.map((f) => finding(f))));
}

/**
 * previewInRun shows what a new value would change in a run, before it is changed.
 * @param {Life} life @param {Run} run @param {string} key @param {string} value @param {HTMLElement} into
 */
async function previewInRun(life, run, key, value, into) {
  fill(into);
  try {
    const would = await life.answer(post("tune", { run: run.id, key, value, preview: true }));
    const refused = would.changes.some((/** @type {any} */ c) => c.refused);
    const change = async (/** @type {Event} */ e) => {
      /** @type {HTMLButtonElement} */ (e.currentTarget).replaceWith(h("p", { class: "dim" }, "The change takes effect after the data that are now in the pipeline."));
      try {
        const did = await post("tune", { run: run.id, key, value, preview: false });
        const why = did.undone ?? did.changes.find((/** @type {any} */ c) => c.refused)?.refused ?? "nothing was changed";
        if (did.applied) tell(`${key} is now ${value} in the run`, "done");
        if (life.ended) return;
        fill(into, did.applied ? h("p", {}, "in the run it is ", h("code", {}, value), did.changes.some((/** @type {any} */ c) => c.pending) && pending) : h("p", { class: "refused" }, quoted(why)));
      } catch (error) {
        fill(into, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
      }
    };
    fill(into, h("p", {}, "In the run:"),
      h("ul", { class: "plain" }, would.changes.map((/** @type {any} */ c) => h("li", {}, h("code", {}, `${c.process}:${c.key}`), ` ${c.old} → ${c.new}`, c.refused && h("span", { class: "refused" }, " ", quoted(c.refused))))),
      !refused && h("button", { type: "button", disabled: folder.now.read_only, onclick: change }, "Change the run"));
  } catch (error) {
    fill(into, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
  }
}

/** diff shows changed lines. @param {string} text */
export function diff(text) {
  return h("pre", { class: "diff", tabindex: "0", "aria-label": "what changes" }, text.split("\n").filter((l) => /^[-+@ ]/.test(l) && !/^(---|\+\+\+)/.test(l)).map((l) =>
    h("span", { class: l.startsWith("+") ? "plus" : l.startsWith("-") ? "minus" : "" }, `${l}\n`)));
}
