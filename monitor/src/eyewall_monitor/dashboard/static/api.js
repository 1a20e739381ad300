// The JSON API, and nothing else: what is fetched, what is sent, and what goes wrong.

/** @typedef {import("../views.d.ts").Problem} Problem */
/** @typedef {{view: any, at: number}} Answer  What was answered, and when (ms), for ages to count on. */

const BASE = "/api/v1";
const REMEMBERED = 40;

/** What cannot be answered, as sentences for a person. */
export class ApiError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** @type {Map<string, {etag: string, answer: Answer}>} */
const answered = new Map();

/**
 * Fetch a view; one that has not changed comes from memory.
 * @param {string} path  Below /api/v1.
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function read(path, signal) {
  const known = answered.get(path);
  const headers = known ? { "If-None-Match": known.etag } : undefined;
  const response = await reach(path, { headers, signal, cache: "no-store" });
  if (response.status === 304 && known) return known.answer;
  const answer = { view: await content(response), at: Date.now() };
  const etag = response.headers.get("ETag");
  if (etag) remember(path, { etag, answer });
  return answer;
}

/**
 * Send a change, or ask for a plan.
 * @param {"PUT"|"POST"} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function send(method, path, body, signal) {
  const response = await reach(path, {
    method,
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  return { view: await content(response), at: Date.now() };
}

/**
 * The path of a view, its names and values escaped.
 * @param {string[]} parts
 * @param {Record<string, string|number|null|undefined>} [query]  Empty values are left out.
 */
export function pathTo(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/${parts.map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

/** @param {string} path @param {{etag: string, answer: Answer}} what */
function remember(path, what) {
  answered.delete(path);
  answered.set(path, what);
  const oldest = answered.keys().next().value;
  if (answered.size > REMEMBERED && oldest !== undefined) answered.delete(oldest);
}

/** @param {string} path @param {RequestInit} request */
async function reach(path, request) {
  try {
    return await fetch(BASE + path, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError({
      title: "No answer",
      status: 0,
      detail: "The dashboard’s server does not answer. It is asked again as soon as it is back.",
      nearest: [],
    });
  }
}

/** @param {Response} response */
async function content(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new ApiError({
    title: body?.title ?? response.statusText,
    status: response.status,
    detail: typeof body?.detail === "string" ? body.detail : `The server answered ${response.status} and no reason.`,
    nearest: body?.nearest ?? [],
  });
}
