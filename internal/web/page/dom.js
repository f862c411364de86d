// Elements are made here and nowhere else. Texts become text nodes, never markup,
// so that names, values and logs cannot change the page.

/**
 * h makes an element. Attributes that begin with `on` are listeners; false, null
 * and undefined ones are left out.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|number|null|undefined|false|Array<any>)} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (e).value = value;
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  append(e, children);
  return e;
}

/** @param {Node} e @param {Array<any>} children */
function append(e, children) {
  for (const c of children) {
    if (c === null || c === undefined || c === false) continue;
    if (Array.isArray(c)) append(e, c);
    else e.appendChild(c instanceof Node ? c : document.createTextNode(String(c)));
  }
}

/**
 * fill replaces what an element holds.
 * @param {Element} e
 * @param {...any} children
 */
export function fill(e, ...children) {
  e.replaceChildren();
  append(e, children);
}

/** find is an element of the page that is always there. @param {string} id @returns {any} */
export function find(id) {
  const e = document.getElementById(id);
  if (!e) throw new Error(`the page has no #${id}`);
  return e;
}

/**
 * tell shows a message for a while.
 * @param {string} text
 * @param {"error"|"done"} [kind]
 */
export function tell(text, kind = "error") {
  const box = find("told");
  const line = h("p", { class: kind }, text);
  box.append(line);
  setTimeout(() => line.remove(), 8000);
}

/**
 * ask wants a yes before something is done. While one question is open, another is not asked.
 * @param {string} title
 * @param {string} text
 * @param {string} yes the label of the button that does it
 * @returns {Promise<boolean>}
 */
export function ask(title, text, yes) {
  /** @type {HTMLDialogElement} */
  const dialog = find("ask");
  if (dialog.open) return Promise.resolve(false);
  return new Promise((resolve) => {
    const close = (/** @type {boolean} */ answer) => {
      dialog.close();
      resolve(answer);
    };
    fill(
      dialog,
      h("h2", { id: "ask-title" }, title),
      h("p", {}, text),
      h("p", { class: "buttons" },
        h("button", { type: "button", onclick: () => close(false) }, "Cancel"),
        h("button", { type: "button", class: "primary", onclick: () => close(true) }, yes)),
    );
    dialog.oncancel = () => resolve(false);
    dialog.showModal();
  });
}
