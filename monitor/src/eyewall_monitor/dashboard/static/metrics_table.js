// A table of the terms and the objective, before and after a change.

import { html, nothing } from "./lit.js";
import { isBetter, metric, signed } from "./format.js";

/** @typedef {import("../api.d.ts").MetricView} MetricView */

/** @param {MetricView[]} metrics @param {{before: string, after: string|null, caption: string}} labels */
export function metricsTable(metrics, labels) {
  if (!metrics.length) return html`<p class="empty">No metrics are known.</p>`;
  const both = labels.after !== null;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${labels.caption}><table class="dense"><caption>${labels.caption}</caption>
    <thead><tr><th scope="col">Metric</th><th scope="col" class="figure">${labels.before}</th>${both ? html`<th scope="col" class="figure">${labels.after}</th><th scope="col" class="figure">Change</th>` : nothing}</tr></thead>
    <tbody>${metrics.map((it) => html`<tr><th scope="row">${it.title}</th><td class="figure">${metric(it, it.before)}</td>
      ${both ? html`<td class="figure">${metric(it, it.after)}</td>${change(it)}` : nothing}</tr>`)}</tbody></table></div>`;
}

/** @param {MetricView} it */
function change(it) {
  if (it.before === null || it.after === null || it.before === 0) return html`<td class="figure">–</td>`;
  const improved = isBetter(it);
  const percentage = signed((it.after / it.before - 1) * 100, (value) => `${value.toFixed(value < 9.95 ? 1 : 0)} %`);
  return html`<td class="figure ${improved === null ? "" : improved ? "better" : "worse"}">${percentage}${improved === null ? nothing : html`<span class="muted"> ${improved ? "better" : "worse"}</span>`}</td>`;
}
