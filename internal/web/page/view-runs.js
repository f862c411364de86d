// Runs that are over: all that are recorded of the folder, or one of them.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { finding, summary } from "./findings.js";
import { address, folder } from "./folder.js";
import { at, table } from "./record-table.js";
import { results } from "./run-results.js";
import { bytes, grouped, plural, span } from "./units.js";

/** @param {HTMLElement} into @param {URLSearchParams} query @param {import("./life.js").Life} life */
export async function runsView(into, query, life) {
  const run = query.get("run");
  if (run) one(into, await life.answer(get("record", { run })), life);
  else all(into, await life.answer(get("records")));
}

/** @param {HTMLElement} into @param {any[]} runs */
function all(into, runs) {
  fill(into, h("section", {}, h("h2", {}, "Recorded runs"),
    runs.length === 0
      ? h("p", { class: "dim" }, "No run of this folder is recorded yet. ", h("code", {}, "pentode run"), " leaves a record.")
      : table("Recorded runs", ["what", "state", "started", "took", "findings", "results", "tags"], runs.map((r) => [
        h("a", { href: address("runs", { run: r.run }) }, r.what, h("span", { class: "hidden" }, ` ${r.run}`)),
        state(r), new Date(r.started).toLocaleString(), r.took_s > 0 ? span(r.took_s) : "", h("span", { class: "summary" }, summary(r)), grouped(r.results), tags(r)]))));
}

/** @param {HTMLElement} into @param {any} r @param {import("./life.js").Life} life */
function one(into, r, life) {
  fill(into,
    h("section", { class: "head" }, h("h2", {}, r.what, " ", h("small", {}, r.run)), h("p", { class: "summary" }, state(r), summary(r), tags(r)),
      h("p", { class: "buttons" }, h("a", { class: "button", href: address("runs") }, "All runs"))),
    r.end && h("p", { class: "refused" }, folder.tidy(r.end)),
    h("p", { class: "dim record" }, `${new Date(r.started).toLocaleString()}${r.took_s > 0 ? `, took ${span(r.took_s)}` : ""}, on ${r.host.name} (${r.host.system}, ${plural(r.host.cpus, "processor")}): `,
      h("code", {}, folder.tidy(r.command.join(" ")))),
    results(r, life),
    r.findings.length > 0 && h("section", {}, h("h2", {}, "Findings"), h("ul", { class: "findings" }, r.findings.map((/** @type {any} */ f) => finding(f)))),
    r.settings.length > 0 && h("section", {}, h("h2", {}, "Settings that were written"), h("p", { class: "dim" }, "Values and lines are those that the run has read."),
      table("Settings", ["key", "value", "line", "file"], r.settings.map((/** @type {any} */ s) => [s.key, h("code", {}, s.value), at(s), s.file]))),
    r.figures.length > 0 && h("section", {}, h("h2", {}, "Figures"),
      table("Figures", ["figure", "value"], r.figures.map((/** @type {any} */ f) => [f.name, figure(f)]))));
}

/** @param {any} r */
const state = (r) => h("span", { class: `chip ${r.state}` }, r.state === "failed" ? `failed, code ${r.exit}` : r.state);

/** @param {any} r */
const tags = (r) => r.tags.map((/** @type {string} */ t) => [h("span", { class: "badge info" }, t), " "]);

/** @param {any} f */
const figure = (f) => (f.unit === "s" ? span(f.value) : f.unit === "B" ? bytes(f.value) : `${f.value.toLocaleString("en")} ${f.unit ?? ""}`);
