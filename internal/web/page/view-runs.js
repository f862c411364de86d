// Recorded runs of the folder: the list, one of them, or two compared.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { finding, summary } from "./findings.js";
import { address, folder } from "./folder.js";
import { Life } from "./life.js";
import { at, figure, started, state, table } from "./record-table.js";
import { results } from "./run-results.js";
import { timelines } from "./timeline-link.js";
import { grouped, plural, span } from "./units.js";
/** @import { RecordEntry, RecordedRun } from "../types.js" */

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function runsView(into, query, life) {
  const run = query.get("run"), other = query.get("with");
  if (run && other) {
    const both = await life.answer(get("compare", { run, with: other }));
    (await life.answer(import("./run-compare.js"))).compared(into, both);
    if (both.traces.length) into.append((await life.answer(import("./run-report.js"))).regions(both, life));
  } else if (run) follow(into, await life.answer(get("record", { run })), life);
  else all(into, await life.answer(get("records")));
}

/** @param {HTMLElement} into @param {any[]} runs the newest first */
function all(into, runs) {
  const choice = new Choice(runs);
  fill(into, h("section", {}, h("div", { class: "toolbar" }, h("h2", {}, "Recorded runs"), runs.length > 1 && choice.element),
    runs.length === 0
      ? h("p", { class: "dim" }, "No run of this folder has been recorded yet. ", h("code", {}, "pentode run"), " makes a record.")
      : table("Recorded runs", ["what", "state", "started", "took", "findings", "results", "changed settings", "tags"], runs.map((r) => [
        [runs.length > 1 && choice.box(r), h("a", { href: address("runs", { run: r.run }) }, r.what, h("span", { class: "hidden" }, ` ${r.run}`))],
        state(r), started(r), r.took_s > 0 ? span(r.took_s) : "", h("span", { class: "summary" }, summary(r)), grouped(r.results), changes(r), tags(r)]))));
}

/** Choice holds two runs of the list to compare. A third replaces the run chosen first. */
class Choice {
  /** @type {any[]} */ boxes = [];

  /** @param {any[]} runs */
  constructor(runs) {
    this.runs = runs;
    this.said = h("span", { class: "dim", role: "status" }, "choose two runs");
    this.button = h("button", { type: "button", disabled: true, onclick: () => this.go() }, "Compare");
    this.element = h("span", { class: "toolbar" }, this.button, this.said);
  }

  /** @param {RecordEntry} r */
  box(r) {
    const box = h("input", { type: "checkbox", class: "choose", value: r.run, "aria-label": `Compare ${r.what} of ${started(r)}`, onchange: () => {
      this.boxes = this.boxes.filter((b) => b !== box);
      if (box.checked) this.boxes.push(box);
      if (this.boxes.length > 2) this.boxes.shift().checked = false;
      this.button.disabled = this.boxes.length < 2;
      this.said.textContent = ["choose two runs", "choose one more run", "two runs are chosen"][this.boxes.length];
    } });
    return box;
  }

  /** go compares the older run with the newer one. */
  go() {
    const [newer, older] = this.runs.filter((r) => this.boxes.some((b) => b.value === r.run));
    location.hash = address("runs", { run: older.run, with: newer.run });
  }
}

/** changes shows the settings that differ from the previous run. @param {RecordEntry} r */
function changes(r) {
  if (!r.before) return h("span", { class: "dim" }, "the first");
  if (r.changed === 0) return h("span", { class: "dim" }, "none");
  return [h("ul", { class: "plain" }, r.changes.map((c) => h("li", {}, h("code", {}, c.key), ` ${clip(c.was)} → ${clip(c.is)}`))),
    r.changed > r.changes.length && h("a", { href: address("runs", { run: r.before, with: r.run }) }, `and ${grouped(r.changed - r.changes.length)} more`)];
}

/** @param {string} text */
const clip = (text) => (text.length > 24 ? `${text.slice(0, 23)}…` : text || "not set");

/** follow shows a run, and the new results of a live one. @param {HTMLElement} into @param {RecordedRun} r @param {Life} life */
async function follow(into, r, life) {
  let shown = new Life(life), left = one(into, r, shown);
  await reports(into, r, shown);
  while (r.state === "running") {
    await life.pause(1000);
    try {
      r = await life.answer(get("record", { run: r.run }));
    } catch {
      continue; // the record is being written, or the server is gone
    }
    if (r.state === "running") left.update(r);
    else {
      left = one(into, r, (shown = shown.next()));
      await reports(into, r, shown);
    }
  }
}

/** reports shows the summary of the traces of a run. @param {HTMLElement} into @param {RecordedRun} r @param {Life} life */
async function reports(into, r, life) {
  if (r.traces.length) into.append(...(await life.answer(import("./run-report.js"))).traces(r, life));
}

/** @param {HTMLElement} into @param {RecordedRun} r @param {Life} life */
function one(into, r, life) {
  const left = results(r, life);
  fill(into,
    h("section", { class: "head" }, h("h2", {}, r.what, " ", h("small", {}, r.run)), h("p", { class: "summary" }, state(r), summary(r), tags(r)),
      h("p", { class: "buttons" }, timelines(r),
        r.before && h("a", { class: "button", href: address("runs", { run: r.before, with: r.run }) }, "Compare with the previous run"), h("a", { class: "button", href: address("runs") }, "All runs"))),
    r.end && h("p", { class: "refused" }, folder.tidy(r.end)),
    h("p", { class: "dim record" }, `${started(r)}${r.took_s > 0 ? `, took ${span(r.took_s)}` : ""}, on ${r.host.name} (${r.host.system}, ${plural(r.host.cpus, "processor")}): `,
      h("code", {}, folder.tidy(r.command.join(" ")))),
    left.section,
    r.findings.length > 0 && h("section", {}, h("h2", {}, "Findings"), h("ul", { class: "findings" }, r.findings.map((f) => finding(f)))),
    r.settings.length > 0 && h("section", {}, h("h2", {}, "Settings written in files"), h("p", { class: "dim" }, "Values and lines as the run read them."),
      table("Settings", ["key", "value", "line", "file"], r.settings.map((s) => [s.key, h("code", {}, s.value), at(s), s.file]))),
    r.figures.length > 0 && h("section", {}, h("h2", {}, "Figures"),
      table("Figures", ["figure", "value"], r.figures.map((f) => [f.name, figure(f)]))));
  return left;
}

/** @param {RecordEntry} r */
const tags = (r) => r.tags.map((t) => [h("span", { class: "badge info" }, t), " "]);
