// Files: their text with syntax colours, findings in place with their fixes, and the
// origin of a value on every line that decides a setting.

import { get } from "./api.js";
import { fill, h, tell } from "./dom.js";
import { fileTree } from "./file-tree.js";
import { FindingList } from "./finding-list.js";
import { finding, summary } from "./findings.js";
import { address, folder } from "./folder.js";
import { step } from "./inspector.js";
import { Life } from "./life.js";
import { pointing } from "./pointing.js";
/** @import { OpenFile, Position } from "../types.js" */

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function filesView(into, query, life) {
  const now = folder.now;
  const path = query.has("findings") ? "" : query.get("path") ?? now.files[0]?.path ?? "";
  const line = Number(query.get("line") ?? 0);
  const list = h("div", {}, fileTree(path));
  const body = h("section", { class: "file" });
  fill(into, h("div", { class: "columns" }, list, body));
  if (query.has("findings")) {
    fill(body, new FindingList(now, life).element);
    return;
  }
  if (!path) {
    fill(body, h("p", { class: "dim" }, "This folder has no file of the five languages."));
    return;
  }
  let shown = new Life(life);
  const load = async () => {
    const mine = (shown = shown.next());
    const file = await mine.answer(get("file", { path }));
    const text = code(file, path, line, mine, load);
    const elsewhere = file.check.diagnostics.filter((d) => d.path !== path);
    fill(body,
      h("div", { class: "head" }, h("h2", {}, folder.short(path)), h("p", { class: "summary" }, file.language, " · ", summary(file.check.summary)),
        h("p", { class: "buttons" }, h("button", { type: "button", onclick: () => instead(async (mine) => (await mine.answer(import("./edit-file.js"))).edit) }, "Edit"),
          file.fields > 0 && h("button", { type: "button", onclick: () => instead(async (mine) => (await mine.answer(import("./setting-form.js"))).form) }, "Form"), file.view && h("a", { class: "button", href: address(file.view.toLowerCase(), { path }) }, file.view), h("a", { class: "button", href: address("graph", { path }) }, "Picture"), h("a", { class: "button", href: editor(file.full, line || 1) }, "Open in VS Code"))),
      elsewhere.length > 0 && [h("h3", {}, "In files that this file reads"), h("ul", { class: "findings" }, elsewhere.map((d) => finding(d)))],
      text, pointing(text, path, mine));
    body.querySelector(".target")?.scrollIntoView({ block: "center" });
  };
  /** instead shows the file in another way: as a text area or a form. @param {(mine: Life) => Promise<any>} find */
  const instead = async (find) => {
    const mine = (shown = shown.next());
    try {
      const show = await find(mine);
      await show(body, path, mine, async () => {
        fill(list, fileTree(path)); // now with its findings
        await load();
        body.querySelector("button")?.focus();
      });
    } catch (error) {
      tell(/** @type {Error} */ (error).message);
    }
  };
  await load();
  requestAnimationFrame(() => body.querySelector(".target")?.scrollIntoView({ block: "center" }));
}

/** editor returns a link that opens a line in an editor. @param {string} full @param {number} line */
const editor = (full, line) => `vscode://file${full.split("/").map(encodeURIComponent).join("/")}:${line}`;

/**
 * code shows the text, line by line.
 * @param {OpenFile} file
 * @param {string} path
 * @param {number} target the line to show
 * @param {Life} life
 * @param {() => void} again
 */
function code(file, path, target, life, again) {
  const here = file.check.diagnostics.filter((d) => d.path === path);
  const settings = new Map();
  for (const s of file.settings) {
    const last = s.origin[s.origin.length - 1];
    if (last?.path === path) settings.set(last.line, [...(settings.get(last.line) ?? []), s]);
  }
  const lines = split(file.pieces);
  return h("ol", { class: "code", tabindex: "0", "aria-label": "Text" }, lines.map((pieces, i) => {
    const number = i + 1;
    // Findings at the end of the text are shown below its last line.
    const found = here.filter((d) => Math.min(/** @type {Position} */ (d.start).line, lines.length) === number);
    const worst = ["error", "warning", "info"].find((s) => found.some((d) => d.severity === s));
    const set = settings.get(number);
    return h("li", { class: `${worst ?? ""} ${number === target ? "target" : ""}`, id: `L${number}` },
      h("span", { class: "row" },
        h("a", { class: "number", href: editor(file.full, number), "aria-label": `line ${number}: open in VS Code` }, number),
        h("code", {}, pieces.map((p) => (p.c ? h("span", { class: `t-${p.c}`, "data-at": p.a }, p.t) : p.t))),
        set && h("details", { class: "hover" }, h("summary", {}, set.length === 1 ? `= ${clip(set[0].value)}` : `${set.length} settings`),
          h("div", { class: "card" }, set.map((/** @type {any} */ s) => [h("p", {}, h("code", {}, s.key), " = ", h("code", {}, s.value)), h("ol", { class: "origin" }, s.origin.map(step))])))),
      found.length > 0 && h("ul", { class: "findings" }, found.map((d) => finding(d, life, again))));
  }));
}

/** @param {string} text */
const clip = (text) => (text.length > 24 ? `${text.slice(0, 23)}…` : text);

/** split cuts pieces of text at line ends; the first part of a piece keeps its offset. @param {{c?: string, t: string, a: number}[]} pieces */
function split(pieces) {
  /** @type {{c?: string, t: string, a?: number}[][]} */
  const lines = [[]];
  for (const p of pieces) {
    p.t.split("\n").forEach((t, i) => {
      if (i > 0) lines.push([]);
      if (t) lines[lines.length - 1].push({ c: p.c, t: t.replace(/\r$/, ""), a: i ? undefined : p.a });
    });
  }
  if (lines.length > 1 && lines[lines.length - 1].length === 0) lines.pop();
  return lines;
}
