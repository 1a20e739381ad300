// Moves of executors, and what they change in worker processes.

import { html, nothing } from "./lit.js";
import { plural } from "./format.js";
import { compareNames } from "./sites.js";

/** @typedef {import("../api.d.ts").MoveView} MoveView */
/** @typedef {import("../api.d.ts").WorkerChangeView} WorkerChangeView */
/** @typedef {import("../api.d.ts").RejectionView} RejectionView */
/** @typedef {import("./sites.js").Sites} Sites */

const MOST = 200;
const SIGNS = /** @type {const} */ ({
  started: ["sign-plus", "+", "starts"],
  restarted: ["sign-change", "~", "restarts"],
  stopped: ["sign-minus", "−", "stops"],
  unchanged: ["sign-same", "=", "unchanged"],
});
const RANK = { started: 0, restarted: 1, stopped: 2, unchanged: 3 };

/** @param {MoveView[]} moves @param {Sites} sites @param {{caption: string, leftOut?: number}} options */
export function movesTable(moves, sites, { caption, leftOut = 0 }) {
  if (!moves.length) return html`<p class="empty">No executor moves.</p>`;
  const shown = [...moves].sort((one, other) => compareNames(one.executor, other.executor)).slice(0, MOST);
  const rest = moves.length - shown.length + leftOut;
  return html`<div class="scroll tall" tabindex="0" role="group" aria-label=${caption}><table class="dense"><caption>${caption}${rest ? `; ${plural(rest, "more move")} not shown` : ""}</caption>
    <thead><tr><th scope="col"><span class="visually-hidden">Sign</span></th><th scope="col">Executor</th><th scope="col">Before</th><th scope="col"><span class="visually-hidden">to</span></th><th scope="col">After</th></tr></thead>
    <tbody>${shown.map((it) => html`<tr><td>${it.source === null ? mark("sign-plus", "+", "placed") : mark("sign-change", "~", it.source === it.target ? "other worker" : "moved")}</td>
      <th scope="row">${it.executor}</th><td>${it.source ? sites.label(it.source, it.source_port) : html`<span class="muted">no slot</span>`}</td><td aria-hidden="true">→</td><td>${sites.label(it.target, it.target_port)}</td></tr>`)}</tbody></table></div>`;
}

/** @param {WorkerChangeView[]} workers @param {Sites} sites */
export function workerChanges(workers, sites) {
  const order = [...workers].sort((one, other) => RANK[one.kind] - RANK[other.kind] || compareNames(one.host, other.host) || one.port - other.port);
  const changed = order.filter((it) => it.kind !== "unchanged");
  const same = order.filter((it) => it.kind === "unchanged");
  return html`<ul class="workers">${changed.slice(0, MOST).map((it) => worker(it, sites))}</ul>
    ${same.length ? html`<details><summary>${plural(same.length, "worker")} unchanged</summary><ul class="workers">${same.slice(0, MOST).map((it) => worker(it, sites))}</ul></details>` : nothing}`;
}

/** @param {WorkerChangeView} it @param {Sites} sites */
function worker(it, sites) {
  const [kind, sign, label] = SIGNS[it.kind];
  const kept = it.after.filter((other) => it.before.includes(other));
  const added = it.after.filter((other) => !it.before.includes(other));
  const removed = it.before.filter((other) => !it.after.includes(other));
  return html`<li class="worker ${it.kind}"><div class="row spread">${sites.label(it.host, it.port)}<span>${mark(kind, sign, "")}${label}</span></div>
    <ul>${added.map((name) => html`<li>${mark("sign-plus", "+", "added")}${name}</li>`)}
      ${removed.map((name) => html`<li class="gone">${mark("sign-minus", "−", "removed")}${name}</li>`)}
      ${kept.map((name) => html`<li>${mark("sign-same", "=", "unchanged")}${name}</li>`)}</ul></li>`;
}

/** @param {string} kind @param {string} sign @param {string} label  For screen readers. */
function mark(kind, sign, label) {
  return html`<span class=${kind} aria-hidden="true">${sign}</span>${label ? html`<span class="visually-hidden">${label} </span>` : nothing}`;
}

/** @param {number|null} possible @param {RejectionView[]} rejected */
export function rejections(possible, rejected) {
  if (possible === null) return html`<p class="empty">Single moves were not examined: there was no time.</p>`;
  const most = Math.max(1, ...rejected.map((it) => it.moves));
  return html`<p>${plural(possible, "move")} of a single executor ${possible === 1 ? "is" : "are"} possible.</p>
    ${rejected.length
      ? html`<table class="dense"><caption>What forbids other moves</caption><thead><tr><th scope="col">Constraint</th><th scope="col" class="figure">Moves</th><th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead>
        <tbody>${rejected.map((it) => html`<tr><th scope="row">${it.constraint}</th><td class="figure">${it.moves}</td><td><meter min="0" max=${most} value=${it.moves} aria-label="Moves that ${it.constraint} forbids"></meter></td></tr>`)}</tbody></table>`
      : nothing}`;
}
