// The views of the page. A view is one module and one entry here: a function that
// fills an element, for a life that ends with the view. Rarely used views are loaded when
// they are first opened.

import { graphView } from "./view-graph.js";
import { filesView } from "./view-files.js";
import { processesView } from "./view-processes.js";
import { runView } from "./view-run.js";
import { scratchView } from "./view-scratch.js";

/**
 * @typedef {object} View
 * @property {string} name as in the address
 * @property {string} title
 * @property {string} key that opens it; empty: it has no tab, and other views lead to it
 * @property {(into: HTMLElement, query: URLSearchParams, life: import("./life.js").Life) => void | Promise<void>} show
 */

/** @type {View[]} */
export const views = [
  { name: "run", title: "Run", key: "1", show: runView },
  { name: "graph", title: "Graph", key: "2", show: graphView },
  { name: "files", title: "Files", key: "3", show: filesView },
  { name: "processes", title: "Processes", key: "4", show: processesView },
  { name: "scratch", title: "Scratch", key: "5", show: scratchView },
  { name: "runs", title: "Runs", key: "6", show: async (into, query, life) => (await life.answer(import("./view-runs.js"))).runsView(into, query, life) },
  { name: "timeline", title: "Time line", key: "", show: async (into, query, life) => (await life.answer(import("./view-timeline.js"))).timelineView(into, query, life) },
  { name: "layout", title: "Layout", key: "", show: async (into, query, life) => (await life.answer(import("./view-layout.js"))).layoutView(into, query, life) },
  { name: "visi", title: "Visualisation", key: "", show: async (into, query, life) => (await life.answer(import("./view-visi.js"))).visiView(into, query, life) },
  { name: "policy", title: "Policy", key: "", show: async (into, query, life) => (await life.answer(import("./view-policy.js"))).policyView(into, query, life) },
  { name: "target", title: "Target", key: "", show: async (into, query, life) => (await life.answer(import("./view-target.js"))).targetView(into, query, life) },
];
