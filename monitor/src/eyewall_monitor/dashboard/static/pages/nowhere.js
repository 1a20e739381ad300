// A path that no page has.

import { html } from "../drawing.js";

/** @type {import("../routes.js").MakePage} */
export function page(_context, path) {
  return {
    title: "No such page",
    needs: [],
    sources: () => ({}),
    draw: () => html`<h1>No such page</h1>
      <p>There is nothing at <code>${path}</code>. Go to the <a href="/">cluster</a>, its
      <a href="/decisions">decisions</a>, a <a href="/plan">plan</a>, <a href="/provision">what to buy</a> or its <a href="/health">health</a>.</p>`,
  };
}
