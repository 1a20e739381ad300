// Before and after: which executor goes where, and what that does to worker processes.

import { html, nothing } from "./drawing.js";
import { counted } from "./figures.js";
import { inOrder } from "./sites.js";

/** @typedef {import("../views.d.ts").MoveView} MoveView */
/** @typedef {import("../views.d.ts").WorkerChangeView} WorkerChangeView */
/** @typedef {import("../views.d.ts").RejectionView} RejectionView */
/** @typedef {import("./sites.js").Sites} Sites */

const MOST = 200;
const SIGNS = /** @type {const} */ ({
  started: ["sign-plus", "+", "starts"],
  restarted: ["sign-change", "~", "restarts"],
  stopped: ["sign-minus", "−", "stops"],
  unchanged: ["sign-same", "=", "stays as it is"],
});
const RANK = { started: 0, restarted: 1, stopped: 2, unchanged: 3 };

/** @param {MoveView[]} moves @param {Sites} sites @param {{caption: string, leftOut?: number}} words */
export function movesTable(moves, sites, { caption, leftOut = 0 }) {
  if (!moves.length) return html`<p class="empty">No executor changes its place.</p>`;
  const shown = [...moves].sort((one, other) => inOrder(one.executor, other.executor)).slice(0, MOST);
  const rest = moves.length - shown.length + leftOut;
  return html`<div class="scroll tall" tabindex="0" role="group" aria-label=${caption}><table class="dense"><caption>${caption}${rest ? `; ${counted(rest, "more move")} not shown` : ""}</caption>
    <thead><tr><th scope="col"><span class="unseen">Sign</span></th><th scope="col">Executor</th><th scope="col">Before</th><th scope="col"><span class="unseen">to</span></th><th scope="col">After</th></tr></thead>
    <tbody>${shown.map((it) => html`<tr><td>${it.source === null ? mark("sign-plus", "+", "placed") : mark("sign-change", "~", it.source === it.target ? "other worker" : "moved")}</td>
      <th scope="row">${it.executor}</th><td>${it.source ? sites.label(it.source, it.source_port) : html`<span class="muted">nowhere</span>`}</td><td aria-hidden="true">→</td><td>${sites.label(it.target, it.target_port)}</td></tr>`)}</tbody></table></div>`;
}

/** @param {WorkerChangeView[]} workers @param {Sites} sites */
export function workersDifference(workers, sites) {
  const order = [...workers].sort((one, other) => RANK[one.kind] - RANK[other.kind] || inOrder(one.host, other.host) || one.port - other.port);
  const changed = order.filter((it) => it.kind !== "unchanged");
  const same = order.filter((it) => it.kind === "unchanged");
  return html`<ul class="workers">${changed.slice(0, MOST).map((it) => worker(it, sites))}</ul>
    ${same.length ? html`<details><summary>${counted(same.length, "worker")} unchanged</summary><ul class="workers">${same.slice(0, MOST).map((it) => worker(it, sites))}</ul></details>` : nothing}`;
}

/** @param {WorkerChangeView} it @param {Sites} sites */
function worker(it, sites) {
  const [kind, sign, words] = SIGNS[it.kind];
  const stays = it.after.filter((other) => it.before.includes(other));
  const comes = it.after.filter((other) => !it.before.includes(other));
  const goes = it.before.filter((other) => !it.after.includes(other));
  return html`<li class="worker ${it.kind}"><div class="row spread">${sites.label(it.host, it.port)}<span>${mark(kind, sign, "")}${words}</span></div>
    <ul>${comes.map((name) => html`<li>${mark("sign-plus", "+", "comes")}${name}</li>`)}
      ${goes.map((name) => html`<li class="gone">${mark("sign-minus", "−", "goes")}${name}</li>`)}
      ${stays.map((name) => html`<li>${mark("sign-same", "=", "stays")}${name}</li>`)}</ul></li>`;
}

/** @param {string} kind @param {string} sign @param {string} words  For those who hear it. */
function mark(kind, sign, words) {
  return html`<span class=${kind} aria-hidden="true">${sign}</span>${words ? html`<span class="unseen">${words} </span>` : nothing}`;
}

/** @param {number|null} possible @param {RejectionView[]} rejected */
export function rejections(possible, rejected) {
  if (possible === null) return html`<p class="empty">There was no time to look at single moves.</p>`;
  const most = Math.max(1, ...rejected.map((it) => it.moves));
  return html`<p>${counted(possible, "move")} of one executor alone would be possible.</p>
    ${rejected.length
      ? html`<table class="dense"><caption>What forbids the others</caption><thead><tr><th scope="col">Constraint</th><th scope="col" class="figure">Moves</th><th scope="col"><span class="unseen">As a bar</span></th></tr></thead>
        <tbody>${rejected.map((it) => html`<tr><th scope="row">${it.constraint}</th><td class="figure">${it.moves}</td><td><meter min="0" max=${most} value=${it.moves} aria-label="Moves that ${it.constraint} forbids"></meter></td></tr>`)}</tbody></table>`
      : nothing}`;
}
