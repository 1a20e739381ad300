// The one place that names the drawing library's version.
export { html, nothing, render, svg } from "./vendor/lit-html-3.3.3/lit-html.js";
export { live } from "./vendor/lit-html-3.3.3/directives/live.js";
export { repeat } from "./vendor/lit-html-3.3.3/directives/repeat.js";
