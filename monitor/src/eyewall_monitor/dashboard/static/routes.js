// Which page a path shows. Modules are fetched when their page is first looked at.

/** @typedef {import("./screen.js").Page} Page */
/** @typedef {import("./screen.js").Context} Context */
/** @typedef {(context: Context, name: string) => Page} MakePage */

/** @type {[RegExp, () => Promise<{page: MakePage}>][]} */
const ROUTES = [
  [/^\/(?:cluster)?$/, () => import("./pages/cluster.js")],
  [/^\/topology\/([^/]+)$/, () => import("./pages/topology.js")],
  [/^\/decisions$/, () => import("./pages/decisions.js")],
  [/^\/decisions\/([^/]+)$/, () => import("./pages/decision.js")],
  [/^\/plan$/, () => import("./pages/plan.js")],
  [/^\/plan\/([^/]+)$/, () => import("./pages/plan_result.js")],
  [/^\/provision$/, () => import("./pages/provision.js")],
  [/^\/health$/, () => import("./pages/health.js")],
];

/**
 * What makes the page of a path.
 * @param {string} path
 * @returns {Promise<{make: MakePage, name: string}>}
 */
export async function pageOf(path) {
  for (const [pattern, load] of ROUTES) {
    const found = pattern.exec(path);
    const name = found && decoded(found[1] ?? "");
    if (found && name !== null) return { make: (await load()).page, name };
  }
  return { make: (await import("./pages/nowhere.js")).page, name: path };
}

/** A name as it stands in a path; null if nobody can have meant it. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * The link of the navigation that a path belongs to.
 * @param {string} path
 */
export function sectionOf(path) {
  const first = path.split("/")[1];
  return first === "topology" || first === "cluster" ? "/" : `/${first}`;
}
