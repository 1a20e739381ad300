// The only module that names the version of lit-html.

import { repeat as untyped } from "./vendor/lit-html-3.3.3/directives/repeat.js";

export { html, nothing, render, svg } from "./vendor/lit-html-3.3.3/lit-html.js";
export { live } from "./vendor/lit-html-3.3.3/directives/live.js";

/** @type {<T>(items: T[], key: (item: T) => unknown, template: (item: T) => unknown) => unknown} */
export const repeat = untyped;
