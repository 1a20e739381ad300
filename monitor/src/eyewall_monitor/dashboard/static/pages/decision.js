// One decision: the request, the result, the moves or why there are none, and the measured gain.

import { pathTo } from "../api.js";
import { movesTable, rejections } from "../moves.js";
import { html, nothing } from "../lit.js";
import { plural, moment, ms, percent, plain, signed, UNKNOWN } from "../format.js";
import { metricsTable } from "../metrics_table.js";
import { Sites } from "../sites.js";

/** @typedef {import("../../api.d.ts").DecisionView} DecisionView */
/** @typedef {import("../../api.d.ts").MeasuredGain} MeasuredGain */

/** Seconds for which its gain may not have been measured yet. */
const STILL_MEASURED = 1800;

/** @type {import("../routes.js").MakePage} */
export function page(_context, id) {
  let pending = false;
  return {
    title: "Decision",
    needs: ["decision"],
    sources: () => ({
      decision: { path: pathTo(["decisions", id]), changedBy: (topic) => topic === "decisions" || (pending && topic.startsWith("topology/")) },
      cluster: { path: "/cluster", changedBy: () => false },
    }),
    draw: ({ decision: { view }, cluster }) => {
      /** @type {DecisionView} */
      const decision = view;
      const it = decision.summary;
      pending = decision.done && decision.gain.measured_after === null && Date.now() / 1000 - it.at < STILL_MEASURED;
      const sites = new Sites(cluster?.view);
      const caption = decision.done ? "Moves made" : "Moves found but not made";
      return html`<div class="head"><div><p class="crumb"><a href="/decisions">Decisions</a></p>
          <h1>${it.name}: ${it.verdict}</h1><p class="lead"><time datetime=${new Date(it.at * 1000).toISOString()}>${moment(it.at)}</time>, <span class="mono">${it.id}</span></p></div>
          <a class="button" href="/topology/${encodeURIComponent(it.topology)}">Topology</a></div>
        <p class="notice ${decision.done ? "ok" : ""}">${decision.done ? nothing : html`<strong>Nothing moved.</strong> `}${it.said}</p>
        <div class="columns">
          <section class="card" aria-labelledby="moves-title"><h2 id="moves-title">${decision.done ? "Moves" : "Moves found but not made"}</h2>
            ${movesTable(decision.moves, sites, { caption, leftOut: decision.moves_left_out })}</section>
          <section class="card" aria-labelledby="worth-title"><h2 id="worth-title">Objective and metrics</h2>
            ${metricsTable(decision.metrics, { before: "Before", after: decision.done ? "After" : "Found", caption: `By the model; the objective is ${it.objective || "not set"}` })}</section>
          <section class="card" aria-labelledby="gain-title"><h2 id="gain-title">Gain, predicted and measured</h2>${gain(decision.gain)}</section>
          <section class="card" aria-labelledby="who-title"><h2 id="who-title">How it was decided</h2>${origin(decision)}</section>
          <section class="card" aria-labelledby="else-title"><h2 id="else-title">Other moves</h2>${rejections(decision.possible, decision.rejected)}</section>
          <section class="card" aria-labelledby="from-title"><h2 id="from-title">Input data</h2>${inputs(decision)}</section>
        </div>`;
    },
  };
}

/** @param {DecisionView} it */
function origin(it) {
  const { summary } = it;
  if (!summary.policy && !summary.decided_by) return html`<p class="empty">No policy was summary.</p>`;
  return html`<dl class="facts wide">
    <div><dt>Decided by</dt><dd><strong>${summary.decided_by || UNKNOWN}</strong></dd></div>
    <div><dt>Policy</dt><dd>${summary.policy || "–"}</dd></div>
    <div><dt>Objective</dt><dd>${summary.objective || "–"}</dd></div>
    <div><dt>Status</dt><dd>${summary.status || UNKNOWN}</dd></div>
    <div><dt>Gap</dt><dd>${summary.gap === null ? (summary.status === "optimal" ? "0, proven" : UNKNOWN) : percent(summary.gap, 2)}</dd></div>
    <div><dt>Bound</dt><dd>${it.bound !== null ? plain(it.bound) : summary.status === "optimal" ? "–" : "not proven"}</dd></div>
    <div><dt>Time</dt><dd>${it.seconds === null ? UNKNOWN : ms(it.seconds)}</dd></div>
    <div><dt>Evaluated</dt><dd>${it.evaluated === null ? UNKNOWN : plain(it.evaluated)}</dd></div>
    <div><dt>Seed</dt><dd>${it.seed ?? "–"}</dd></div>
    <div><dt>Workers started</dt><dd>${summary.workers_started ?? "none"}${summary.overlaps ? "; old ones serve on meanwhile" : ""}</dd></div>
  </dl>`;
}

/** @param {MeasuredGain} gain */
function gain(gain) {
  const rows = /** @type {const} */ ([
    ["Predicted", gain.predicted_before, gain.predicted_after],
    ["Measured", gain.measured_before, gain.measured_after],
  ]);
  const most = Math.max(1e-9, ...rows.flatMap(([, before, after]) => [before ?? 0, after ?? 0]));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Gain"><table class="dense"><caption>Mean response time in the minutes before and after, without the minute of the move</caption>
    <thead><tr><th scope="col"><span class="visually-hidden">Kind</span></th><th scope="col">Before</th><th scope="col">After</th><th scope="col" class="figure">Change</th></tr></thead>
    <tbody>${rows.map(([name, before, after]) => html`<tr><th scope="row">${name}</th>
      ${[before, after].map((value) => html`<td>${ms(value)}${value === null ? nothing : html`<meter min="0" max=${most} value=${value} aria-label="${name} response time"></meter>`}</td>`)}
      <td class="figure ${before && after !== null ? (after < before ? "better" : after > before ? "worse" : "") : ""}">${before && after !== null ? signed((after / before - 1) * 100, (value) => `${value.toFixed(0)} %`) : "–"}</td></tr>`)}</tbody></table></div>
    ${gain.note ? html`<p class="help">${gain.note}</p>` : nothing}`;
}

/** @param {DecisionView} it */
function inputs(it) {
  return html`<dl class="facts wide">
      <div><dt>Oldest delay</dt><dd>${it.delays_age === null ? UNKNOWN : `${plain(it.delays_age)} s`}</dd></div>
      <div><dt>Least certain delay</dt><dd>${it.delays_confidence === null ? UNKNOWN : percent(it.delays_confidence)}</dd></div>
      <div><dt>Age of rates</dt><dd>${it.rates_age === null ? UNKNOWN : `${plain(it.rates_age)} s`}</dd></div>
      <div><dt>Assignment</dt><dd class="mono">${it.base || "none"}</dd></div>
    </dl>
    ${it.assumptions.length
      ? html`<h3>${plural(it.assumptions.length, "assumption")}</h3><ul class="alerts">${it.assumptions.map((text) => html`<li class="info">${text}</li>`)}</ul>`
      : html`<p class="help">No assumptions were made.</p>`}`;
}
