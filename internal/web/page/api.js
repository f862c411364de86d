// Requests to the server. Its answers are JSON of the shapes that the command line prints.

const token = document.querySelector('meta[name="token"]')?.getAttribute("content") ?? "";

/** @import { Answers, PostAnswers } from "../types.js" */

/**
 * get sends a GET request.
 * @template {string} What
 * @param {What} what
 * @param {Record<string, string> | URLSearchParams} [query]
 * @returns {Promise<What extends keyof Answers ? Answers[What] : any>}
 */
export async function get(what, query = {}) {
  return answer(await fetch(`/api/${what}?${new URLSearchParams(query)}`));
}

/** pairs returns the parameters of a query, in which a name may occur several times. @param {Record<string, any>} of */
export const pairs = (of) => new URLSearchParams(Object.entries(of).flatMap(([k, v]) => [v].flat().filter(Boolean).map((one) => [k, String(one)])));

/**
 * post sends a POST request, to change something or to send a text.
 * @template {string} What
 * @param {What} what
 * @param {any} value
 * @returns {Promise<What extends keyof PostAnswers ? PostAnswers[What] : any>}
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
