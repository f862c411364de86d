// The time line of a trace among the results of a run.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { address, place } from "./folder.js";
import { Life } from "./life.js";
import { table } from "./record-table.js";
import "./timeline-canvas.js";
import { exact, short } from "./timeline-units.js";
import { grouped, plural } from "./units.js";

const keys = "W and S zoom, A and D move, arrow keys go from span to span, Enter zooms to the selected span, Escape clears the selection; drag moves, Shift and drag selects a time";

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export async function timelineView(into, query, life) {
  const run = query.get("run") ?? "", path = query.get("path") ?? "";
  const note = h("p", { class: "dim", role: "status" });
  fill(into, h("section", { class: "head" }, h("h2", {}, "Time line ", h("small", {}, path === "." ? run : path)),
    h("p", { class: "buttons" }, h("a", { class: "button", href: address("runs", { run }) }, "The run"))), note);
  const answer = await life.answer(get("timeline", { run, path }));
  if (answer.making < 0) return whole(into, note, answer, query, life);
  wait(into, note, answer, query, life);
}

/** wait asks again until the index is complete; the page stays usable meanwhile. @param {HTMLElement} into @param {HTMLElement} note @param {any} answer @param {URLSearchParams} query @param {Life} life */
async function wait(into, note, answer, query, life) {
  try {
    while (answer.making >= 0) {
      fill(note, `Reading the trace for the first time: ${grouped(answer.making)} spans so far.`);
      answer = await life.answer(get("timeline", { run: query.get("run") ?? "", path: query.get("path") ?? "" }));
    }
    whole(into, note, answer, query, life);
  } catch (error) {
    fill(note, h("span", { class: "refused" }, /** @type {Error} */ (error).message));
  }
}

/** whole shows a trace whose index is complete. @param {HTMLElement} into @param {HTMLElement} note @param {any} answer @param {URLSearchParams} query @param {Life} life */
function whole(into, note, answer, query, life) {
  const { of, head } = answer;
  const sum = (/** @type {string} */ what) => head.tracks.reduce((/** @type {number} */ n, /** @type {any} */ t) => n + (t[what] ?? 0), 0), lost = sum("lost"), deeper = sum("deeper");
  const counters = head.tracks.filter((/** @type {any} */ t) => t.lanes[0]?.counter).length;
  fill(note, `${plural(head.spans, "span")} on ${plural(head.tracks.length - counters, "track")}, ${exact(head.length)}`, counters > 0 && `, ${plural(counters, "counter")}`, head.arrows > 0 && `, ${plural(head.arrows, "arrow")}`,
    head.apart > 0 && `, ${plural(head.apart, "end of an arrow", "ends of arrows")} without the other`, lost > 0 && `; ${plural(lost, "event")} lost to full buffers`, deeper > 0 && `; ${plural(deeper, "frame")} too deep to be drawn`);
  if (head.tracks.length === 0) return into.append(h("p", { class: "dim" }, "The trace has no events."));

  const line = h("pentode-timeline", { tabindex: "0", role: "application", "aria-label": "Time line", "aria-describedby": "timeline-keys" });
  const said = h("div", { class: "card span-said", role: "status" }, h("p", { class: "dim" }, "Nothing is selected: click a bar, or press an arrow key."));
  const totals = h("section", { class: "timeline-totals" });
  const find = h("input", { type: "search", class: "search", "aria-label": "Search names and places", placeholder: "Search names and places" });
  const matches = h("span", { class: "dim", role: "status" });
  const button = (/** @type {string} */ label, /** @type {string} */ text, /** @type {() => void} */ onclick) => h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
  /** fold shows or hides the counters. @param {boolean} shown */
  const fold = (shown) => {
    line.place(shown);
    folded.setAttribute("aria-pressed", String(shown));
  };
  const folded = h("button", { type: "button", "aria-pressed": "true", onclick: () => fold(folded.ariaPressed === "false") }, "Counters");
  into.append(
    h("div", { class: "toolbar" }, find, button("Previous match", "‹", () => next(true)), button("Next match", "›", () => next(false)), matches,
      button("Zoom in", "+", () => line.zoom(0.5)), button("Zoom out", "−", () => line.zoom(2)), button("Show all", "All", () => line.all()), counters > 0 && folded),
    line, h("p", { class: "dim", id: "timeline-keys" }, keys, "."), said, totals);

  const fail = (/** @type {any} */ error) => fill(said, h("p", { class: "refused" }, error.message));
  const label = (/** @type {number} */ id) => head.labels[id];

  const decided = h("p", {});
  let chosen = new Life(life);
  /** @param {any} s */
  const select = (s) => {
    if (!line.tall(s.track)) fold(true);
    line.selected = s;
    line.reveal(s);
    const l = label(s.label), track = head.tracks[s.track];
    fill(said, h("h3", {}, l.name), h("p", {}, s.value !== undefined && `${plural(s.value, "datum", "data")} for `, `${s.end > s.begin ? `${exact(s.end - s.begin)}, from` : "At"} ${exact(s.begin)} after the beginning, on ${track.name} of ${track.process}; ${grouped(s.number + 1)} of ${grouped(s.of)} there`),
      h("p", {}, "Source: ", s.path ? place(s.path, s.line) : l.where ? h("span", {}, l.where, l.file && l.file !== l.where && h("span", { class: "dim" }, ` (${l.file})`)) : h("span", { class: "dim" }, "unknown"), l.event && h("span", { class: "dim" }, `; event ${l.event}`)),
      s.around.length > 0 && h("p", { class: "dim" }, "within ", s.around.map((/** @type {number} */ id) => label(id).name).join(" › ")), decided);
    chosen = chosen.next();
    lines(s, chosen);
  };
  /** lines shows the lines of the configuration that trace the event. @param {any} s @param {Life} life */
  const lines = async (s, life) => {
    fill(decided);
    try {
      const list = await life.answer(get("decided", { of, track: s.track, lane: s.lane, number: s.number }));
      fill(decided, "Traced because of ", list.map((d, i) => [i > 0 && "; ", `${d.about} ${d.value} of ${d.layer} `, d.path ? place(d.path, d.line) : h("span", { class: "dim" }, d.at || "(no line)")]));
    } catch (error) {
      fill(decided, h("span", { class: "dim" }, /** @type {Error} */ (error).message));
    }
  };
  const ask = async (/** @type {string} */ what, /** @type {Record<string, any>} */ about) => {
    try {
      const s = await life.answer(get(what, { of, ...about }));
      if (s) select(s);
      return s;
    } catch (error) {
      return fail(error);
    }
  };

  const next = async (/** @type {boolean} */ back) => {
    const text = find.value.trim();
    if (!text) return find.focus();
    const from = line.selected?.begin ?? (back ? line.to : line.from - 1);
    if (!(await ask("find", { text, after: Math.round(from), back: back ? 1 : 0 }))) fill(matches, back ? "none before" : "none after");
  };
  find.oninput = () => {
    const text = find.value.trim().toLowerCase();
    line.matching = text ? head.labels.map((/** @type {any} */ l) => l.name.toLowerCase().includes(text) || (l.where ?? "").toLowerCase().includes(text)) : null;
    fill(matches, text && plural(line.matching.filter(Boolean).length, "name"));
    line.later();
  };
  find.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter") next(event.shiftKey);
  };

  line.addEventListener("pick", (/** @type {any} */ event) => ask("span", event.detail));
  line.addEventListener("failed", (/** @type {any} */ event) => fail(event.detail));

  // Totals cover the selected time, else the shown time.
  let resting = 0;
  const add = async () => {
    const [from, to] = (line.range ?? [line.from, line.to]).map(Math.round);
    if (from >= to) return;
    try {
      const sums = await life.answer(get("totals", { of, from: String(from), to: String(to), first: "0", count: String(head.tracks.length) }));
      fill(totals, h("h2", {}, line.range ? "Totals of the selection" : "Totals of the shown time", " ", h("small", {}, exact(to - from))),
        sums.rows.length === 0 ? h("p", { class: "dim" }, "Nothing happens in this time.")
          : table("Totals", ["name", "count", "total", "self", "mean", "source"], sums.rows.map((/** @type {any} */ r) => [
            label(r.label).name, grouped(r.count), short(r.total_ns), short(r.self_ns), short(r.total_ns / r.count), label(r.label).where ?? ""])),
        sums.more > 0 && h("p", { class: "dim" }, `${plural(sums.more, "more name")} with less time`),
        sums.counters.length > 0 && [h("h2", {}, "Counters"), table("Counters", ["counter", "of", "minimum", "mean", "maximum"], sums.counters.map((/** @type {any} */ r) => [
          head.tracks[r.track].name, head.tracks[r.track].process, grouped(r.least), +r.mean.toFixed(2), grouped(r.most)]))],
        sums.more_counters > 0 && h("p", { class: "dim" }, plural(sums.more_counters, "more counter")));
    } catch (error) {
      fail(error);
    }
  };
  const rest = () => {
    clearTimeout(resting);
    resting = setTimeout(add, 400);
  };
  life.until(() => clearTimeout(resting));
  line.addEventListener("look", () => line.range || rest());
  line.addEventListener("range", add);

  /** step selects a span next to the selected one. @param {string} key */
  const step = (key) => {
    const s = line.selected;
    if (!s) return ask("span", { track: line.visible()[0], lane: 0, at: Math.round((line.from + line.to) / 2) });
    const lanes = head.tracks[s.track].lanes.length;
    let below = s.track + 1, above = s.track - 1;
    while (line.tall(below) === 0) below++;
    while (line.tall(above) === 0) above--;
    if (key === "ArrowLeft" && s.number > 0) return ask("span", { track: s.track, lane: s.lane, number: s.number - 1 });
    if (key === "ArrowRight" && s.number + 1 < s.of) return ask("span", { track: s.track, lane: s.lane, number: s.number + 1 });
    const at = Math.max(Math.ceil(s.begin), Math.min(Math.round((line.from + line.to) / 2), Math.floor(s.end)));
    if (key === "ArrowDown" && s.lane + 1 < lanes) return ask("span", { track: s.track, lane: s.lane + 1, at });
    if (key === "ArrowDown" && head.tracks[below]) return ask("span", { track: below, lane: 0, at });
    if (key === "ArrowUp" && s.lane > 0) return ask("span", { track: s.track, lane: s.lane - 1, at });
    if (key === "ArrowUp" && head.tracks[above]) return ask("span", { track: above, lane: head.tracks[above].lanes.length - 1, at });
  };
  /** @type {Record<string, (key: string) => any>} */ const does = {
    w: () => line.zoom(0.7), s: () => line.zoom(1 / 0.7), a: () => line.pan(-0.2), d: () => line.pan(0.2),
    ArrowLeft: step, ArrowRight: step, ArrowUp: step, ArrowDown: step, Home: () => line.all(),
    PageDown: () => line.move(line.high / 2), PageUp: () => line.move(-line.high / 2),
    Enter: () => {
      const s = line.selected;
      if (!s) return;
      const room = Math.max(5, (s.end - s.begin) * 0.1);
      line.range = s.end > s.begin ? [s.begin, s.end] : null;
      line.look(s.begin - room, s.end + room);
      add();
    },
    Escape: () => {
      line.selected = line.range = null;
      fill(said, h("p", { class: "dim" }, "Nothing is selected."));
      line.later();
      rest();
    },
  };
  line.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || !does[key]) return;
    event.preventDefault();
    does[key](key);
  };

  const window = async (/** @type {Record<string, any>} */ asked) => {
    const response = await life.answer(fetch(`/api/window?${new URLSearchParams({ of, ...asked })}`));
    if (!response.ok) throw new Error((await response.json()).error);
    return life.answer(response.arrayBuffer());
  };
  const from = Number(query.get("from") ?? NaN), to = Number(query.get("to") ?? NaN);
  line.show(head, window, from < to ? from : -0.01 * head.length, from < to ? to : 1.01 * head.length);
}
