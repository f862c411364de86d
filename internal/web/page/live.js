// What the figures of a pipeline mean: rates, who waits for whom, and which process
// holds up the others.

/**
 * @typedef {object} ProcessFigures
 * @property {string} name
 * @property {string} type
 * @property {number} steps
 * @property {number} total steps until its end; 0 where it does not know
 * @property {number} rate steps a second
 * @property {number} busy share of the time
 * @property {number} waits share of the time for what it waits for most
 * @property {string} on what that is
 * @property {boolean} program it is the program of the process, while it is busy
 * @property {boolean} done
 * @property {boolean} bottleneck
 *
 * @typedef {object} EdgeFigures
 * @property {string} from
 * @property {string} to
 * @property {number} fill data that it holds
 * @property {number} capacity 0: without limit
 * @property {number} high
 * @property {number} mean
 * @property {number} rate data a second
 * @property {number} taken
 * @property {number} dropped
 *
 * @typedef {object} SiteFigures
 * @property {string} name
 * @property {string} state
 * @property {string} host
 * @property {string} last thing that it said
 * @property {boolean} away
 *
 * @typedef {object} Figures
 * @property {number} wall seconds
 * @property {number} rate data a second over all edges
 * @property {number} taken
 * @property {number} dropped
 * @property {number|null} rest seconds that are left, where an end is known
 * @property {ProcessFigures[]} processes
 * @property {EdgeFigures[]} edges
 * @property {SiteFigures[]} sites of a run on several
 */

/** processOf is the process of `process.port`. @param {string} ref */
const processOf = (ref) => ref.slice(0, ref.lastIndexOf("."));

/** earlier is the same thing in an earlier snapshot, where it nearly always has the same place. @param {any[]|undefined} list @param {number} i @param {(o: any) => boolean} same */
const earlier = (list, i, same) => (list?.[i] && same(list[i]) ? list[i] : list?.find(same));

/**
 * between makes figures of two snapshots of the statistics; without a first one
 * they are those of the whole run.
 * @param {any} before
 * @param {any} now
 * @returns {Figures}
 */
export function between(before, now) {
  const wall = Math.max(1, now.wall_ns - (before?.wall_ns ?? 0));
  const perSecond = (/** @type {number} */ n) => (1e9 * n) / wall;
  /** @type {Map<string, {at: number, worst: number, on: string}>} */
  const waits = new Map();
  const waited = (/** @type {string} */ name, /** @type {number} */ time, /** @type {string} */ on) => {
    const w = waits.get(name) ?? { at: 0, worst: 0, on: "" };
    w.at += time;
    if (time > w.worst) {
      w.worst = time;
      w.on = on;
    }
    waits.set(name, w);
  };
  const edges = now.edges.map((/** @type {any} */ e, /** @type {number} */ i) => {
    const was = earlier(before?.edges, i, (/** @type {any} */ o) => o.from === e.from && o.to === e.to);
    waited(processOf(e.from), e.full_ns - (was?.full_ns ?? 0), `${processOf(e.to)} (full)`);
    waited(processOf(e.to), e.empty_ns - (was?.empty_ns ?? 0), `${processOf(e.from)} (empty)`);
    return {
      from: e.from, to: e.to, fill: e.left, capacity: e.capacity, high: e.high, mean: e.mean,
      rate: perSecond(e.taken - (was?.taken ?? 0)), taken: e.taken, dropped: e.dropped,
    };
  });
  const processes = now.processes.map((/** @type {any} */ p, /** @type {number} */ i) => {
    const was = earlier(before?.processes, i, (/** @type {any} */ o) => o.name === p.name);
    waited(p.name, p.blocked_ns - (was?.blocked_ns ?? 0) - (waits.get(p.name)?.at ?? 0), "something outside");
    const w = /** @type {{worst: number, on: string}} */ (waits.get(p.name));
    const busy = p.busy_ns - (was?.busy_ns ?? 0), inside = (p.program_ns ?? 0) - (was?.program_ns ?? 0);
    const program = w.worst < 0.005 * wall && 2 * inside > busy;
    return {
      name: p.name, type: p.type, steps: p.steps, total: p.total ?? 0, rate: perSecond(p.steps - (was?.steps ?? 0)), busy: busy / wall,
      waits: (program ? inside : w.worst) / wall, on: program ? "its program" : w.on, program, done: p.done, bottleneck: false,
    };
  });
  const busiest = processes.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.busy > (a?.busy ?? 0.05) ? b : a), null);
  if (busiest && processes.length > 1) busiest.bottleneck = true;
  const ends = now.processes.filter((/** @type {any} */ p) => !p.done && p.steps > 0 && p.total > p.steps).map((/** @type {any} */ p) => (now.wall_ns / 1e9) * (p.total / p.steps - 1));
  const sites = (now.sites ?? []).map((/** @type {any} */ s) => {
    const away = s.state === "away";
    return { name: s.name, state: away ? `away for ${Math.round(s.silent_ns / 1e9)} s` : s.state, host: s.host ?? "", last: s.last ?? "", away };
  });
  return {
    wall: now.wall_ns / 1e9, processes, edges, sites, rest: ends.length ? Math.max(...ends) : null,
    rate: edges.reduce((/** @type {number} */ n, /** @type {any} */ e) => n + e.rate, 0),
    taken: edges.reduce((/** @type {number} */ n, /** @type {any} */ e) => n + e.taken, 0),
    dropped: edges.reduce((/** @type {number} */ n, /** @type {any} */ e) => n + e.dropped, 0),
  };
}

/** Follower turns a stream of snapshots into figures of the last second. */
export class Follower {
  /** @type {any} */ last = null;
  /** @type {any[]} */ recent = [];

  /**
   * add takes a snapshot and returns the figures.
   * @param {any} s
   * @param {boolean} over the run has ended: the figures are those of all of it
   */
  add(s, over) {
    this.last = s;
    if (over) return between(null, s);
    this.recent = this.recent.filter((r) => r.wall_ns < s.wall_ns && s.wall_ns - r.wall_ns < 1e9);
    this.recent.push(s);
    return between(this.recent.length > 1 ? this.recent[0] : null, s);
  }
}
