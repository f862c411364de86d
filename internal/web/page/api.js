// The answers of the server: JSON of the shapes that the command line prints.

const token = document.querySelector('meta[name="token"]')?.getAttribute("content") ?? "";

/**
 * get asks for something.
 * @param {string} what
 * @param {Record<string, string>} [query]
 * @returns {Promise<any>}
 */
export async function get(what, query = {}) {
  return answer(await fetch(`/api/${what}?${new URLSearchParams(query)}`));
}

/**
 * post changes something, or sends a text.
 * @param {string} what
 * @param {any} value
 * @returns {Promise<any>}
 */
export async function post(what, value) {
  return answer(await fetch(`/api/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Pentode-Token": token },
    body: JSON.stringify(value),
  }));
}

/** @param {Response} response */
async function answer(response) {
  const value = await response.json();
  if (!response.ok) throw new Error(value.error ?? "the server does not answer");
  return value;
}
