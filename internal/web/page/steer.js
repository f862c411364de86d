// Buttons that start, stop and pause, each with a question before.

import { post } from "./api.js";
import { ask, h, tell } from "./dom.js";
import { folder } from "./folder.js";
import { stream } from "./stream.js";
/** @import { Run } from "../types.js" */

/** goes reports whether a run goes on. @param {Run | undefined} run @returns {run is Run} */
export const goes = (run) => !!run && ["running", "paused", "stopping"].includes(run.state);

/** whose says who runs a run. @param {Run} run */
export function whose(run) {
  const started = new Date(run.started).toLocaleTimeString();
  if (run.node) return `${run.node} of a plan, ${started}`;
  return run.elsewhere ? `another terminal, ${started}` : started;
}

/**
 * act asks and does.
 * @param {string} what
 * @param {any} parameters
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @returns {Promise<any>} null where it was not done
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
 * controls are the buttons of one thing that can be started.
 * @param {import("./life.js").Life} life of the view; what is started after it is not followed there
 * @param {string} path
 * @param {Run | undefined} run the newest run of it, if there is one
 * @param {(run: any) => void} begun is called with a run that was started
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
    const made = await act("start", { path }, title, `\`${name}\` is started on this machine; its results go to a folder beside it.`, "Start");
    if (made) follow(made);
  };
  const button = (/** @type {string} */ label, /** @type {() => any} */ onclick, primary = false) =>
    h("button", { type: "button", class: primary ? "primary" : null, disabled: closed, onclick }, label);
  if (!goes(run)) return [button(run ? "Start again" : "Start", () => start(`Start ${name}?`), true)];
  if (run.state === "stopping") return [h("span", { class: "dim" }, "finishes what is under way")];
  const id = { run: run.id };
  return [
    run.state === "paused"
      ? button("Resume", () => post("resume", id).catch((e) => tell(e.message)))
      : button("Pause", () => post("pause", id).catch((e) => tell(e.message))),
    button("Stop", () => act("stop", id, `Stop ${name}?`, "It ends in good order: what is under way is worked off.", "Stop")),
    run.elsewhere ? null : button("Restart", async () => {
      if (!(await act("stop", id, `Restart ${name}?`, "It is stopped in good order and started again.", "Restart"))) return;
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
