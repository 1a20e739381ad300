// Measured against estimated delays: a dot for each pair of hosts.

import { html, svg } from "../lit.js";
import { plural, ms, msNumber, percent } from "../format.js";
import { pairs } from "../pairs.js";

/** @typedef {import("../../api.d.ts").LinkView} LinkView */

const SIDE = 300;
const EDGE = 40;
const FAR_OFF = 0.25;
const MOST_DOTS = 800;

/** @param {LinkView[]} links */
export function delayScatter(links) {
  const known = pairs(links).filter((it) => it.measured !== null && it.estimated !== null && it.error !== null);
  if (!known.length) return html`<p class="empty">No pair of hosts has both a measured and an estimated delay.</p>`;
  const errors = known.map((it) => Math.abs(it.error ?? 0)).sort((a, b) => a - b);
  const median = errors[Math.floor(errors.length / 2)];
  const far = known.filter((it) => Math.abs(it.error ?? 0) > FAR_OFF);
  const most = known.reduce((top, it) => Math.max(top, it.measured ?? 0, it.estimated ?? 0), 0);
  const { step, end } = ticks(most);
  const along = (/** @type {number} */ value) => EDGE + (value / end) * (SIDE - EDGE - 10);
  const up = (/** @type {number} */ value) => SIDE - along(value);
  const first = known[0];
  const summary = `${plural(known.length, "pair")}, median error ${percent(median, 1)}. `
    + `Largest: ${first.one} and ${first.other}, measured ${ms(first.measured)}, estimated ${ms(first.estimated)}.`;
  return html`<figure class="delay-scatter"><svg viewBox="0 0 ${SIDE} ${SIDE}" role="img" aria-label="Measured against estimated delays. ${summary}">
      ${Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step).map((value) => svg`
        <path class="grid" d="M${along(value)} ${up(0)}V${up(end)}M${along(0)} ${up(value)}H${along(end)}"/>
        <text class="tick" x=${along(value)} y=${up(0) + 15}>${msNumber(value).replace(".0", "")}</text>
        <text class="tick end" x=${along(0) - 6} y=${up(value) + 4}>${msNumber(value).replace(".0", "")}</text>`)}
      <path class="same" d="M${along(0)} ${up(0)}L${along(end)} ${up(end)}"/>
      ${known.slice(0, MOST_DOTS).map((it) => svg`<circle class="dot ${Math.abs(it.error ?? 0) > FAR_OFF ? "far" : ""}" r=${known.length > 200 ? 2 : 4}
        cx=${along(it.measured ?? 0).toFixed(1)} cy=${up(it.estimated ?? 0).toFixed(1)}><title>${it.one} and ${it.other}: measured ${ms(it.measured)}, estimated ${ms(it.estimated)}</title></circle>`)}
      <text class="axis" x=${(along(0) + along(end)) / 2} y=${SIDE - 4}>measured, ms one way</text>
      <text class="axis" transform="translate(11 ${(up(0) + up(end)) / 2}) rotate(-90)">estimated, ms</text>
    </svg>
    <figcaption>${summary} ${far.length ? html`<strong>${plural(far.length, "pair")} with an error above ${percent(FAR_OFF)}</strong> (outlined).` : ""}</figcaption></figure>`;
}

/** @param {number} most  In seconds. */
function ticks(most) {
  const rough = (most * 1.05) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((it) => it * power >= rough) ?? 10);
  return { step, end: step * Math.ceil(most / step) };
}
