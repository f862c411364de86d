// The events that a trace configuration traces: regions, units, how often, events, and the lines that decide.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { address, folder, place } from "./folder.js";
import { Life } from "./life.js";
import { table } from "./record-table.js";
import { plural } from "./units.js";
/** @import { Policy, TracedSet } from "../types.js" */

const few = 6; // events shown at first

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function policyView(into, query, life) {
  const path = query.get("path") ?? "";
  const shown = h("div", { class: "results" }), said = h("p", { class: "dim", role: "status" });
  /** @type {Policy} */ let answer = { traced: [], units: [], more: 0 };
  let asking = new Life(life);
  const draw = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = answer.traced.filter((s) => words.every((/** @type {string} */ w) => `${s.region} ${s.domain} ${s.events.join(" ")}`.toLowerCase().includes(w)));
    said.textContent = `${plural(rows.length, "set")}${answer.more > 0 ? `; ${plural(answer.more, "set")} more are not listed` : ""}`;
    fill(shown, rows.length === 0 ? h("p", {}, answer.traced.length ? "No region and no event contains this text." : "Nothing is traced.") : table("Traced events", ["region", "domain", "units", "executions", "events", "decided by"], rows.map(row)));
  };
  const load = async () => {
    const mine = (asking = asking.next());
    const all = new URLSearchParams([["path", path], ...units.value.split(/\s+/).filter(Boolean).map((/** @type {string} */ u) => ["unit", u])]);
    try {
      answer = await mine.answer(get("policy", all));
    } catch (error) {
      fill(said);
      return fill(shown, h("p", { class: "refused", role: "alert" }, quoted(/** @type {Error} */ (error).message)));
    }
    if (document.contains(into)) history.replaceState(null, "", `#/policy?${all}`);
    draw();
  };
  const units = h("input", { type: "text", placeholder: "MPI.rank=0-1023", "aria-label": "Existing units", spellcheck: "false", value: query.getAll("unit").join(" "), onchange: load });
  const filter = h("input", { type: "search", class: "search", placeholder: "Filter", "aria-label": "Filter regions and events", oninput: draw });
  await load();
  fill(into, h("div", { class: "head" }, h("h2", {}, "Policy ", h("small", {}, folder.short(path))), h("p", { class: "buttons" }, h("a", { class: "button", href: address("files", { path }) }, "Show the text"))),
    h("div", { class: "toolbar" }, units, filter, said), answer.units.length > 0 && h("p", { class: "dim" }, "Units: ", answer.units.join(", ")), shown);
}

/** row makes the row of a set. @param {TracedSet} s */
const row = (s) => [
  h("code", {}, s.region), s.domain, s.units.map((u) => h("div", {}, h("code", {}, u))), s.often,
  s.events.length <= few ? s.events.join(", ") : h("details", {}, h("summary", {}, plural(s.events.length, "event")), s.events.join(", ")),
  [s.lines.map((l) => h("div", {}, l.path ? place(l.path, l.line) : h("span", { class: "dim" }, "no line"), ` ${l.layer}: ${l.value}`)), !s.whole && h("div", { class: "dim" }, "and possibly others")],
];
