// Many findings: filtered by text and severity, sorted, and grouped by code.

import { fill, h } from "./dom.js";
import { finding, quoted } from "./findings.js";
import { folder } from "./folder.js";
import { grouped, plural } from "./units.js";
/** @import { Finding, Folder, Group } from "../types.js" */

const maxShown = 50;

/** Kept while the page is open; groups null: group if there are many findings. */
const chosen = { text: "", weight: "", sort: "weight", groups: /** @type {boolean|null} */ (null) };

/** FindingList shows the findings of a folder, and the controls that filter them. */
export class FindingList {
  /** @param {Folder} now the answer about the folder @param {import("./life.js").Life} life */
  constructor(now, life) {
    this.all = now.check.diagnostics;
    /** @type {any[]} the most severe first */ this.groups = now.groups;
    this.rank = new Map(this.groups.map((g, i) => [kind(g), i]));
    /** @type {Set<string>} */ this.open = new Set();
    const again = () => this.draw();
    const severities = [...new Set(this.groups.map((g) => g.severity))];
    this.text = h("input", { type: "search", class: "search", placeholder: "Filter (key /)", "aria-label": "Filter findings", value: chosen.text, oninput: again });
    this.weight = h("select", { "aria-label": "Weight", onchange: again },
      h("option", { value: "" }, "all severities"), severities.map((s) => h("option", { value: s }, `${s}s only`)));
    this.sort = h("select", { "aria-label": "Sort", onchange: again }, ["weight", "code", "file"].map((s) => h("option", { value: s }, `by ${s}`)));
    this.grouping = h("input", { type: "checkbox", onchange: () => ((chosen.groups = this.grouping.checked), this.draw()) });
    this.count = h("output", { class: "dim" });
    this.list = h("div", {});
    this.weight.value = severities.includes(chosen.weight) ? chosen.weight : "";
    this.sort.value = chosen.sort;
    this.grouping.checked = chosen.groups ?? now.many;
    this.element = h("section", { class: "finding-list", "aria-label": "Findings" },
      h("div", { class: "toolbar" }, h("h2", {}, "Findings"), this.text, this.weight, this.sort, h("label", {}, this.grouping, " group by code"), this.count),
      this.list, now.settled && h("p", { class: "settled" }, quoted(now.settled)));
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => this.move(e));
    const search = (/** @type {KeyboardEvent} */ e) => {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /** @type {Element} */ (e.target).closest("input, textarea, select, dialog")) return;
      e.preventDefault();
      this.text.focus();
    };
    document.addEventListener("keydown", search);
    life.until(() => document.removeEventListener("keydown", search));
    this.draw();
  }

  /** move goes from group to group with the arrow keys, and leaves the filter with Esc. @param {KeyboardEvent} e */
  move(e) {
    if (e.target === this.text && e.key === "Escape") {
      this.text.value = "";
      this.draw();
      return;
    }
    const heads = [...this.list.querySelectorAll("summary")];
    const at = heads.indexOf(e.target);
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!by || (at < 0 && !(by === 1 && e.target === this.text))) return;
    e.preventDefault();
    (heads[at + by] ?? (at + by < 0 ? this.text : e.target)).focus();
  }

  draw() {
    chosen.text = this.text.value;
    chosen.weight = this.weight.value;
    chosen.sort = this.sort.value;
    const found = this.all.filter((d) => this.passes(d)).sort((a, b) => this.order(a, b));
    this.count.textContent = found.length === this.all.length ? plural(found.length, "finding") : `${grouped(found.length)} of ${plural(this.all.length, "finding")}`;
    if (!found.length) fill(this.list, h("p", { class: "dim" }, "No finding matches the filter."));
    else if (!this.grouping.checked) fill(this.list, some(found));
    else fill(this.list, h("ul", { class: "plain groups" }, this.grouped(found)));
  }

  /** @param {Finding} d */
  passes(d) {
    if (this.weight.value && d.severity !== this.weight.value) return false;
    const wanted = this.text.value.trim().toLowerCase();
    return [d.code, folder.tidy(d.message), folder.short(d.path ?? "")].some((t) => t.toLowerCase().includes(wanted));
  }

  /** @param {Finding} a @param {Finding} b */
  order(a, b) {
    const weight = () => (this.rank.get(kind(a)) ?? 0) - (this.rank.get(kind(b)) ?? 0);
    const file = () => compare(a.path ?? "", b.path ?? "") || (a.start?.offset ?? 0) - (b.start?.offset ?? 0);
    if (this.sort.value === "file") return file() || weight();
    return (this.sort.value === "code" && compare(a.code, b.code)) || weight() || file();
  }

  /** grouped returns the groups in the order of their first findings. @param {any[]} found */
  grouped(found) {
    /** @type {Map<string, any[]>} */ const lists = new Map();
    for (const d of found) {
      const list = lists.get(kind(d));
      if (list) list.push(d);
      else lists.set(kind(d), [d]);
    }
    return [...lists].map(([k, list]) => this.group(this.groups[/** @type {number} */ (this.rank.get(k))], list));
  }

  /** group shows the findings of one code, made when it is opened. @param {Group} g @param {any[]} list */
  group(g, list) {
    const k = kind(g);
    const body = h("div", {});
    const details = h("details", {
      open: this.open.has(k),
      ontoggle: () => {
        if (details.open) this.open.add(k);
        else this.open.delete(k);
        fill(body, details.open && some(list));
      },
    }, h("summary", {},
      h("strong", {}, list.length === g.count ? `${grouped(g.count)} ×` : `${grouped(list.length)} of ${grouped(g.count)} ×`), " ",
      h("span", { class: `badge ${g.severity}` }, g.severity), " ", h("code", {}, g.code), " ", g.title), body);
    return h("li", {}, details);
  }
}

/** kind returns the key that the findings of a group have in common. @param {{ severity: string, code: string }} d */
const kind = (d) => `${d.severity} ${d.code}`;

/** @param {string} a @param {string} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** some shows the first findings, and a button for all. @param {any[]} list */
function some(list) {
  const cards = h("ul", { class: "findings" }, list.slice(0, maxShown).map((d) => finding(d)));
  if (list.length <= maxShown) return cards;
  const more = h("button", {
    type: "button", class: "more",
    onclick: () => {
      const rest = list.slice(maxShown).map((d) => finding(d));
      cards.append(...rest);
      more.remove();
      rest[0].querySelector("a")?.focus(); // keyboard users continue where the button was
    },
  }, `Show all ${grouped(list.length)}`);
  return [cards, more];
}
