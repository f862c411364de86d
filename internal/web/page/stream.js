// One stream of events for the whole page. A browser allows six connections to a site,
// so a hidden page closes its connection.

/** @typedef {(value: any, size: number) => void} Listener gets the value, and the length of its text */

const names = ["runs", "traced", "curve", "figures", "status", "log", "edge", "gone"];

class Stream {
  /** @type {EventSource|null} */ source = null;
  run = "";
  edge = "";
  /** @type {Map<string, Set<Listener>>} */ listeners = new Map();

  constructor() {
    document.addEventListener("visibilitychange", () => this.open());
    window.addEventListener("pagehide", () => this.close());
    window.addEventListener("pageshow", () => this.open());
  }

  /**
   * on calls a listener for every event of a name, until the function that it
   * returns is called.
   * @param {string} name
   * @param {Listener} listener
   */
  on(name, listener) {
    const set = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, set);
    set.add(listener);
    return () => void set.delete(listener);
  }

  /** follow requests the figures and the log of a run; "": of none. @param {string} run */
  follow(run) {
    if (run === this.run && this.source) return;
    this.run = run;
    this.edge = "";
    this.open();
  }

  /** look requests the data on an edge of the run, named by the port that it leads to; "": of none. @param {string} port */
  look(port) {
    if (port === this.edge) return;
    this.edge = port;
    this.open();
  }

  open() {
    this.close();
    if (document.hidden) return;
    const source = new EventSource(`/api/events?${new URLSearchParams({ run: this.run, edge: this.edge })}`);
    this.source = source;
    for (const name of names) {
      source.addEventListener(name, (event) => {
        const { data } = /** @type {MessageEvent} */ (event);
        this.emit(name, JSON.parse(data), data.length);
      });
    }
    source.onopen = () => this.emit("begin", null);
  }

  /** @param {string} name @param {any} value @param {number} size */
  emit(name, value, size = 0) {
    for (const listener of this.listeners.get(name) ?? []) listener(value, size);
  }

  close() {
    this.source?.close();
    this.source = null;
  }
}

export const stream = new Stream();
