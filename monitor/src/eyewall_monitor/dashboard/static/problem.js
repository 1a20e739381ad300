// Shows an error of the API, with links to similar names.

import { html, nothing } from "./lit.js";

/** @typedef {import("../api.d.ts").Problem} Problem */

/**
 * @param {Problem} problem
 * @param {(name: string) => string} [linkTo]  Where the link of a similar name leads.
 */
export function problemNotice(problem, linkTo = replaceName) {
  return html`<div class="notice bad">
    <p><strong>${problem.title}:</strong> ${problem.detail}</p>
    ${problem.nearest.length
      ? html`<p>Did you mean ${problem.nearest.map(
          (name, index) => html`${index ? " or " : ""}<a href=${linkTo(name)}>${name}</a>`,
        )}?</p>`
      : nothing}
  </div>`;
}

/** This page’s URL with another name. @param {string} name */
function replaceName(name) {
  const parts = location.pathname.split("/");
  if (parts.length < 3) {
    const query = new URLSearchParams(location.search);
    query.set("topology", name);
    return `${location.pathname}?${query}`;
  }
  return [...parts.slice(0, -1), encodeURIComponent(name)].join("/");
}
