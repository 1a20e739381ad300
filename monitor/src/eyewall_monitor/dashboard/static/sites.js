// Colours of sites: the same on all pages, and never the only mark of a site.

import { html } from "./lit.js";

/** @typedef {import("../api.d.ts").ClusterView} ClusterView */

const COLOURS = 8;
export const NO_SITE = "no site";

/** The site and colour of each host. */
export class Sites {
  /** @param {ClusterView|undefined} cluster */
  constructor(cluster) {
    const supervisors = cluster?.supervisors ?? [];
    /** @type {Map<string, string>} */
    this.ofHost = new Map(supervisors.map((it) => [it.host, it.site || NO_SITE]));
    this.names = [...new Set(this.ofHost.values())].sort(compareNames);
    /** @type {Map<string, string>} */
    this.colours = new Map(this.names.map((name, index) => [name, `site-${index % COLOURS}`]));
  }

  /** The CSS class of a site’s colour. @param {string} site */
  colour(site) {
    return this.colours.get(site || NO_SITE) ?? "site-none";
  }

  /** @param {string|null} host */
  colourOf(host) {
    return host === null ? "site-none" : this.colour(this.ofHost.get(host) ?? "");
  }

  /** A host’s name after a swatch of its site’s colour. @param {string|null} host @param {number|null} [port] */
  label(host, port = null) {
    if (!host) return html`<span class="host none">no slot</span>`;
    return html`<span class="host"><span class="swatch ${this.colourOf(host)}" aria-hidden="true"></span>${host}${port ? html`<span class="port">:${port}</span>` : ""}</span>`;
  }
}

/** Compare names naturally: edge-2 before edge-10. @param {string} one @param {string} other */
export function compareNames(one, other) {
  return order.compare(one, other);
}

const order = new Intl.Collator("en", { numeric: true });
