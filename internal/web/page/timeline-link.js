// Links from a run to the time lines of its traces.

import { h } from "./dom.js";
import { address } from "./folder.js";
/** @import { RecordedRun } from "../types.js" */

/** timelines makes links to the time lines of the traces among the results of a run. @param {RecordedRun} r */
export function timelines(r) {
  const link = (/** @type {string} */ path, /** @type {string} */ text) => h("a", { class: "button", href: address("timeline", { run: r.run, path }) }, text);
  const found = r.files.filter((f) => !f.gone && /(^|\/)(metadata|trace\.json)$/.test(f.path)).map((f) => f.path.replace(/\/?metadata$/, "") || ".");
  return found.map((path) => link(path, found.length === 1 ? "Time line" : `Time line of ${path}`));
}
