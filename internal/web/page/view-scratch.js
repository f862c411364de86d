// A text outside of any file: its findings, resolved values and picture as the user types.

import "./graph-canvas.js";
import { post } from "./api.js";
import { fill, h } from "./dom.js";
import { finding, summary } from "./findings.js";
import { Life } from "./life.js";

/** @type {Record<string, [string, string]>} a name and a first text for each language */
const first = {
  sprokit: ["scratch.pipe", "process numbers\n  :: numbers\n  start = 1\n  end = 100\n\nprocess out\n  :: sink\n\nconnect from numbers.number\n        to   out.sink\n"],
  coil: ["scratch.coilcfg", "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n\n[Optimization]\nLevel = 2\n\n[Memory]\nModel = Flat\nAlignment = 16\nStackGrowth = Down\nEndianness = Little\n"],
  paradyn: ["scratch.psdl", 'daemon {\n    name "watch";\n    command "sleep 100";\n    host "localhost";\n}\n\nprocess {\n    name "hello";\n    command "echo";\n    args { "hello" };\n    host "localhost";\n    daemon "sleep 100";\n}\n'],
  pdi: ["scratch.yml", "metadata:\n  n: int\ndata:\n  field: { type: array, subtype: double, size: $n }\n"],
  pinsight: ["scratch.pinsight", "[OpenMP.default]\n    omp_task_create = on\n\n[Lexgion.default]\n    tracing_rate = 10\n"],
};

/** The text is kept while the page is open. @type {Record<string, string>} */
const typed = {};
let language = "sprokit";

/** @param {HTMLElement} into @param {URLSearchParams} query @param {Life} life */
export function scratchView(into, query, life) {
  const text = h("textarea", { "aria-label": "Text", spellcheck: "false", autocomplete: "off", rows: 22 });
  const pick = h("select", { "aria-label": "Language" }, Object.keys(first).map((l) => h("option", { value: l }, l)));
  const results = h("div", { class: "results", "aria-live": "polite" });
  const canvas = h("pentode-graph", {});
  let asking = new Life(life);
  const look = async (/** @type {number} */ pause) => {
    asking = asking.next();
    typed[language] = text.value;
    await asking.pause(pause);
    try {
      const answer = await asking.answer(post("scratch", { name: first[language][0], language, text: text.value }));
      const check = answer.check;
      fill(results,
        h("p", { class: "summary" }, summary(check.summary)),
        h("ul", { class: "findings" }, check.diagnostics.map((/** @type {any} */ d) => finding({ ...d, path: "", message: `${d.start ? `line ${d.start.line}: ` : ""}${d.message}` }))),
        h("h2", {}, "Values"),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values" },
          h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["key", "value", "type"].map((t) => h("th", { scope: "col" }, t)))),
            h("tbody", {}, answer.settings.map((/** @type {any} */ s) => h("tr", {}, h("th", { scope: "row" }, s.key), h("td", {}, s.value), h("td", {}, s.type)))))));
      if (answer.graph) canvas.show(answer.graph, false);
      canvas.hidden = !answer.graph;
    } catch (error) {
      fill(results, h("p", { class: "refused" }, /** @type {Error} */ (error).message));
    }
  };
  const choose = () => {
    language = pick.value;
    text.value = typed[language] ?? first[language][1];
    look(0);
  };
  text.addEventListener("input", () => look(150));
  pick.addEventListener("change", choose);
  pick.value = language;
  fill(into, h("div", { class: "columns even" },
    h("section", {}, h("div", { class: "toolbar" }, h("h2", {}, "Scratch"), pick), text, canvas),
    h("section", {}, results)));
  choose();
}
