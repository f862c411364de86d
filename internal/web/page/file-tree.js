// The files of a folder as a tree, with a filter, and the number of findings in each file and folder.

import { fill, h } from "./dom.js";
import { address, folder } from "./folder.js";
import { plural } from "./units.js";

/** The text of the filter and the closed folders are kept while the page is open. */
let wanted = "";
/** @type {Set<string>} */ const closed = new Set();

/**
 * Folder is a folder of the tree.
 * @typedef {{name: string, path: string, files: any[], folders: Map<string, Folder>, errors: number, warnings: number, count: number}} Folder
 */

/** @param {string} name @param {string} path @returns {Folder} */
const empty = (name, path) => ({ name, path, files: [], folders: new Map(), errors: 0, warnings: 0, count: 0 });

/** tree puts files into their folders, and adds up their findings. @param {any[]} files */
function tree(files) {
  const root = empty("", "");
  for (const f of files) {
    const names = folder.short(f.path).split("/");
    let at = root;
    for (const name of ["", ...names.slice(0, -1)]) {
      if (name) {
        const path = `${at.path}${name}/`;
        if (!at.folders.has(name)) at.folders.set(name, empty(name, path));
        at = /** @type {Folder} */ (at.folders.get(name));
      }
      at.errors += f.errors;
      at.warnings += f.warnings;
      at.count++;
    }
    at.files.push(f);
  }
  return root;
}

/** counts shows the numbers of errors and warnings. @param {{errors: number, warnings: number}} f */
const counts = (f) => [
  f.errors > 0 && h("span", { class: "badge error", title: plural(f.errors, "error") }, f.errors), f.warnings > 0 && h("span", { class: "badge warning", title: plural(f.warnings, "warning") }, f.warnings),
];

/** fileTree lists the files of the folder; open is the shown file. @param {string} open */
export function fileTree(open) {
  const now = folder.now;
  const list = h("div", {}), said = h("p", { class: "dim", role: "status" });
  const link = (/** @type {any} */ f) => h("li", {}, h("a", { href: address("files", { path: f.path }), "aria-current": f.path === open ? "page" : null },
    h("span", {}, folder.short(f.path).split("/").pop()), h("small", {}, f.role.toLowerCase()), counts(f)));
  const branch = (/** @type {Folder} */ f, /** @type {boolean} */ all) => {
    const details = h("details", { open: all || !closed.has(f.path), ontoggle: () => details.open ? closed.delete(f.path) : closed.add(f.path) },
      h("summary", {}, `${f.name}/ `, h("small", {}, plural(f.count, "file")), " ", counts(f)), level(f, all));
    return h("li", {}, details);
  };
  const level = (/** @type {Folder} */ f, /** @type {boolean} */ all) => h("ul", { class: "plain" }, [...f.folders.values()].map((d) => branch(d, all)), f.files.map(link));
  const draw = () => {
    wanted = filter.value;
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const files = now.files.filter((f) => words.every((w) => `${folder.short(f.path)} ${f.role}`.toLowerCase().includes(w)));
    said.textContent = files.length === now.files.length ? plural(files.length, "file") : `${files.length} of ${plural(now.files.length, "file")}`;
    fill(list, level(tree(files), words.length > 0));
  };
  const filter = h("input", { type: "search", class: "search", placeholder: "Filter", "aria-label": "Filter files", value: wanted, oninput: draw });
  draw();
  return h("nav", { class: "filelist", "aria-label": "Files" }, filter, said,
    now.check.diagnostics.length > 0 && h("a", { href: address("files", { findings: 1 }), "aria-current": open ? null : "page" }, h("span", {}, "All findings"), counts(now.check.summary)), list);
}
