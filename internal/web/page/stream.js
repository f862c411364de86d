// One stream of events for the whole page. A browser allows a site six connections,
// so a page that cannot be seen gives its own back.

/** @typedef {(value: any) => void} Listener */

const names = ["runs", "traced", "curve", "figures", "status", "log", "gone"];

class Stream {
  /** @type {EventSource|null} */ source = null;
  run = "";
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

  /** follow asks for the figures and the log of a run; "" for none. @param {string} run */
  follow(run) {
    if (run === this.run && this.source) return;
    this.run = run;
    this.open();
  }

  open() {
    this.close();
    if (document.hidden) return;
    const source = new EventSource(`/api/events?${new URLSearchParams({ run: this.run })}`);
    this.source = source;
    for (const name of names) {
      source.addEventListener(name, (event) => {
        this.emit(name, JSON.parse(/** @type {MessageEvent} */ (event).data));
      });
    }
    source.onopen = () => this.emit("begin", null);
  }

  /** @param {string} name @param {any} value */
  emit(name, value) {
    for (const listener of this.listeners.get(name) ?? []) listener(value);
  }

  close() {
    this.source?.close();
    this.source = null;
  }
}

export const stream = new Stream();
