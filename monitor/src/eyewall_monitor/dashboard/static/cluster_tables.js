// The cluster as tables: the same data as the map.

import { html, nothing } from "./lit.js";
import { msNumber, percent, plain } from "./format.js";
import { pairs } from "./pairs.js";
import { confidence, signalMark } from "./signals.js";
import { compareNames, NO_SITE } from "./sites.js";

/** @typedef {import("../api.d.ts").ClusterView} ClusterView */
/** @typedef {import("../api.d.ts").SupervisorView} SupervisorView */

const FIRST = 50;
const MOST_PAIRS = 60;
const RANK = { missing: 0, stale: 1, fresh: 2 };

/**
 * @param {ClusterView} cluster @param {import("./sites.js").Sites} sites @param {number} at
 * @param {import("./screen.js").Context} context
 */
export function supervisorsTable(cluster, sites, at, context) {
  const all = context.query().has("all");
  const order = [...cluster.supervisors].sort((one, other) =>
    cluster.supervisors.length > FIRST ? health(one) - health(other) || bySite(one, other) : bySite(one, other));
  const shown = all ? order : order.slice(0, FIRST);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Supervisors"><table>
    <caption>${shown.length < order.length ? `${shown.length} of ${order.length}, problems first` : `All ${order.length}, by site`}</caption>
    <thead><tr><th scope="col">Host</th><th scope="col">Site</th><th scope="col" class="figure">Load</th><th scope="col" class="figure">Slots used</th>
      <th scope="col" class="figure">Executors</th><th scope="col">Topologies</th><th scope="col">Monitor agent</th><th scope="col">Latency agent</th></tr></thead>
    <tbody>${shown.map((it) => html`<tr class=${health(it) < 2 ? "trouble" : ""}><th scope="row">${sites.label(it.host)}${it.drained ? html` <span class="muted">(drained)</span>` : nothing}</th><td>${it.site || NO_SITE}</td>
      <td class="figure">${it.load && it.load.cores ? percent(it.load.cores_busy / it.load.cores) : "unknown"}</td>
      <td class="figure">${it.slots_used} of ${it.slots}</td><td class="figure">${it.executors}</td><td>${it.topologies.join(", ") || "–"}</td>
      <td>${signalMark(it.report, at)}</td><td>${signalMark(it.latency, at)}</td></tr>`)}</tbody></table></div>
    ${shown.length < order.length ? html`<p><a href="/?all=1">Show all ${order.length}</a></p>` : nothing}`;
}

/** @param {ClusterView} cluster @param {import("./sites.js").Sites} sites @param {number} at */
export function delaysTable(cluster, sites, at) {
  const all = pairs(cluster.links);
  const shown = all.slice(0, MOST_PAIRS);
  if (!all.length) return html`<p class="empty">No delays are known.</p>`;
  return html`<div class="scroll tall" tabindex="0" role="group" aria-label="Delays"><table class="dense">
    <caption>One way, in ms; largest errors of the estimate first${shown.length < all.length ? `, ${shown.length} of ${all.length} pairs` : ""}${cluster.all_pairs ? "" : "; only pairs with traffic"}</caption>
    <thead><tr><th scope="col">Hosts</th><th scope="col" class="figure">In use</th><th scope="col" class="figure">Measured</th><th scope="col" class="figure">Estimated</th>
      <th scope="col" class="figure">Error</th><th scope="col" class="figure">Conf.</th><th scope="col">Age</th></tr></thead>
    <tbody>${shown.map((it) => html`<tr><th scope="row">${sites.label(it.one)} <span class="muted">and</span> ${sites.label(it.other)}</th>
      <td class="figure">${delayCell(it.delay)}</td><td class="figure">${delayCell(it.measured)}</td><td class="figure">${delayCell(it.estimated)}</td>
      <td class="figure">${it.error === null ? "–" : `${it.error > 0 ? "+" : "−"}${plain(Math.abs(it.error) * 100)} %`}</td>
      <td class="figure">${confidence(it.signal)}</td><td>${signalMark(it.signal, at)}</td></tr>`)}</tbody></table></div>`;
}

/** @param {number|null} delay */
function delayCell(delay) {
  return delay === null ? "unknown" : msNumber(delay);
}

/** @param {SupervisorView} it */
function health(it) {
  return Math.min(RANK[it.report.state], RANK[it.latency.state]);
}

/** @param {SupervisorView} one @param {SupervisorView} other */
function bySite(one, other) {
  return compareNames(one.site, other.site) || compareNames(one.host, other.host);
}
