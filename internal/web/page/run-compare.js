// The differences between two runs: settings with their lines, results by content, figures, as `pentode runs diff` prints them.

import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { address, folder } from "./folder.js";
import { at, figure, started, state, table } from "./record-table.js";
import { byNumber } from "./run-results.js";
import { grouped, plural } from "./units.js";
/** @import { ComparedResult, Comparison, RecordEntry, SettingChange } from "../types.js" */

/** compared shows two runs. @param {HTMLElement} into @param {Comparison} d the answer to `compare` */
export function compared(into, d) {
  const same = d.settings.length + d.others.length + d.differ === 0;
  fill(into,
    h("section", { class: "head" }, h("h2", {}, "Two runs compared"), h("p", { class: "buttons" },
      h("a", { class: "button", href: address("runs", { run: d.b.run, with: d.a.run }) }, "Swap the runs"), h("a", { class: "button", href: address("runs") }, "All runs"))),
    h("section", {}, table("Runs", ["which", "what", "run", "started", "state"], [side("first", d.a), side("second", d.b)])),
    same && h("p", {}, h("span", { class: "badge fine" }, "the same"), " Nothing differs except measured values."),
    h("section", {}, h("h2", {}, "Settings that differ"),
      d.settings.length > 0
        ? table("Settings that differ", ["key", "first", "second", "line", "file"], d.settings.map((c) => [c.key, value(c.was, c.was_at), value(c.is, c.is_at), lines(c), c.file]))
        : h("p", { class: "dim" }, "No setting differs."),
      d.derived > 0 && h("p", { class: "dim" }, `and ${plural(d.derived, "setting")} that read them`),
      d.others.length > 0 && [h("h3", {}, "Other differences"), h("ul", {}, d.others.map((t) => h("li", {}, quoted(folder.tidy(t)))))]),
    results(d),
    d.figures.length > 0 && h("section", {}, h("h2", {}, "Figures beyond noise"),
      table("Figures", ["figure", "first", "second", "judged by"], d.figures.map((f) => [f.name, figure({ ...f, value: f.was }), figure({ ...f, value: f.is }),
        f.unit ? `medians of ${f.of[0]} and ${plural(f.of[1], "run")}` : "a count, which does not change by chance"]))));
}

/** @param {string} name @param {RecordEntry} r */
const side = (name, r) => [name, r.what, h("a", { href: address("runs", { run: r.run }) }, r.run), started(r), state(r)];

/** value shows a setting of one of the runs. @param {string} text @param {string} [where] */
const value = (text, where) => (text || where ? h("code", {}, text) : h("span", { class: "dim" }, "not set"));

/** lines shows where a setting was written: one line, or one line for each run. @param {SettingChange} c */
function lines(c) {
  const is = at({ ...c.is_place, at: c.is_at });
  if (!c.was_at || c.was_at === c.is_at) return is;
  return c.is_at ? [is, " (was ", at({ ...c.was_place, at: c.was_at }), ")"] : at({ ...c.was_place, at: c.was_at });
}

/** @param {Comparison} d */
function results(d) {
  /** @type {Map<string, any[]>} */ const series = new Map();
  for (const r of d.results) {
    if (r.shows !== "picture") continue;
    if (!series.has(r.series)) series.set(r.series, []);
    series.get(r.series)?.push(r);
  }
  return h("section", { class: "run-results" }, h("h2", {}, "Results that differ"),
    d.differ === 0 && h("p", { class: "dim" }, "None."),
    [...series.values()].map((list) => pair(d, list.toSorted((a, b) => byNumber.compare(a.path, b.path)))),
    d.results.length > 0 && table("Results that differ", ["file", "how", "possible causes", "of"], d.results.map((r) => [r.path, how(r), causes(r), r.process])),
    d.results.length < d.differ && h("p", { class: "dim" }, `The first ${grouped(d.results.length)} of ${grouped(d.differ)} are listed.`),
    h("p", { class: "dim" }, `${plural(d.equal, "result is", "results are")} equal.`, d.measured > 0 && ` ${plural(d.measured, "result contains", "results contain")} times, and ${d.measured === 1 ? "is" : "are"} not compared.`));
}

/** how describes how a result differs. @param {ComparedResult} r */
function how(r) {
  return [h("p", {}, r.state, r.note && ["; ", r.note]),
    r.how && h("ul", { class: "plain" }, r.how.map((w) => h("li", {}, w.part && [h("code", {}, w.part), ": "], quoted(w.what))))];
}

const maxCauses = 5;

/** causes lists the settings that may be the cause, the most likely first. @param {ComparedResult} r */
function causes(r) {
  if (r.causes.length === 0) return h("span", { class: "dim" }, "no changed setting can have caused it");
  return [h("ul", { class: "plain" }, r.causes.slice(0, maxCauses).map((c) => h("li", {}, h("code", {}, c.key), " ", at(c)))),
    r.causes.length > maxCauses && h("span", { class: "dim" }, `and ${r.causes.length - maxCauses} more`)];
}

/** pair shows a picture of both runs side by side, with a slider over the pictures of a series. @param {Comparison} d @param {any[]} list */
function pair(d, list) {
  const words = h("figcaption", {}), sides = h("div", { class: "pair" });
  const show = (/** @type {number} */ i) => {
    const r = list[i];
    const image = (/** @type {any} */ run, /** @type {string} */ name, /** @type {boolean} */ there) => {
      const box = h("div", {}, h("p", { class: "dim" }, name));
      const no = () => h("p", { class: "dim" }, there ? "Not shown: the file was changed after the run, or is too large." : "This run did not write it.");
      box.append(there ? h("img", { alt: `${r.path} of the ${name} run`, src: `/api/result-picture?${new URLSearchParams({ run: run.run, path: r.path })}`, onerror: (/** @type {Event} */ e) => /** @type {Element} */ (e.target).replaceWith(no()) }) : no());
      return box;
    };
    fill(sides, image(d.a, "first", r.state !== "only the second"), image(d.b, "second", r.state !== "only the first"));
    slider.setAttribute("aria-valuetext", r.path);
    fill(words, h("p", {}, h("strong", {}, r.path), list.length > 1 && `, ${i + 1} of ${list.length}`), how(r));
  };
  const slider = h("input", { type: "range", min: 0, max: list.length - 1, "aria-label": `Step of ${list[0].series}`, oninput: () => show(Number(slider.value)) });
  slider.value = 0; // after its limits
  show(0);
  return h("figure", { class: "viewer" }, sides, list.length > 1 && slider, words);
}
