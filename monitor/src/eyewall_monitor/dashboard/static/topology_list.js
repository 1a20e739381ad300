// The list of topologies, and the badges of one.

import { html, nothing } from "./lit.js";
import { ms } from "./format.js";
import { signalMark } from "./signals.js";

/** @typedef {import("../api.d.ts").TopologySummary} TopologySummary */

/** @param {TopologySummary[]} topologies @param {number} at */
export function topologyList(topologies, at) {
  if (!topologies.length) return html`<p class="card empty">No topology is running.</p>`;
  return html`<ul class="cards">${topologies.map((it) => html`<li class="card topology">
    <div class="row spread"><h3><a href="/topology/${encodeURIComponent(it.id)}">${it.name}</a></h3>${badges(it)}</div>
    <dl class="facts wide">
      <div><dt>Response time, predicted</dt><dd class="big">${ms(it.response_time)}</dd></div>
      <div><dt>Response time, measured</dt><dd class="big">${ms(it.measured_response_time)}</dd></div>
      <div><dt>Executors with a slot</dt><dd class=${it.placed < it.executors ? "bad" : ""}>${it.placed} of ${it.executors}</dd></div>
      <div><dt>Workers, hosts</dt><dd>${it.workers} on ${it.hosts}</dd></div>
      <div><dt>Rates</dt><dd>${signalMark(it.rates, at)}</dd></div>
    </dl>
    <p class="status">${it.status}</p>
  </li>`)}</ul>`;
}

/** @param {TopologySummary} it */
export function badges(it) {
  return html`<span class="badges"><span class="badge">${it.mode}</span>
    ${it.policy ? html`<span class="badge">${it.policy}, ${it.objective}</span>` : nothing}
    ${it.frozen ? html`<span class="badge frozen"><span aria-hidden="true">❄ </span>frozen</span>` : nothing}</span>`;
}
