// The summary of a run's trace: tables, why it is not faster, messages between ranks, a flame graph, as in `pentode trace report`.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { quoted } from "./findings.js";
import { folder, place } from "./folder.js";
import { Life } from "./life.js";
import { table } from "./record-table.js";
import { bytes, grouped, plural, share, span } from "./units.js";
/** @import { Comparison, RecordedRun, Slow, Traffic, Why } from "../types.js" */

const bys = ["region", "function", "rank", "thread", "call", "event", "kernel"];

/** The columns of a report by time: the key in the answer, its title, and how to format a value. @type {[string, string, (n: any, row: any) => any][]} */
const columns = [
  ["count", "count", grouped], ["total_ns", "total", ns], ["self_ns", "self", ns], ["wait_ns", "wait", (n, row) => share(row.total_ns > 0 ? n / row.total_ns : 0)], ["mean_ns", "mean", ns],
  ["median_ns", "median", ns], ["p99_ns", "p99", ns], ["longest_ns", "longest", ns], ["threads", "threads", grouped], ["imbalance", "imbalance", (n) => `${Math.round(100 * n)} %`], ["waste_ns", "waste", ns],
  ["slowest", "slowest", (text) => text ?? ""],
];
const sorts = ["total_ns", "self_ns", "count", "imbalance", "waste_ns", "longest_ns"];

/** @param {number} n */
function ns(n) {
  return span(n / 1e9);
}

/** traces makes the section about traces in the view of a run. @param {RecordedRun} r @param {Life} life */
export function traces(r, life) {
  const which = h("select", { "aria-label": "Trace", hidden: r.traces.length < 2, onchange: () => again() }, r.traces.map((t) => h("option", { value: t }, t)));
  const by = h("select", { "aria-label": "Report by", onchange: () => add() }, bys.map((b) => h("option", { value: b }, `by ${b}`)));
  const sort = h("select", { "aria-label": "Sort by", onchange: () => draw() }, columns.filter(([key]) => sorts.includes(key)).map(([key, title]) => h("option", { value: key }, `${title} first`)));
  sort.value = sorts[0];
  const rows = h("div", {}), about = h("p", { class: "dim", role: "status" }), slow = h("div", {}), flames = h("div", {});
  /** @type {any} */ let report = null;
  let adding = new Life(life), asking = new Life(life);
  const draw = () => report && fill(rows, measured(report, sort.value));
  const add = async () => {
    const mine = (adding = adding.next());
    fill(about, "Reading the trace …");
    try {
      report = await mine.answer(get("report", { run: r.run, trace: which.value, by: by.value }));
      sort.disabled = by.value === "event";
      fill(about, words(report));
      draw();
    } catch (error) {
      report = null;
      fill(rows);
      fill(about, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  const again = async () => {
    const mine = (asking = asking.next());
    fill(flames);
    fill(slow, h("p", { class: "dim" }, "Reading the trace …"));
    await add();
    const query = { run: r.run, trace: which.value };
    try {
      fill(slow, causes(await mine.answer(get("why", query))));
      const address = `/api/flames?${new URLSearchParams(query)}`;
      fill(flames, h("a", { href: address, target: "_blank", class: "flames" }, h("img", { src: address, alt: "Flame graph: the wider a frame, the longer the time in it. Opens in a new tab" })));
    } catch (error) {
      fill(slow, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  again();
  return [
    h("section", { class: "report" }, h("div", { class: "toolbar" }, h("h2", {}, "Report of the trace"), which, by, sort), about, rows),
    h("section", { class: "report" }, h("h2", {}, "Why it is not faster"), slow),
    h("section", {}, h("h2", {}, "Flame graph"), flames),
  ];
}

/** words describes the contents of a report, and what is missing in it. @param {any} r */
function words(r) {
  return [`${r.program ? `${r.program}: ` : ""}${plural(r.events, "event")} in ${ns(r.elapsed_ns)}, ${plural(r.processes, "process", "processes")}, ${plural(r.threads, "thread")}.`,
    r.lost > 0 && h("strong", { class: "refused" }, ` ${plural(r.lost, "event was", "events were")} lost to full buffers: the figures below are too small.`),
    r.unfinished > 0 && ` ${plural(r.unfinished, "begin has", "begins have")} no end in the trace, and no time in the table.`];
}

/** measured makes the tables of a report. @param {any} r @param {string} sort */
function measured(r, sort) {
  const key = r.by === "event" ? "count" : sort;
  const shown = r.by === "event" ? columns.slice(0, 1) : columns;
  const list = r.rows.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b[key] - a[key]);
  const most = list[0]?.[key] ?? 0;
  return [
    list.length === 0 ? h("p", { class: "dim" }, `The trace has nothing to group by ${r.by}.`)
      : table(`Report by ${r.by}`, [r.by, ...shown.map(([, title]) => title)], list.map((/** @type {any} */ row) => [quoted(row.name), ...shown.map(([k, , write]) => (k === key ? [bar(row[k], most), write(row[k], row)] : write(row[k], row)))])),
    r.sizes && [h("h3", {}, "MPI by message size"), table("MPI by message size", ["call", "from", "count", "bytes", "total"],
      r.sizes.map((/** @type {any} */ s) => [s.call, bytes(s.from_bytes), grouped(s.count), bytes(s.bytes), ns(s.total_ns)]))],
    r.messages && messages(r.messages),
    r.messages_to_unknown_ranks > 0 && h("p", { class: "dim" }, `${plural(r.messages_to_unknown_ranks, "message went", "messages went")} to unknown ranks: the creation of the communicator is not in the trace.`),
  ];
}

/** bar shows a value relative to the largest. @param {number} n @param {number} most */
function bar(n, most) {
  const fillbar = h("span", { class: "fillbar" });
  fillbar.style.width = `${most > 0 ? (100 * n) / most : 0}%`;
  return h("span", { class: "meter" }, fillbar);
}

const maxRanks = 64;

/** messages shows who sent how much to whom: a table whose cells are darker for more bytes. @param {Traffic[]} list */
function messages(list) {
  const ranks = 1 + Math.max(...list.map((m) => Math.max(m.from, m.to)));
  const title = h("h3", {}, "Messages");
  if (ranks > maxRanks) return [title, table("Messages", ["from rank", "to rank", "messages", "bytes"], list.map((m) => [m.from, m.to, grouped(m.count), bytes(m.bytes)]))];
  const most = Math.max(...list.map((m) => m.bytes));
  const sent = new Map(list.map((m) => [`${m.from} ${m.to}`, m]));
  const all = [...Array(ranks).keys()];
  const cell = (/** @type {number} */ from, /** @type {number} */ to) => {
    const m = sent.get(`${from} ${to}`);
    const td = h("td", { class: m && "heat", title: m && `${plural(m.count, "message")} from rank ${from} to rank ${to}` }, m && bytes(m.bytes));
    if (m) td.style.setProperty("--heat", `${Math.round(10 + (90 * m.bytes) / Math.max(1, most))}%`);
    return td;
  };
  return [title, h("p", { class: "dim" }, "Bytes from the row's rank to the column's rank."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Messages" }, h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from"), all.map((to) => h("th", { scope: "col" }, `to ${to}`)))),
      h("tbody", {}, all.map((from) => h("tr", {}, h("th", { scope: "row" }, from), all.map((to) => cell(from, to)))))))];
}

/** causes lists where threads and ranks wait, the most expensive first. @param {Why} f */
function causes(f) {
  return [
    f.lost > 0 && h("p", { class: "refused" }, `${plural(f.lost, "event was", "events were")} lost to full buffers: there may be more causes than these.`),
    f.unmatched > 0 && h("p", { class: "dim" }, `${plural(f.unmatched, "call of MPI has", "calls of MPI have")} no counterpart in the trace: their waiting time is unknown.`),
    !!f.programs && h("p", { class: "dim" }, `${plural(f.programs, "row is", "rows are")} of traced programs: their own traces show why they wait.`),
    f.causes.length === 0 ? h("p", { class: "dim" }, "The trace has no waits.")
      : [h("p", { class: "dim" }, "A cost is the sum over all threads. Do not add costs up: one cause may lead to another."),
        table("Why it is not faster", ["cause", "cost", "share", "where", "times", "longest", "mostly for"], f.causes.map((c) => [
          h("span", { title: f.kinds[c.kind] }, c.kind), [bar(c.cost_ns, f.causes[0].cost_ns), ns(c.cost_ns)], share(c.cost_ns / Math.max(1, f.elapsed_ns * f.threads)),
          source(c), grouped(c.count), ns(c.longest_ns), c.for ?? ""])),
        h("details", {}, h("summary", {}, "The causes explained"), h("dl", {}, Object.entries(f.kinds).map(([kind, doc]) => [h("dt", {}, kind), h("dd", {}, doc)])))],
  ];
}

/** source shows the place of a cause in the source, as a link if the file is in the folder. @param {Slow} c */
function source(c) {
  if (!c.path) return quoted(c.where);
  const here = folder.now.files.some((f) => f.path === c.path);
  const at = `${folder.short(c.path)}:${c.line}`, full = folder.now.full + c.path.slice(folder.now.root.length);
  const link = here ? place(c.path, c.line) : h("a", { href: `vscode://file${full.split("/").map(encodeURIComponent).join("/")}:${c.line}` }, at);
  return c.where.split(" ").map((word, i) => [i > 0 && " ", word === at ? link : quoted(word)]);
}

/** regions shows what became slower or faster between two runs, as `pentode trace report --compare` does. @param {Comparison} d @param {Life} life */
export function regions(d, life) {
  const rows = h("div", { role: "status" }, "Reading the traces …");
  const load = async () => {
    try {
      const all = await life.answer(get("report", { run: d.a.run, with: d.b.run, trace: d.traces[0], by: "region" }));
      fill(rows, table("Regions", ["region", "change", "first", "second", "cost"], all.rows.map((c) => [quoted(c.name), c.change, each(c.before), each(c.after), `${c.cost_ns < 0 ? "−" : "+"}${ns(Math.abs(c.cost_ns))}`])));
    } catch (error) {
      fill(rows, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  load();
  return h("section", { class: "report" }, h("h2", {}, "Regions"), rows);
}

/** each formats how often something ran, and for how long. @param {any} [row] */
const each = (row) => (row ? `${grouped(row.count)} × ${ns(row.mean_ns)}` : "");
