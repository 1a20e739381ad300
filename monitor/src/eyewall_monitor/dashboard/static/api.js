// The client of the JSON API.

/** @typedef {import("../api.d.ts").Problem} Problem */
/** @typedef {{view: any, at: number}} Answer  A view and when it arrived (ms), from which ages keep counting. */

const BASE = "/api/v1";
const MOST_CACHED = 40;

/** An error with a message for people. */
export class ApiError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** @type {Map<string, {etag: string, answer: Answer}>} */
const cache = new Map();

/**
 * Fetch a view; an unchanged one comes from the cache.
 * @param {string} path  Below /api/v1.
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function read(path, signal) {
  const known = cache.get(path);
  const headers = known ? { "If-None-Match": known.etag } : undefined;
  const response = await request(path, { headers, signal, cache: "no-store" });
  if (response.status === 304 && known) return known.answer;
  const answer = { view: await parse(response), at: Date.now() };
  const etag = response.headers.get("ETag");
  if (etag) store(path, { etag, answer });
  return answer;
}

/**
 * Send a request that changes something or starts a solver.
 * @param {"PUT"|"POST"} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function send(method, path, body, signal) {
  const response = await request(path, {
    method,
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  return { view: await parse(response), at: Date.now() };
}

/**
 * Return the path of a view with escaped names and values.
 * @param {string[]} parts
 * @param {Record<string, string|number|null|undefined>} [query]  Empty values are left out.
 */
export function pathTo(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/${parts.map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

/** @param {string} path @param {{etag: string, answer: Answer}} entry */
function store(path, entry) {
  cache.delete(path);
  cache.set(path, entry);
  const oldest = cache.keys().next().value;
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
}

/** @param {string} path @param {RequestInit} options */
async function request(path, options) {
  try {
    return await fetch(BASE + path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError({
      title: "No answer",
      status: 0,
      detail: "The dashboard’s server does not answer. This page is updated when it is back.",
      nearest: [],
    });
  }
}

/** @param {Response} response */
async function parse(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new ApiError({
    title: body?.title ?? response.statusText,
    status: response.status,
    detail: typeof body?.detail === "string" ? body.detail : `The server answered ${response.status} without a reason.`,
    nearest: body?.nearest ?? [],
  });
}
