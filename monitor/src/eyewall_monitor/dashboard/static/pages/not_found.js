// The page for unknown paths.

import { html } from "../lit.js";

/** @type {import("../routes.js").MakePage} */
export function page(_context, path) {
  return {
    title: "Page not found",
    needs: [],
    sources: () => ({}),
    draw: () => html`<h1>Page not found</h1>
      <p>There is no page at <code>${path}</code>. Pages: <a href="/">Cluster</a>, <a href="/decisions">Decisions</a>,
      <a href="/plan">Plan</a>, <a href="/provision">Provision</a>, <a href="/health">Health</a>.</p>`,
  };
}
