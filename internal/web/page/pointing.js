// What stands under the pointer in a text: what it is, and where its value comes
// from. The same values are at the ends of lines, for the keyboard.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { step } from "./inspector.js";

const rest = 300; // milliseconds that the pointer must rest

/**
 * pointing shows a card for the piece of a text under the pointer, until the
 * pointer leaves both, or Escape is pressed.
 * @param {HTMLElement} text whose pieces have their offset in `data-at`
 * @param {string} path
 */
export function pointing(text, path) {
  const card = h("div", { class: "card tip", role: "tooltip", hidden: true });
  let timer = 0;
  let over = /** @type {Element|null} */ (null);
  const leave = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (card.hidden = true), rest);
  };
  const show = async (/** @type {HTMLElement} */ piece) => {
    let is;
    try {
      is = await get("hover", { path, at: piece.dataset.at ?? "" });
    } catch {
      return; // the file is gone
    }
    if (over !== piece || (!is.text && !is.setting)) return;
    fill(card, paragraphs(is.text), is.setting && [h("p", {}, h("code", {}, is.setting.key), " = ", h("code", {}, is.setting.value)), h("ol", { class: "origin" }, is.setting.origin.map(step))]);
    card.hidden = false;
    const at = piece.getBoundingClientRect();
    const size = card.getBoundingClientRect();
    card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
    card.style.top = `${at.bottom + size.height < innerHeight ? at.bottom + 2 : Math.max(8, at.top - size.height - 2)}px`;
  };
  text.addEventListener("pointerover", (e) => {
    const piece = /** @type {HTMLElement|null} */ (/** @type {Element} */ (e.target).closest("[data-at]"));
    if (piece === over) return;
    over = piece;
    clearTimeout(timer);
    if (!piece) return leave();
    timer = setTimeout(() => show(piece), rest);
  });
  text.addEventListener("pointerleave", () => {
    over = null;
    leave();
  });
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", leave);
  const key = (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Escape") card.hidden = true;
  };
  const away = () => (card.hidden = true);
  document.addEventListener("keydown", key);
  document.addEventListener("scroll", away, true);
  return {
    card,
    end() {
      clearTimeout(timer);
      document.removeEventListener("keydown", key);
      document.removeEventListener("scroll", away, true);
    },
  };
}

/** paragraphs sets a text as the server writes it: paragraphs, lists and tables. @param {string} text */
function paragraphs(text) {
  return text.split(/\n{2,}/).filter(Boolean).map((part) => {
    const lines = part.trim().split("\n");
    if (part.startsWith("|")) return table(lines);
    const items = lines.filter((l) => l.startsWith("- "));
    const words = lines.filter((l) => !l.startsWith("- ")).join(" ");
    return [words && h("p", {}, quoted(words)), items.length > 0 && h("ul", {}, items.map((l) => h("li", {}, quoted(l.slice(2)))))];
  });
}

/** table is lines of cells between bars; the second one is a rule. @param {string[]} lines */
function table(lines) {
  const [head, , ...rows] = lines.map((l) => l.split("|").slice(1, -1).map((cell) => cell.trim().replace(/^\*(.*)\*$/, "$1")));
  return h("table", {}, h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((t) => h("td", {}, quoted(t)))))));
}
