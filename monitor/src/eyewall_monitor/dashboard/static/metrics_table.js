// R, A, T, N, EE and the objective: as it is, and with what was found.

import { html, nothing } from "./drawing.js";
import { better, metric, metricName, signed } from "./figures.js";

/** @typedef {import("../views.d.ts").MetricView} MetricView */

/** @param {MetricView[]} metrics @param {{before: string, after: string|null, caption: string}} words */
export function metricsTable(metrics, words) {
  if (!metrics.length) return html`<p class="empty">No metric is known.</p>`;
  const both = words.after !== null;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${words.caption}><table class="dense"><caption>${words.caption}</caption>
    <thead><tr><th scope="col">Metric</th><th scope="col" class="figure">${words.before}</th>${both ? html`<th scope="col" class="figure">${words.after}</th><th scope="col" class="figure">Change</th>` : nothing}</tr></thead>
    <tbody>${metrics.map((it) => html`<tr><th scope="row">${metricName(it.name)}</th><td class="figure">${metric(it.name, it.unit, it.before)}</td>
      ${both ? html`<td class="figure">${metric(it.name, it.unit, it.after)}</td>${change(it)}` : nothing}</tr>`)}</tbody></table></div>`;
}

/** @param {MetricView} it */
function change(it) {
  if (it.before === null || it.after === null || it.before === 0) return html`<td class="figure">–</td>`;
  const good = better(it.name, it.before, it.after);
  const words = signed((it.after / it.before - 1) * 100, (value) => `${value.toFixed(value < 9.95 ? 1 : 0)} %`);
  return html`<td class="figure ${good === null ? "" : good ? "better" : "worse"}">${words}${good === null ? nothing : html`<span class="muted"> ${good ? "better" : "worse"}</span>`}</td>`;
}
