// What stands around the chart of response times: how far back, in words, and each reassignment.

import { html, nothing } from "./drawing.js";
import { counted, moment, ms } from "./figures.js";

/** @typedef {import("../views.d.ts").ResponseTimeView} ResponseTimeView */

const SPANS = /** @type {const} */ ([[900, "15 min"], [3600, "1 h"], [21600, "6 h"], [86400, "24 h"]]);
const MOST_MARKS = 12;

/** @param {ResponseTimeView|undefined} times @param {number} seconds @param {(seconds: number) => void} lookBack */
export function responseTimeSection(times, seconds, lookBack) {
  return html`<fieldset class="choices"><legend>The last</legend>${SPANS.map(([span, words]) => html`<label><input type="radio" name="span" .checked=${span === seconds} @change=${() => lookBack(span)}>${words}</label>`)}</fieldset>
    ${times?.measured_note ? html`<p class="notice warn">Not measured: ${times.measured_note}</p>` : nothing}
    <div class="time-chart" role="img" aria-label=${times ? inWords(times) : "Response time"}></div>
    ${times ? marks(times) : nothing}`;
}

/** @param {ResponseTimeView} times */
function inWords(times) {
  const said = /** @type {const} */ (["predicted", "measured"]).map((kind) => {
    const values = times[kind].map((it) => it.value).filter((it) => it !== null);
    if (!values.length) return `nothing ${kind}`;
    return `${kind} from ${ms(Math.min(...values))} to ${ms(Math.max(...values))}, ${ms(values[values.length - 1])} at last`;
  });
  return `Response time: ${said.join("; ")}; ${counted(times.reassignments.length, "reassignment")}.`;
}

/** @param {ResponseTimeView} times */
function marks(times) {
  if (!times.reassignments.length) return html`<p class="empty">Nothing was placed or moved in this time.</p>`;
  const numbered = times.reassignments.map((it, index) => ({ ...it, number: index + 1 })).reverse();
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Reassignments"><table class="dense marks"><caption>Reassignments, newest first${numbered.length > MOST_MARKS ? `, ${MOST_MARKS} of ${numbered.length}` : ""}</caption>
    <thead><tr><th scope="col">Mark</th><th scope="col">When</th><th scope="col">Decision</th><th scope="col">Said</th><th scope="col" class="figure">Moves</th></tr></thead>
    <tbody>${numbered.slice(0, MOST_MARKS).map((it) => html`<tr><td>${it.number}</td><td>${moment(it.at)}</td><th scope="row"><a href="/decisions/${encodeURIComponent(it.decision)}">${it.verdict}</a></th><td class="words">${it.said}</td><td class="figure">${it.moves}</td></tr>`)}</tbody></table></div>`;
}
