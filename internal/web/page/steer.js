// Buttons that start, stop and pause. Each asks for confirmation first.

import { post } from "./api.js";
import { ask, h, tell } from "./dom.js";
import { folder } from "./folder.js";
import { stream } from "./stream.js";
/** @import { Run } from "../types.js" */

/** goes reports whether a run is live. @param {Run | undefined} run @returns {run is Run} */
export const goes = (run) => !!run && ["running", "paused", "stopping"].includes(run.state);

/** whose describes what started a run. @param {Run} run */
export function whose(run) {
  const started = new Date(run.started).toLocaleTimeString();
  if (run.node) return `${run.node} of a plan, ${started}`;
  return run.elsewhere ? `another terminal, ${started}` : started;
}

/**
 * act asks for confirmation, then sends the command.
 * @param {string} what
 * @param {any} parameters
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @returns {Promise<any>} null if the user did not confirm, or it failed
 */
export async function act(what, parameters, title, text, yes) {
  if (!(await ask(title, text, yes))) return null;
  try {
    return await post(what, parameters);
  } catch (error) {
    tell(/** @type {Error} */ (error).message);
    return null;
  }
}

/**
 * controls makes the buttons of a file or folder that can be run.
 * @param {import("./life.js").Life} life of the view
 * @param {string} path
 * @param {Run | undefined} run its newest run, if there is one
 * @param {(run: any) => void} begun is called with the started run
 */
export function controls(life, path, run, begun) {
  const name = folder.title(path);
  const closed = folder.now.read_only;
  const follow = (/** @type {any} */ made) => {
    if (life.ended) return;
    stream.follow(made.id);
    begun(made);
  };
  const start = async (/** @type {string} */ title) => {
    const made = await act("start", { path }, title, `\`${name}\` runs on this machine; its results go to a folder beside it.`, "Start");
    if (made) follow(made);
  };
  const button = (/** @type {string} */ label, /** @type {() => any} */ onclick, primary = false) =>
    h("button", { type: "button", class: primary ? "primary" : null, disabled: closed, onclick }, label);
  if (!goes(run)) return [button(run ? "Start again" : "Start", () => start(`Start ${name}?`), true)];
  if (run.state === "stopping") return [h("span", { class: "dim" }, "finishing the data under way")];
  const id = { run: run.id };
  return [
    run.state === "paused"
      ? button("Resume", () => post("resume", id).catch((e) => tell(e.message)))
      : button("Pause", () => post("pause", id).catch((e) => tell(e.message))),
    button("Stop", () => act("stop", id, `Stop ${name}?`, "It ends in order: the data under way are still processed.", "Stop")),
    run.elsewhere ? null : button("Restart", async () => {
      if (!(await act("stop", id, `Restart ${name}?`, "It is stopped in order and started again.", "Restart"))) return;
      const off = stream.on("runs", async (runs) => {
        if (goes(runs.find((/** @type {any} */ r) => r.id === run.id))) return;
        off();
        try {
          follow(await post("start", { path }));
        } catch (error) {
          tell(/** @type {Error} */ (error).message);
        }
      });
    }),
  ];
}
