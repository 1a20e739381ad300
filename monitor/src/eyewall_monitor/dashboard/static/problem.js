// What went wrong, as the sentence that the API says, with the names that were perhaps meant.

import { html, nothing } from "./drawing.js";

/** @typedef {import("../views.d.ts").Problem} Problem */

/**
 * @param {Problem} problem
 * @param {(name: string) => string} [linkTo]  Where a nearest name leads; none: they are text.
 */
export function problemNotice(problem, linkTo = sameWithName) {
  return html`<div class="notice bad">
    <p><strong>${problem.title}:</strong> ${problem.detail}</p>
    ${problem.nearest.length
      ? html`<p>Did you mean ${problem.nearest.map(
          (name, index) => html`${index ? " or " : ""}<a href=${linkTo(name)}>${name}</a>`,
        )}?</p>`
      : nothing}
  </div>`;
}

/** @param {string} name  In the place of the last name of this page's path. */
function sameWithName(name) {
  const parts = location.pathname.split("/");
  if (parts.length < 3) {
    const query = new URLSearchParams(location.search);
    query.set("topology", name);
    return `${location.pathname}?${query}`;
  }
  return [...parts.slice(0, -1), encodeURIComponent(name)].join("/");
}
