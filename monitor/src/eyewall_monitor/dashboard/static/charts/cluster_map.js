// The map of the cluster: hosts at their network coordinates, with load, delays and traffic.

import { html, nothing, repeat, svg } from "../lit.js";
import { mergeByHost } from "../hosts.js";
import { msNumber, percent, perSecondShort } from "../format.js";
import { pairs } from "../pairs.js";
import { worst } from "../signals.js";
import { NO_SITE } from "../sites.js";
import { LabelPlacement, textWidth } from "./labels.js";
import { hull, MapLayout } from "./map_layout.js";

/** @typedef {import("../../api.d.ts").ClusterView} ClusterView */
/** @typedef {import("../../api.d.ts").SupervisorView} SupervisorView */
/** @typedef {import("./map_layout.js").Point} Point */
/** @typedef {import("../pairs.js").Pair} Pair */

const MOST_LINKS = 250;
const CROWD = 60;
const NARROW = 560;
/** Pixels below the map, for its scale. */
const FOOT = 24;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ALONG = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72];

export class ClusterMap {
  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
    this.layout = new MapLayout();
    this.width = 0;
    /** @type {string|null} */
    this.selected = null;
    /** The host that Tab focuses. @type {string|null} */
    this.focused = null;
    /** @type {"traffic"|"all"|"none"} */
    this.links = "traffic";
    /** @type {Map<string, Point>} */
    this.places = new Map();
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    /** @type {Element|null} */
    this.observed = null;
  }

  /** Observe the width of the drawn map. @param {HTMLElement} root */
  measure(root) {
    const frame = root.querySelector(".map");
    if (!frame || frame === this.observed) return;
    this.observed = frame;
    this.observer.disconnect();
    this.observer.observe(frame);
    this.resized(frame.clientWidth);
  }

  end() {
    this.observer.disconnect();
  }

  /** @param {number} width */
  resized(width) {
    if (Math.abs(width - this.width) < 1) return;
    this.width = width;
    this.redraw();
  }

  /** @param {ClusterView} cluster @param {import("../sites.js").Sites} sites @param {number} at */
  draw(cluster, sites, at) {
    return html`<div class="map">${this.width ? this.picture(cluster, sites, at) : nothing}</div>`;
  }

  /** @param {ClusterView} cluster @param {import("../sites.js").Sites} sites @param {number} at */
  picture(cluster, sites, at) {
    const hosts = mergeByHost(cluster.supervisors);
    const crowded = hosts.length > CROWD;
    const width = this.width;
    const margin = crowded ? 30 : width < NARROW ? 54 : 62;
    const most = Math.round(width < NARROW ? width * 1.5 : Math.min(560, width * 0.62));
    const height = this.layout.heightFor(hosts, { width, margin, least: 300, most });
    const radius = crowded ? 5 : 15;
    const room = { width, height, margin, apart: crowded ? 12 : 76 };
    this.places = this.layout.places(hosts, room);
    const all = pairs(cluster.links).filter((it) => this.places.has(it.one) && this.places.has(it.other));
    const drawn = this.chosenLinks(all);
    const labels = new LabelPlacement();
    if (!crowded) for (const it of this.places.values()) labels.occupy(it.x, it.y + 14, 72, 70);
    this.focused = hosts.some((it) => it.host === this.focused) ? this.focused : (hosts[0]?.host ?? null);
    const byPosition = hosts.some((it) => it.position) && this.layout.pixelsPerSecond;
    const names = sites.names.map((site) => this.siteName(site, hosts, labels, crowded));
    const whole = height + (byPosition ? FOOT : 0);
    return html`${this.choices(all.length, drawn.length)}
      <svg class="cluster-map ${crowded ? "crowded" : ""}" viewBox="0 0 ${width} ${whole}" width=${width} height=${whole} role="group"
        aria-label="Map of ${cluster.supervisors.length} supervisors; arrow keys move between hosts, Enter selects one. The tables below have the same data."
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.key(event)}>
        <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/><path class="hatch-line" d="M0 0V6"/></pattern></defs>
        <g aria-hidden="true">${sites.names.map((site) => this.siteHull(site, hosts, sites, crowded))}</g>
        <g aria-hidden="true">${this.lines(drawn, labels, crowded)}</g>
        <g aria-hidden="true">${names}</g>
        ${repeat(hosts, (it) => it.host, (it) => this.host(it, sites, radius, crowded))}
        ${byPosition ? scaleBar(/** @type {number} */ (this.layout.pixelsPerSecond), whole) : nothing}
      </svg>
      ${legend(crowded, Boolean(byPosition))}`;
  }

  /** @param {Pair[]} all */
  chosenLinks(all) {
    if (this.selected && this.places.has(this.selected)) {
      return all.filter((it) => it.one === this.selected || it.other === this.selected).slice(0, MOST_LINKS);
    }
    if (this.links === "none") return [];
    const wanted = this.links === "all" ? all : all.filter((it) => it.rate);
    return [...wanted].sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0)).slice(0, MOST_LINKS);
  }

  /** @param {number} known @param {number} drawn */
  choices(known, drawn) {
    const choice = (/** @type {"traffic"|"all"|"none"} */ links, /** @type {string} */ label) =>
      html`<label><input type="radio" name="links" .checked=${this.links === links && !this.selected} @change=${() => this.choose(links)}>${label}</label>`;
    return html`<fieldset class="choices"><legend>Links</legend>
      ${choice("traffic", "with traffic")} ${choice("all", "all")} ${choice("none", "none")}
      <span class="muted">${this.selected ? `links of ${this.selected}` : `${drawn} of ${known} shown`}</span>
      ${this.selected ? html`<button type="button" class="quiet" @click=${() => this.select(null)}>Deselect ${this.selected}</button>` : nothing}</fieldset>`;
  }

  /** @param {"traffic"|"all"|"none"} links */
  choose(links) {
    this.links = links;
    this.selected = null;
    this.redraw();
  }

  /** @param {string|null} host */
  select(host) {
    this.selected = host === this.selected ? null : host;
    if (host) this.focused = host;
    this.redraw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape" && this.selected) return this.select(null);
    if ((event.key === "Enter" || event.key === " ") && this.focused) {
      event.preventDefault();
      return this.select(this.focused);
    }
    const way = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    const from = this.focused ? this.places.get(this.focused) : undefined;
    if (!way || !from) return;
    event.preventDefault();
    let best = Infinity;
    let next = this.focused;
    for (const [host, to] of this.places) {
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const ahead = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (ahead > 0 && ahead + 2 * aside < best) [best, next] = [ahead + 2 * aside, host];
    }
    this.focused = next;
    this.redraw();
    const svgRoot = /** @type {SVGElement} */ (event.currentTarget);
    requestAnimationFrame(() => requestAnimationFrame(() => /** @type {SVGElement|null} */ (svgRoot.querySelector(".node[tabindex='0']"))?.focus()));
  }

  /** @param {string} site @param {SupervisorView[]} hosts @param {import("../sites.js").Sites} sites @param {boolean} crowded */
  siteHull(site, hosts, sites, crowded) {
    const points = hull(this.placesOf(site, hosts));
    if (!points.length || site === NO_SITE) return nothing;
    const path = points.map((it) => `${it.x.toFixed(1)} ${it.y.toFixed(1)}`).join("L");
    return svg`<path class="site-hull ${sites.colour(site)}" stroke-width=${crowded ? 26 : 68} d="M${path}Z"/>`;
  }

  /** @param {string} site @param {SupervisorView[]} hosts @param {LabelPlacement} labels @param {boolean} crowded */
  siteName(site, hosts, labels, crowded) {
    const points = this.placesOf(site, hosts);
    if (!points.length || site === NO_SITE) return nothing;
    const x = points.reduce((sum, it) => sum + it.x, 0) / points.length;
    const away = crowded ? 18 : 40;
    const [top, bottom] = [Math.min(...points.map((it) => it.y)) - away, Math.max(...points.map((it) => it.y)) + away + (crowded ? 0 : 24)];
    const place = labels.place(site, [{ x, y: Math.max(10, top) }, { x, y: bottom }, { x: x - 40, y: top }, { x: x + 40, y: top }]) ?? (crowded ? null : { x, y: Math.max(10, top) });
    return place ? svg`<text class="site-name" x=${place.x.toFixed(1)} y=${(place.y + 4).toFixed(1)}>${site}</text>` : nothing;
  }

  /** @param {string} site @param {SupervisorView[]} hosts */
  placesOf(site, hosts) {
    return hosts.filter((it) => (it.site || NO_SITE) === site).map((it) => this.places.get(it.host)).filter((it) => it !== undefined);
  }

  /** @param {Pair[]} drawn @param {LabelPlacement} labels @param {boolean} crowded */
  lines(drawn, labels, crowded) {
    const most = Math.max(1e-9, ...drawn.map((it) => it.rate ?? 0));
    const segments = drawn.map((it) => {
      const from = /** @type {Point} */ (this.places.get(it.one));
      const to = /** @type {Point} */ (this.places.get(it.other));
      return { it, from, to, width: it.rate ? 1.2 + 7 * Math.sqrt(it.rate / most) : 1 };
    });
    const lines = segments.map(({ it, from, to, width }) => svg`<path class="link ${it.rate ? "flows" : ""} ${it.signal.state}" stroke-width=${(crowded ? width / 2 : width).toFixed(1)}
      d="M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}"/>`);
    if (crowded && !this.selected) return lines;
    const texts = segments.map(({ it, from, to }) => {
      const text = `${it.delay === null ? "?" : msNumber(it.delay)} ms${it.rate ? ` · ${perSecondShort(it.rate)}` : ""}`;
      const place = labels.place(text, ALONG.map((t) => ({ x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t })));
      return place ? svg`<g transform="translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})"><rect class="label-ground" x=${-textWidth(text) / 2 - 3} y="-8" width=${textWidth(text) + 6} height="16" rx="4"/><text class="link-label" y="4">${text}</text></g>` : nothing;
    });
    return [lines, texts];
  }

  /** @param {SupervisorView} it @param {import("../sites.js").Sites} sites @param {number} radius @param {boolean} crowded */
  host(it, sites, radius, crowded) {
    const place = /** @type {Point} */ (this.places.get(it.host));
    const state = worst([it.report, it.latency]).state;
    const share = it.load && it.load.cores ? Math.min(1, it.load.cores_busy / it.load.cores) : null;
    const load = share === null ? "load unknown" : `${percent(share)} busy`;
    const trouble = state === "fresh" ? "" : it.report.state === "missing" ? "no report" : it.report.state === "stale" ? "late report" : `delays ${it.latency.state}`;
    const chosen = it.host === this.selected;
    const label = `${it.host}, ${it.site || NO_SITE}: ${load}, ${it.executors} executors, ${it.slots_used} of ${it.slots} slots used${trouble ? `, ${trouble}` : ""}`;
    const r = crowded && state !== "fresh" ? radius + 2 : radius;
    return svg`<g class="node ${state} ${sites.colour(it.site)} ${chosen ? "chosen" : ""}" transform="translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})"
      role="button" tabindex=${it.host === this.focused ? 0 : -1} aria-pressed=${chosen ? "true" : "false"} aria-label=${label}
      @click=${() => this.select(it.host)}>
      <title>${label}</title>
      <circle class="reach" r=${r + 9}/>
      <circle class="body" r=${r}/>
      ${crowded ? nothing : svg`<circle class="ring" r=${r + 4}/>
        ${share === null ? nothing : svg`<circle class="load ${share > 0.9 ? "over" : share > 0.7 ? "high" : ""}" r=${r + 4} pathLength="100" stroke-dasharray="${(share * 100).toFixed(0)} 100" transform="rotate(-90)"/>`}
        <text class="count" y="5">${it.executors}</text>
        <text class="name" y=${r + 20}>${it.host}</text>
        <text class="sub ${trouble ? "trouble" : ""}" y=${r + 34}>${trouble || load}</text>`}
    </g>`;
  }
}

/** @param {number} pixelsPerSecond @param {number} height */
function scaleBar(pixelsPerSecond, height) {
  // Distances on the map are round trips; the label is one way, as everywhere else.
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
  const step = steps.find((it) => it * 2 * pixelsPerSecond > 40) ?? 1;
  const length = step * 2 * pixelsPerSecond;
  return svg`<g class="scale" aria-hidden="true" transform="translate(10 ${height - 10})"><path d="M0 -5V0H${length.toFixed(1)}V-5"/><text x=${(length + 6).toFixed(1)} y="1">${step * 1000} ms one way</text></g>`;
}

/** @param {boolean} crowded @param {boolean} byPosition */
function legend(crowded, byPosition) {
  return html`<p class="legend">${byPosition ? "Distance is delay; overlapping hosts are moved apart." : "No positions are known: hosts are grouped by site."}
    ${crowded ? "Each dot is a host" : "The number in a host is its executors, the ring its load"}; the width of a line is its traffic.
    <span class="key hatched" aria-hidden="true"></span> hatched: a signal is stale, <span class="key dashed" aria-hidden="true"></span> dashed: missing.</p>`;
}
