// Maps paths to pages. A page’s module is loaded when the page is first opened.

/** @typedef {import("./screen.js").Page} Page */
/** @typedef {import("./screen.js").Context} Context */
/** @typedef {(context: Context, name: string) => Page} MakePage */

/** @type {[RegExp, () => Promise<{page: MakePage}>][]} */
const ROUTES = [
  [/^\/(?:cluster)?$/, () => import("./pages/cluster.js")],
  [/^\/topology\/([^/]+)$/, () => import("./pages/topology.js")],
  [/^\/decisions$/, () => import("./pages/decisions.js")],
  [/^\/decisions\/([^/]+)$/, () => import("./pages/decision.js")],
  [/^\/plan$/, () => import("./pages/plans.js")],
  [/^\/plan\/([^/]+)$/, () => import("./pages/plan.js")],
  [/^\/provision$/, () => import("./pages/provision.js")],
  [/^\/health$/, () => import("./pages/health.js")],
];

/**
 * Return the function that makes the page of a path.
 * @param {string} path
 * @returns {Promise<{make: MakePage, name: string}>}
 */
export async function pageOf(path) {
  for (const [pattern, load] of ROUTES) {
    const found = pattern.exec(path);
    const name = found && decode(found[1] ?? "");
    if (found && name !== null) return { make: (await load()).page, name };
  }
  return { make: (await import("./pages/not_found.js")).page, name: path };
}

/** Decode a name in a path; null if it is malformed. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * Return the navigation link that a path belongs to.
 * @param {string} path
 */
export function sectionOf(path) {
  const first = path.split("/")[1];
  return first === "topology" || first === "cluster" ? "/" : `/${first}`;
}
