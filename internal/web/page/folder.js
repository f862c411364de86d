// The folder that the page shows, and links to its parts.

import { get } from "./api.js";
import { find, h } from "./dom.js";
import { Life } from "./life.js";

let loading = new Life();

/** folder is the folder that the server shows. Views read it, and load it again after a change. */
export const folder = {
  /** @type {import("../types.js").Folder} */ now: /** @type {any} */ (null), // until it is loaded
  async load() {
    loading = loading.next();
    this.now = await loading.answer(get("run"));
    find("folder").textContent = this.now.name;
    document.title = `${this.now.name} – Pentode`;
    return this.now;
  },
  /** short returns a path relative to the folder. @param {string} path */
  short(path) {
    const root = `${this.now?.root}/`;
    return path.startsWith(root) ? path.slice(root.length) : path;
  },
  /** title returns the title of a run: its file, or the folder. @param {string} path */
  title(path) {
    return path === this.now?.root ? this.now.name : this.short(path);
  },
  /** tidy removes the path of the folder from a text. @param {string} text */
  tidy(text) {
    return text.replaceAll(`${this.now.root}/`, "");
  },
};

/** address returns the link to a view. @param {string} view @param {Record<string, any>} [query] */
export function address(view, query = {}) {
  const given = Object.entries(query).filter(([, v]) => v !== "" && v !== undefined && v !== null);
  const text = new URLSearchParams(given.map(([k, v]) => [k, String(v)])).toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** place makes a link to a line of a file. @param {string} path @param {number} [line] */
export function place(path, line) {
  return h("a", { href: address("files", { path, line }), class: "place" }, folder.short(path) + (line ? `:${line}` : ""));
}
