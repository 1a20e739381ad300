// The details of the host that is selected on the map.

import { html, nothing } from "./lit.js";
import { cores, megabytes, ms, msNumber, percent, perSecond } from "./format.js";
import { mergeByHost } from "./hosts.js";
import { confidence, signalMark } from "./signals.js";
import { compareNames, NO_SITE } from "./sites.js";

/** @typedef {import("../api.d.ts").ClusterView} ClusterView */
/** @typedef {import("../api.d.ts").LinkView} LinkView */
/** @typedef {import("../api.d.ts").SupervisorView} SupervisorView */

const MOST_LINKS = 12;

/**
 * @param {ClusterView} cluster @param {string|null} host
 * @param {import("./sites.js").Sites} sites @param {number} at
 */
export function hostPanel(cluster, host, sites, at) {
  const supervisors = cluster.supervisors.filter((other) => other.host === host);
  const [it] = mergeByHost(supervisors);
  if (!it) return html`<section class="card hint" aria-labelledby="host-title"><h2 id="host-title">Host</h2>
    <p>Select a host on the map to see its load, its agents and its delays.</p></section>`;
  const load = it.load;
  return html`<section class="card" aria-labelledby="host-title"><h2 id="host-title">${sites.label(it.host)}</h2>
    <dl class="facts">
      <div><dt>Site</dt><dd>${it.site || NO_SITE}${it.labels.length ? html` <span class="muted">(${it.labels.join(", ")})</span>` : nothing}</dd></div>
      <div><dt>Slots</dt><dd>${it.slots_used} of ${it.slots} used, ${it.executors} executors</dd></div>
      ${it.drained ? html`<div><dt>Drained</dt><dd>nothing is placed here, and what runs here leaves (<code>eyewall undrain ${it.host}</code>)</dd></div>` : nothing}
      ${supervisors.length > 1 ? supervisors.map(supervisorOf) : nothing}
      <div><dt>Cores</dt><dd>${load ? `${load.cores_busy.toFixed(2)} busy of ${cores(load.cores)}` : "load unknown"};
        ${cores(it.cores_requested)} of ${cores(it.cores)} requested</dd></div>
      <div><dt>Memory</dt><dd>${load ? `${megabytes(load.memory_used)} of ${megabytes(load.memory)} used` : "unknown"}</dd></div>
      ${load && (load.stolen > 0.01 || load.throttled > 0.01)
        ? html`<div><dt>Slowed down</dt><dd class="warn">throttled by its quota ${percent(load.throttled)} of the time, ${load.stolen.toFixed(2)} cores stolen</dd></div>`
        : nothing}
      <div><dt>Monitor agent</dt><dd>${signalMark(it.report, at)} ${it.report.note}</dd></div>
      <div><dt>Latency agent</dt><dd>${signalMark(it.latency, at)} ${it.latency.note}</dd></div>
      ${it.position
        ? html`<div><dt>Position</dt><dd>${it.position.source === "coordinates" ? `network coordinate, height ${ms(it.position.height)}` : "derived from the delays"}</dd></div>`
        : nothing}
      <div><dt>Topologies</dt><dd>${it.topologies.join(", ") || "none"}</dd></div>
    </dl>
    ${linksOf(cluster.links, it.host, sites, at)}
  </section>`;
}

/** One of several supervisors of a host. @param {SupervisorView} it */
function supervisorOf(it) {
  return html`<div><dt>Supervisor ${it.id}</dt><dd>${it.slots_used} of ${it.slots} slots used, ${it.executors} executors;
    ${cores(it.cores_requested)} of ${cores(it.cores)} requested; ${it.topologies.join(", ") || "no topology"}</dd></div>`;
}

/** @param {LinkView[]} links @param {string} host @param {import("./sites.js").Sites} sites @param {number} at */
function linksOf(links, host, sites, at) {
  const outgoing = links.filter((it) => it.source === host).sort((one, other) => (other.rate ?? 0) - (one.rate ?? 0) || compareNames(one.target, other.target));
  if (!outgoing.length) return nothing;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Links of ${host}"><table class="dense">
    <caption>From ${host}${outgoing.length > MOST_LINKS ? `, the ${MOST_LINKS} busiest of ${outgoing.length}` : ""}</caption>
    <thead><tr><th scope="col">to</th><th scope="col" class="figure">ms</th><th scope="col" class="figure">tuples/s</th><th scope="col" class="figure">conf.</th><th scope="col">age</th></tr></thead>
    <tbody>${outgoing.slice(0, MOST_LINKS).map((it) => html`<tr><th scope="row">${sites.label(it.target)}</th>
      <td class="figure">${it.delay === null ? "unknown" : msNumber(it.delay)}</td><td class="figure">${it.rate === null ? "–" : perSecond(it.rate).replace(" tuples/s", "")}</td>
      <td class="figure">${confidence(it.signal)}</td><td>${signalMark(it.signal, at)}</td></tr>`)}</tbody></table></div>`;
}
