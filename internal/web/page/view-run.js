// The run at a glance: its five parts, findings, and live runs.

import { fill, h } from "./dom.js";
import { FindingList } from "./finding-list.js";
import { summary } from "./findings.js";
import { address, folder, place } from "./folder.js";
import { controls, goes } from "./steer.js";
import { stream } from "./stream.js";
/** @import { Run } from "../types.js" */

const roles = [
  ["TARGET", "what it is built for"], ["LAUNCH", "how it is started"], ["FLOW", "how its data flows"],
  ["DATA", "what data it exposes"], ["TRACE", "which of its events are traced"],
];

/** @param {HTMLElement} into @param {URLSearchParams} query @param {import("./life.js").Life} life */
export function runView(into, query, life) {
  const now = folder.now;
  const check = now.check;
  const steering = h("p", { class: "buttons" });
  const list = h("tbody", {});
  const show = (/** @type {any[]} */ runs) => {
    const mine = runs.find((r) => r.path === now.starts) ?? null;
    if (now.starts) fill(steering, controls(life, now.starts, mine, () => {}));
    fill(list, runs.map(row));
    if (!runs.length) fill(list, h("tr", {}, h("td", { colspan: 5 }, "Nothing has been started yet.")));
  };
  fill(into,
    h("section", { class: "head" },
      h("h2", {}, now.is_run ? "The run" : "The folder"),
      h("p", { class: "summary" }, summary(check.summary), ` in ${now.files.length} files`), steering),
    now.is_run && h("section", { "aria-label": "Parts" }, h("ol", { class: "parts" }, roles.map(([role, what]) => part(role, what)))),
    h("section", {}, h("h2", {}, "Runs"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" },
        h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["what", "state", "started", "", "note"].map((t) => h("th", { scope: "col" }, t || h("span", { class: "hidden" }, "open"))))), list))),
    check.diagnostics.length ? new FindingList(now, life).element : h("section", {}, h("h2", {}, "Findings"), h("p", { class: "fine" }, "These files have no findings.")),
    !now.is_run && h("section", {}, h("h2", {}, "Files"), h("ul", { class: "plain" }, now.files.map((f) => h("li", {}, place(f.path), " ", f.title)))),
  );
  show(now.runs);
  life.until(stream.on("runs", show));
}

/** part makes a card for one of the five parts. @param {string} role @param {string} what */
function part(role, what) {
  const parts = folder.now.parts.filter((p) => p.role === role);
  const files = folder.now.files.filter((f) => parts.some((p) => p.path === f.path));
  const counts = { errors: 0, warnings: 0, infos: 0 };
  for (const f of files) {
    counts.errors += f.errors;
    counts.warnings += f.warnings;
    counts.infos += f.infos;
  }
  return h("li", { class: `card part ${parts.length ? "" : "none"}` },
    h("h3", {}, role.toLowerCase(), h("small", {}, what)),
    parts.length === 0 && h("p", { class: "dim" }, "no file"),
    parts.map((p) => [
      h("p", {}, place(p.path), " ", h("a", { href: address("graph", { path: p.path }) }, "picture")),
      h("ul", { class: "plain" }, p.lines.map((l) => h("li", {}, l))),
    ]),
    parts.length > 0 && h("p", {}, summary(counts)));
}

/** @param {Run} r */
function row(r) {
  const open = r.kind === "plan" ? address("processes", { run: r.id }) : address("graph", { path: r.path, run: r.id });
  return h("tr", {},
    h("td", {}, folder.title(r.path), r.elsewhere && h("small", {}, r.node ? ` ${r.node} of a plan` : " in another terminal")),
    h("td", {}, h("span", { class: `chip ${r.state}` }, r.state)),
    h("td", {}, new Date(r.started).toLocaleTimeString()),
    h("td", {}, h("a", { href: open }, goes(r) ? "watch" : "open", h("span", { class: "hidden" }, ` ${r.id}`))),
    h("td", {}, r.message ?? ""));
}
