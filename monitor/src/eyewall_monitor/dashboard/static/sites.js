// Each site has a colour of its own on all pages, and hosts have their site's. Names say it too.

import { html } from "./drawing.js";

/** @typedef {import("../views.d.ts").ClusterView} ClusterView */

const COLOURS = 8;
export const NO_SITE = "no site";

/** Which host is at which site, and which colour it has. */
export class Sites {
  /** @param {ClusterView|undefined} cluster */
  constructor(cluster) {
    const supervisors = cluster?.supervisors ?? [];
    /** @type {Map<string, string>} */
    this.ofHost = new Map(supervisors.map((it) => [it.host, it.site || NO_SITE]));
    this.names = [...new Set(this.ofHost.values())].sort(inOrder);
    /** @type {Map<string, string>} */
    this.colours = new Map(this.names.map((name, index) => [name, `site-${index % COLOURS}`]));
  }

  /** The class that colours a site. @param {string} site */
  colour(site) {
    return this.colours.get(site || NO_SITE) ?? "site-none";
  }

  /** @param {string|null} host */
  colourOf(host) {
    return host === null ? "site-none" : this.colour(this.ofHost.get(host) ?? "");
  }

  /** A host's name, with its site's colour before it. @param {string|null} host @param {number|null} [port] */
  label(host, port = null) {
    if (!host) return html`<span class="host none">no slot</span>`;
    return html`<span class="host"><span class="swatch ${this.colourOf(host)}" aria-hidden="true"></span>${host}${port ? html`<span class="port">:${port}</span>` : ""}</span>`;
  }
}

/** Names in the order people count: edge-2 before edge-10. @param {string} one @param {string} other */
export function inOrder(one, other) {
  return order.compare(one, other);
}

const order = new Intl.Collator("en", { numeric: true });
