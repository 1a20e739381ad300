// Response time and throughput over time, measured and predicted, and the table of reassignments.

import { moment, ms, perSecond, plural } from "../format.js";
import { html, nothing } from "../lit.js";

/** @typedef {import("../../api.d.ts").ResponseTimeView} ResponseTimeView */
/** @typedef {import("../../api.d.ts").ThroughputView} ThroughputView */
/** @typedef {import("./time_chart.js").Curves} Curves */

/** @type {import("./time_chart.js").Axis} */
export const MILLISECONDS = { unit: "ms", factor: 1000, digits: 1 };
/** @type {import("./time_chart.js").Axis} */
export const TUPLES = { unit: "/s", factor: 1, digits: 1 };
const SPANS = /** @type {const} */ ([[900, "15 min"], [3600, "1 h"], [21600, "6 h"], [86400, "24 h"]]);
const MOST_MARKS = 12;

/**
 * The frame of the chart of response time, the choice of its span, and the table of reassignments.
 * @param {ResponseTimeView|undefined} times @param {number} seconds @param {(seconds: number) => void} choose
 */
export function responseTimeSection(times, seconds, choose) {
  return html`<fieldset class="choices"><legend>Last</legend>${SPANS.map(([span, label]) => html`<label><input type="radio" name="span" .checked=${span === seconds} @change=${() => choose(span)}>${label}</label>`)}</fieldset>
    ${times?.measured_note ? html`<p class="notice warn">Not measured: ${times.measured_note}</p>` : nothing}
    <div class="time-chart response-time" role="img" aria-label=${times ? summary("Response time", responseTimeCurves(times), ms) : "Response time"}></div>
    ${times ? marks(times) : nothing}`;
}

/** @param {ThroughputView|undefined} flow */
export function throughputSection(flow) {
  return html`${flow?.measured_note ? html`<p class="notice warn">Not measured: ${flow.measured_note}</p>` : nothing}
    <div class="time-chart throughput" role="img" aria-label=${flow ? summary("Throughput", throughputCurves(flow), perSecond) : "Throughput"}></div>
    <p class="help">Tuples that spouts send, copies included. Predictions begin with the dashboard’s start.</p>`;
}

/** @param {ResponseTimeView} times @returns {Curves} */
export function responseTimeCurves(times) {
  return {
    lines: [
      { label: "R, if hosts were idle", colour: "--muted", points: times.predicted, stepped: true },
      { label: "measured", colour: "--measured", points: times.measured },
    ],
    expected: times.expected,
    reassignments: times.reassignments,
  };
}

/** @param {ThroughputView} flow @returns {Curves} */
export function throughputCurves(flow) {
  return { lines: [{ label: "measured", colour: "--measured", points: flow.measured }], expected: flow.expected, reassignments: [] };
}

/** @param {string} title @param {Curves} curves @param {(value: number|null) => string} format */
function summary(title, { lines, expected, reassignments }, format) {
  const parts = [...lines, { label: "predicted", points: expected }].map(({ label, points }) => {
    const values = points.map((it) => it.value).filter((it) => it !== null);
    if (!values.length) return `${label}: nothing`;
    return `${label} from ${format(Math.min(...values))} to ${format(Math.max(...values))}, now ${format(values[values.length - 1])}`;
  });
  return `${title}: ${parts.join("; ")}${reassignments.length ? `; ${plural(reassignments.length, "reassignment")}` : ""}.`;
}

/** @param {ResponseTimeView} times */
function marks(times) {
  if (!times.reassignments.length) return html`<p class="empty">No executor was placed or moved in this time.</p>`;
  const numbered = times.reassignments.map((it, index) => ({ ...it, number: index + 1 })).reverse();
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Reassignments"><table class="dense marks"><caption>Reassignments, newest first${numbered.length > MOST_MARKS ? `, ${MOST_MARKS} of ${numbered.length}` : ""}</caption>
    <thead><tr><th scope="col">Mark</th><th scope="col">Time</th><th scope="col">Decision</th><th scope="col">Message</th><th scope="col" class="figure">Moves</th></tr></thead>
    <tbody>${numbered.slice(0, MOST_MARKS).map((it) => html`<tr><td>${it.number}</td><td>${moment(it.at)}</td><th scope="row"><a href="/decisions/${encodeURIComponent(it.decision)}">${it.verdict}</a></th><td class="words">${it.said}</td><td class="figure">${it.moves}</td></tr>`)}</tbody></table></div>`;
}
