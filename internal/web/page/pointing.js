// A card about the text under the pointer: its meaning, and the origin of its value.
// Keyboard users find the same values at the ends of lines.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { step } from "./inspector.js";
import { Life } from "./life.js";

const rest = 300; // milliseconds that the pointer must rest

/**
 * pointing shows a card for the piece of a text under the pointer, until the
 * pointer leaves both, or Escape is pressed.
 * @param {HTMLElement} text whose pieces have their offset in `data-at`
 * @param {string} path
 * @param {Life} life of the text
 */
export function pointing(text, path, life) {
  const card = h("div", { class: "card tip", role: "tooltip", hidden: true });
  let over = /** @type {Element|null} */ (null);
  let next = new Life(life); // the next showing or hiding of the card
  let place = "", closedAt = ""; // of the pointer
  const move = (/** @type {PointerEvent} */ e) => {
    place = `${e.clientX} ${e.clientY}`;
    if (place !== closedAt) closedAt = "";
  };
  const leave = async () => {
    next = next.next();
    await next.pause(rest);
    card.hidden = true;
  };
  const show = async (/** @type {HTMLElement} */ piece) => {
    const mine = (next = next.next());
    await mine.pause(rest);
    const is = await mine.answer(get("hover", { path, at: piece.dataset.at ?? "" }).catch(() => ({}))); // the file may be gone
    if (!is.text && !is.setting) return;
    fill(card, paragraphs(is.text), is.setting && [h("p", {}, h("code", {}, is.setting.key), " = ", h("code", {}, is.setting.value)), h("ol", { class: "origin" }, is.setting.origin.map(step))]);
    card.hidden = false;
    const at = piece.getBoundingClientRect();
    const size = card.getBoundingClientRect();
    card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
    card.style.top = `${at.bottom + size.height < innerHeight ? at.bottom + 2 : Math.max(8, at.top - size.height - 2)}px`;
  };
  text.addEventListener("pointerover", (e) => {
    const piece = /** @type {HTMLElement|null} */ (/** @type {Element} */ (e.target).closest("[data-at]"));
    move(e);
    if (piece === over || place === closedAt) return; // the text may scroll below a resting pointer
    over = piece;
    if (piece) show(piece);
    else leave();
  });
  text.addEventListener("pointermove", move);
  text.addEventListener("pointerleave", () => {
    over = null;
    leave();
  });
  card.addEventListener("pointerenter", () => (next = next.next()));
  card.addEventListener("pointerleave", leave);
  const away = () => {
    next = next.next();
    card.hidden = true;
  };
  const key = (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== "Escape") return;
    closedAt = place;
    away();
  };
  document.addEventListener("keydown", key);
  document.addEventListener("scroll", away, true);
  life.until(() => {
    document.removeEventListener("keydown", key);
    document.removeEventListener("scroll", away, true);
  });
  return card;
}

/** paragraphs shows a text of the server: paragraphs, lists and tables. @param {string} text */
function paragraphs(text) {
  return text.split(/\n{2,}/).filter(Boolean).map((part) => {
    const lines = part.trim().split("\n");
    if (part.startsWith("|")) return table(lines);
    const items = lines.filter((l) => l.startsWith("- "));
    const words = lines.filter((l) => !l.startsWith("- ")).join(" ");
    return [words && h("p", {}, quoted(words)), items.length > 0 && h("ul", {}, items.map((l) => h("li", {}, quoted(l.slice(2)))))];
  });
}

/** table makes a table from lines of cells between bars; the second line is a rule. @param {string[]} lines */
function table(lines) {
  const [head, , ...rows] = lines.map((l) => l.split("|").slice(1, -1).map((cell) => cell.trim().replace(/^\*(.*)\*$/, "$1")));
  return h("table", {}, h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((t) => h("td", {}, quoted(t)))))));
}
