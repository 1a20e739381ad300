// The slowest path, step by step: network delay and processing time.

import { html, svg } from "../lit.js";
import { ms, msNumber } from "../format.js";

/** @typedef {import("../../api.d.ts").PathStepView} PathStepView */

/** @param {PathStepView[]} path @param {import("../sites.js").Sites} sites @param {string} [title] */
export function waterfall(path, sites, title = "The slowest path") {
  if (!path.length) return html`<p class="empty">Unknown: not all executors run, or the topology cannot be modelled.</p>`;
  const whole = path.reduce((sum, it) => sum + it.delay + it.work, 0) || 1;
  let before = 0;
  const rows = path.map((it, index) => {
    const from = before;
    before += it.delay + it.work;
    const part = (/** @type {number} */ seconds) => ((seconds / whole) * 100).toFixed(2);
    return html`<tr><th scope="row">${it.executor}</th><td>${sites.label(it.host)}</td>
      <td class="figure">${index ? msNumber(it.delay) : "–"}</td><td class="figure">${msNumber(it.work)}</td><td class="figure">${msNumber(before)}</td>
      <td class="bar"><svg viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">
        ${svg`<rect class="wait" x=${part(from)} y="2" height="12" width=${part(it.delay)}/><rect class="work" x=${part(from + it.delay)} y="2" height="12" width=${Math.max(0.6, Number(part(it.work)))}/>`}</svg></td></tr>`;
  });
  return html`<div class="scroll waterfall" tabindex="0" role="group" aria-label=${title}><table class="dense">
    <caption>${title}: ${ms(whole)} from source to sink; pale: network, solid: processing</caption>
    <thead><tr><th scope="col">Executor</th><th scope="col">Host</th><th scope="col" class="figure">Delay, ms</th><th scope="col" class="figure">Processing, ms</th>
      <th scope="col" class="figure">Sum, ms</th><th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
