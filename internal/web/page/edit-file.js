// A file edited in place: findings as the user types, completion on request, and saving that neither adds errors without asking
// nor overwrites changes made elsewhere.

import { get, post } from "./api.js";
import { fill, h, tell } from "./dom.js";
import { finding, quoted, summary } from "./findings.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
/** @import { Check, Text } from "../types.js" */

/** Drafts are kept while the page is open, with the hash of the text that they started from. @type {Map<string, {text: string, hash: string}>} */
const drafts = new Map();

/**
 * edit shows a file in a text area.
 * @param {HTMLElement} into @param {string} path @param {Life} life
 * @param {() => void} done is called to show the file again
 */
export async function edit(into, path, life, done) {
  const file = await life.answer(get("text", { path }));
  let { text: start, hash } = drafts.get(path) ?? file;
  const area = h("textarea", { "aria-label": `Text of ${folder.short(path)}`, spellcheck: "false", autocomplete: "off", rows: 26, value: start });
  const found = h("div", { class: "results", "aria-live": "polite" }), said = h("div", { class: "results", role: "status" });
  const list = h("div", { class: "completions" });
  let looking = new Life(life), completing = new Life(life);

  const change = (/** @type {boolean} */ write, insist = false) => ({ path, text: area.value, hash, write, insist });
  const show = (/** @type {Check} */ check) => fill(found, h("p", { class: "summary" }, summary(check.summary)),
    h("ul", { class: "findings" }, check.diagnostics.map((d) => finding({ ...d, path: d.path === path ? "" : d.path, message: d.path === path && d.start ? `line ${d.start.line}: ${d.message}` : d.message }))));
  const look = async (/** @type {number} */ pause) => {
    const mine = (looking = looking.next());
    if (area.value === file.text) drafts.delete(path);
    else drafts.set(path, { text: area.value, hash });
    save.disabled = folder.now.read_only || !drafts.has(path);
    await mine.pause(pause);
    try {
      const answer = await mine.answer(post("text", change(false)));
      show(answer.check);
      if (answer.theirs) conflict(answer.theirs);
    } catch (error) {
      fill(found, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
    }
  };
  const put = async (/** @type {boolean} */ insist) => {
    looking = looking.next();
    try {
      const answer = await post("text", change(true, insist));
      if (answer.written) {
        drafts.delete(path);
        tell(`${folder.short(path)} was saved`, "done");
        if (life.ended) return;
        await life.answer(folder.load());
        return done();
      }
      if (life.ended) return;
      show(answer.check);
      if (answer.theirs) conflict(answer.theirs);
      else {
        fill(said, h("p", { class: "refused" }, "Not saved, because it adds errors:"), h("ul", { class: "findings" }, answer.added.map((f) => finding(f))),
          h("p", {}, h("button", { type: "button", onclick: () => put(true) }, "Save anyway")));
        said.querySelector("button").focus();
      }
    } catch (error) {
      fill(said, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
    }
  };
  /** conflict shows the current file beside the draft, to start again from it. @param {Text} theirs */
  const conflict = (theirs) => {
    const mine = area.value;
    save.disabled = true;
    fill(said, h("p", { class: "refused" }, "The file was changed elsewhere after this page read it. Your text was not saved."),
      h("div", { class: "columns even" },
        h("section", {}, h("h3", {}, "Current file"), h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": "Current file" }, theirs.text)),
        h("section", {}, h("h3", {}, "Your text"), h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": "Your text" }, mine))),
      h("p", {}, h("button", { type: "button", onclick: () => {
        Object.assign(file, theirs);
        hash = theirs.hash;
        area.value = theirs.text;
        fill(said, h("details", {}, h("summary", {}, "Your earlier text"), h("pre", { class: "log", tabindex: "0" }, mine)));
        area.focus();
        look(0);
      } }, "Continue with the current file")));
  };

  const complete = async () => {
    const mine = (completing = completing.next());
    const before = area.value.slice(0, area.selectionStart).split("\n");
    try {
      const items = await mine.answer(post("complete", { path, text: area.value, line: before.length - 1, unit: before[before.length - 1].length }));
      if (items.length === 0) return fill(list, h("p", { class: "dim", role: "status" }, "No completions here."));
      const take = (/** @type {any} */ item) => {
        area.setRangeText(item.insert, offset(area.value, item.start), offset(area.value, item.end), "end");
        close();
        look(0);
      };
      fill(list, h("ul", { class: "plain card", "aria-label": "Completions" }, items.map((item) =>
        h("li", {}, h("button", { type: "button", class: "link", title: item.doc, onclick: () => take(item) }, item.label), item.detail && h("span", { class: "dim" }, ` ${item.detail}`)))));
      list.querySelector("button").focus();
    } catch (error) {
      fill(list, h("p", { class: "refused" }, quoted(/** @type {Error} */ (error).message)));
    }
  };
  const close = () => {
    completing = completing.next();
    fill(list);
    area.focus();
  };
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const buttons = [...list.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key === "Escape") close();
    else if (by) buttons[at + by]?.focus();
    else return;
    e.preventDefault();
  });
  area.addEventListener("input", () => {
    fill(list);
    look(300);
  });
  area.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (!(e.ctrlKey || e.metaKey)) return;
    if (e.key === " ") complete();
    else if (e.key === "s") save.disabled || put(false);
    else return;
    e.preventDefault();
  });
  const save = h("button", { type: "button", class: "primary", disabled: true, title: "Ctrl+S", onclick: () => put(false) }, "Save");
  fill(into,
    h("div", { class: "head" }, h("h2", {}, folder.short(path)), h("p", { class: "buttons" },
      h("button", { type: "button", title: "Ctrl+Space", onclick: complete }, "Complete"), save,
      h("button", { type: "button", onclick: () => (drafts.delete(path), done()) }, "Leave without saving"))),
    folder.now.read_only && h("p", { class: "dim" }, "The page is read-only: nothing can be saved."),
    area, list, said, found);
  area.focus();
  look(0);
}

/** offset returns the offset of a line and a character in a text. @param {string} text @param {[number, number]} place */
function offset(text, [line, unit]) {
  return text.split("\n").slice(0, line).reduce((sum, l) => sum + l.length + 1, unit);
}
