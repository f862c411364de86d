// The programs of a launch plan, the regions of traced programs, and the output of programs and pipelines.

import { fill, h } from "./dom.js";
import { address, folder } from "./folder.js";
import { act, controls, goes } from "./steer.js";
import { stream } from "./stream.js";
import { bytes, grouped, plural, span } from "./units.js";

const levels = ["all", "warning", "error"];
const kept = 5000;
const shown = 50; // regions of a program, the ones with the most time

/** @param {HTMLElement} into @param {URLSearchParams} query @param {import("./life.js").Life} life */
export function processesView(into, query, life) {
  const now = folder.now;
  const runs = now.runs;
  const id = query.get("run") ?? (runs.find((r) => r.kind === "plan" && goes(r)) ?? runs.find(goes) ?? runs.find((r) => r.kind === "plan") ?? runs[0])?.id ?? "";
  const title = (/** @type {any} */ r) => `${folder.title(r.path)} ${new Date(r.started).toLocaleTimeString()} ${r.state}`;
  let known = runs;
  let run = runs.find((r) => r.id === id);
  const steering = h("span", { class: "buttons" });
  const pick = h("select", { "aria-label": "Run", onchange: () => (location.hash = address("processes", { run: pick.value })) },
    runs.map((r) => h("option", { value: r.id }, title(r))));
  pick.value = id;
  const note = h("p", { class: "summary" });
  const list = h("tbody", {});
  const log = new Log();
  const table = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Programs" },
    h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["program", "state", "host", "pid", "cpu", "memory", "restarts", "note", "do"].map((t) => h("th", { scope: "col", class: t === "note" && t }, t)))), list));
  const regions = h("div", {});
  const empty = h("p", { class: "dim" }, "Nothing has been started yet: start the run, or a pipeline from its picture.");
  fill(into, h("div", { class: "toolbar" }, h("h2", {}, "Processes"), runs.length > 0 && pick, steering),
    note, run ? [run.kind === "plan" && table, regions, log.element] : [empty, regions]);
  const begin = (/** @type {any[]} */ all) => {
    known = all;
    run = all.find((r) => r.id === id) ?? run;
    for (const option of pick.options) option.textContent = title(all.find((r) => r.id === option.value) ?? run);
    fill(note, run ? [h("span", { class: `chip ${run.state}` }, run.state), ` ${run.message ?? ""}`] : "");
    if (!run && all.length) location.hash = address("processes", { run: all[0].id });
    if (run || now.starts) {
      fill(steering, controls(life, run?.path ?? now.starts, run, (made) => (location.hash = address("processes", { run: made.id }))));
    }
  };
  begin(runs);
  const offs = [
    stream.on("runs", begin),
    stream.on("begin", () => {
      log.clear();
      fill(regions);
    }),
    stream.on("traced", (all) => fill(regions, all.map(monitored))),
    stream.on("log", (lines) => log.add(lines)),
    stream.on("status", (status) => {
      log.name(status.nodes?.map((/** @type {any} */ n) => n.id) ?? []);
      if (list.contains(document.activeElement) && document.activeElement?.tagName === "SELECT") return; // keep an open list
      fill(list, (status.nodes ?? []).map((/** @type {any} */ n) => program(id, n, known.find((r) => r.launch === status.run && r.node === n.id), log)));
    }),
  ];
  offs.forEach((off) => life.until(off));
  stream.run = "";
  stream.follow(id);
}

/** program makes a row of the table, with a link to the picture of a pipeline. @param {string} run @param {any} n @param {any} pipeline @param {Log} log */
function program(run, n, pipeline, log) {
  const closed = folder.now.read_only;
  const live = n.state !== "ended" && n.state !== "skipped" && n.state !== "declared";
  const failed = n.state === "ended" && (n.exit.code !== 0 || n.exit.signal) && !n.note; // a note means that it was stopped
  const state = n.paused ? "paused" : failed ? `failed, ${n.exit.signal ? `signal ${n.exit.signal}` : `code ${n.exit.code}`}` : n.state;
  const does = (/** @type {string} */ label, /** @type {string} */ what, /** @type {any} */ more, /** @type {string} */ text) =>
    h("button", { type: "button", disabled: closed, "aria-label": `${label} ${n.id}`, onclick: () => act(what, { run, node: n.id, ...more }, `${label} ${n.id}?`, text, label) }, label);
  return h("tr", { class: failed ? "failed" : "" },
    h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => log.only(n.id) }, n.id), h("small", {}, ` ${n.kind} `),
      n.view && h("a", { href: address("visi", { run, visi: n.id }) }, "Show", h("span", { class: "hidden" }, ` ${n.id}`)),
      pipeline && h("a", { href: address("graph", { path: pipeline.path, run: pipeline.id }) }, folder.short(pipeline.path), h("span", { class: "hidden" }, ` of ${n.id}`))),
    h("td", {}, h("span", { class: `chip ${failed ? "failed" : n.paused ? "paused" : live ? "running" : "finished"}` }, state)),
    h("td", {}, n.host), h("td", {}, n.pid || "–"), h("td", {}, span(n.cpu)), h("td", {}, bytes(n.memory_bytes)), h("td", {}, n.restarts || 0), h("td", { class: "note" }, n.note ?? ""),
    h("td", {}, h("span", { class: "buttons" },
      live && does("Stop", "stop", {}, "The program gets a signal to end."),
      does("Restart", "restart", {}, "The program is stopped and started again."),
      live && (n.paused ? does("Continue", "signal", { signal: "CONT" }, "The program continues.") : does("Pause", "signal", { signal: "STOP" }, "The program stops until you continue it.")),
      live && h("select", {
        "aria-label": `Signal to ${n.id}`, disabled: closed,
        onchange: (/** @type {any} */ e) => {
          const signal = e.target.value;
          e.target.value = "";
          act("signal", { run, node: n.id, signal }, `Signal ${signal} to ${n.id}?`, "Its process group gets the signal.", "Send");
        },
      }, h("option", { value: "" }, "Signal"), ["HUP", "INT", "USR1", "USR2", "TERM", "KILL"].map((s) => h("option", { value: s }, s))))));
}

/** monitored shows the regions of a traced program with their counts and times. @param {any} t */
function monitored(t) {
  const name = t.node ? `${t.program} of ${t.node}` : t.program;
  const time = (/** @type {number} */ ns) => h("td", {}, span(ns / 1e9));
  return h("section", { "aria-label": `Regions of ${name}` }, h("h2", {}, `Regions of ${name}`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Regions" },
      h("table", { class: "wide" },
        h("thead", {}, h("tr", {}, ["region", "unit", "count", "total", "mean", "longest"].map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", {}, t.regions.slice(0, shown).map((/** @type {any} */ r) =>
          h("tr", {}, h("th", { scope: "row" }, r.region, h("small", {}, ` ${r.domain}`)), h("td", {}, r.unit), h("td", {}, grouped(r.count)), time(r.total_ns), time(r.mean_ns), time(r.longest_ns)))))),
    t.regions.length > shown && h("p", { class: "dim" }, `and ${plural(t.regions.length - shown, "line")} more: pentode control status ${t.pid}`));
}

/** Log shows lines as they arrive. It can be searched and filtered. */
class Log {
  constructor() {
    /** @type {string[]} */ this.lines = [];
    this.body = h("pre", { class: "log", tabindex: "0", "aria-label": "Log" });
    this.count = h("output", { class: "dim" });
    const again = () => this.draw();
    this.search = h("input", { type: "search", placeholder: "Search the log", "aria-label": "Search the log", oninput: again });
    this.node = h("select", { "aria-label": "Program", onchange: again }, h("option", { value: "" }, "all programs"));
    this.level = h("select", { "aria-label": "Level", onchange: again }, levels.map((l) => h("option", { value: l }, l === "all" ? "all levels" : `${l} and above`)));
    this.follow = h("input", { type: "checkbox", id: "follow" });
    this.follow.checked = true;
    this.element = h("section", { class: "logs", "aria-label": "Logs" },
      h("div", { class: "toolbar" }, h("h2", {}, "Log"), this.search, this.node, this.level, h("label", {}, this.follow, " follow"), this.count), this.body);
  }

  clear() {
    this.lines = [];
    this.draw();
  }

  /** name lists the programs to choose from. @param {string[]} ids */
  name(ids) {
    if (this.node.options.length === ids.length + 1) return;
    const chosen = this.node.value;
    fill(this.node, h("option", { value: "" }, "all programs"), ids.map((i) => h("option", { value: i }, i)));
    this.node.value = chosen;
  }

  /** only shows the lines of one program. @param {string} id */
  only(id) {
    this.node.value = id;
    this.draw();
    this.body.focus();
  }

  /** @param {string} line */
  passes(line) {
    const wanted = this.search.value.toLowerCase();
    if (wanted && !line.toLowerCase().includes(wanted)) return false;
    if (this.node.value && !line.startsWith(this.node.value)) return false;
    if (this.level.value === "all") return true;
    const is = levelOf(line);
    return is === "error" || (is === "warning" && this.level.value === "warning");
  }

  /** @param {string[]} lines */
  add(lines) {
    this.lines.push(...lines);
    if (this.lines.length > 2 * kept) {
      this.lines = this.lines.slice(-kept);
      this.draw();
      return;
    }
    this.show(lines.filter((l) => this.passes(l)));
  }

  draw() {
    fill(this.body);
    this.show(this.lines.filter((l) => this.passes(l)));
  }

  /** @param {string[]} lines */
  show(lines) {
    this.body.append(...lines.map((l) => h("span", { class: levelOf(l) }, `${l}\n`)));
    this.count.textContent = `${this.body.childElementCount} of ${this.lines.length} lines`;
    if (this.follow.checked) this.body.scrollTop = this.body.scrollHeight;
  }
}

/** levelOf guesses the severity of a line. @param {string} line */
function levelOf(line) {
  if (/\b(error|fatal|panic|failed|critical)\b/i.test(line)) return "error";
  return /\bwarn(ing)?\b/i.test(line) ? "warning" : "info";
}
