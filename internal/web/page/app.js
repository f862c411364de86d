// The frame of the page: tabs, keys, and the view named by the address.

import { fill, find, h, tell } from "./dom.js";
import { folder } from "./folder.js";
import { Life } from "./life.js";
import { goes } from "./steer.js";
import { stream } from "./stream.js";
import { views } from "./views.js";

let life = new Life();

async function show() {
  const [path, text] = location.hash.replace(/^#\/?/, "").split("?");
  const view = views.find((v) => v.name === path) ?? views[0];
  const mine = (life = life.next());
  for (const tab of document.querySelectorAll("#tabs a")) {
    if (tab.getAttribute("data-view") === view.name) {
      tab.setAttribute("aria-current", "page");
      tab.scrollIntoView({ block: "nearest", inline: "nearest" }); // not all fit on a narrow screen
    } else tab.removeAttribute("aria-current");
  }
  const main = find("main");
  main.dataset.view = view.name;
  try {
    let runs = null; // runs that arrived while the folder was loading; they may be newer
    const off = stream.on("runs", (list) => (runs = list));
    mine.until(off);
    await mine.answer(folder.load());
    off();
    const into = h("div", { class: `view ${view.name}` });
    await view.show(into, new URLSearchParams(text ?? ""), mine);
    if (mine.ended) return;
    fill(main, into);
    main.dataset.ready = view.name;
    if (runs) stream.emit("runs", runs);
  } catch (error) {
    if (mine.ended) return;
    fill(main, h("section", { class: "view card failed" }, h("h2", {}, "This view cannot be shown"), h("p", {}, /** @type {Error} */ (error).message)));
    main.dataset.ready = view.name;
  }
}

function state(/** @type {any[]} */ runs) {
  const going = runs.filter((r) => goes(r) && !r.launch); // the pipelines of a plan run with it
  fill(find("state"), going.length === 0 ? "no live run" : going.map((r) => h("span", { class: `chip ${r.state}` }, `${folder.title(r.path)} ${r.state}`)));
}

fill(find("tabs"), views.filter((v) => v.key).map((v) => h("a", { href: `#/${v.name}`, "data-view": v.name, title: `${v.title} (key ${v.key})` }, v.title)));
stream.on("runs", state);
stream.on("gone", (text) => tell(text));
window.addEventListener("hashchange", show);
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
  const view = views.find((v) => v.key === event.key);
  if (view) location.hash = `#/${view.name}`;
});
stream.open();
show();
