// All elements are made here. Texts become text nodes, never markup, so that no text
// can change the page.

/**
 * h makes an element. Attributes that begin with `on` are listeners; attributes that are
 * false, null or undefined are left out.
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
 * fill replaces the content of an element.
 * @param {Element} e
 * @param {...any} children
 */
export function fill(e, ...children) {
  e.replaceChildren();
  append(e, children);
}

/** find returns an element that the page always has. @param {string} id @returns {any} */
export function find(id) {
  const e = document.getElementById(id);
  if (!e) throw new Error(`the page has no #${id}`);
  return e;
}

/**
 * tell shows a message for some seconds.
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
 * ask asks the user to confirm an action. While one question is open, no other is asked.
 * @param {string} title
 * @param {string} text
 * @param {string} yes the label of the button that confirms
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
