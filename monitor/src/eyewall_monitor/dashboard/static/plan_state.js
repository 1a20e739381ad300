// The state of a plan: proposed → queued → handed over → applied; or refused, or stale.

import { html, nothing } from "./lit.js";
import { gainText, plural } from "./format.js";
import { age } from "./signals.js";

/** @typedef {import("../api.d.ts").PlanView} PlanView */
/** @typedef {import("../api.d.ts").PlanSummaryView} PlanSummaryView */

const STEPS = /** @type {const} */ (["proposed", "queued", "handed_over", "applied"]);
const LABELS = { proposed: "proposed", queued: "queued", handed_over: "handed over", applied: "applied", refused: "refused", stale: "stale" };
const MEANINGS = {
  proposed: "It has not been applied.",
  queued: "Nimbus receives it in its next round.",
  handed_over: "Nimbus has it; the next round shows whether it is in effect.",
  applied: "Nimbus’s assignment is exactly this plan.",
  refused: "It was refused; nothing was changed.",
  stale: "The assignment has changed since it was computed.",
};

/** @param {PlanView} plan */
export function isPending(plan) {
  return plan.state === "queued" || plan.state === "handed_over";
}

/** What the state means, as sentences. @param {PlanView} plan */
export function stateText(plan) {
  return [MEANINGS[plan.state], plan.state_reason].filter(Boolean).join(" ");
}

/** @param {PlanView} plan */
export function planProgress(plan) {
  const at = STEPS.indexOf(/** @type {typeof STEPS[number]} */ (plan.state));
  const failed = at < 0;
  return html`<ol class="steps" aria-label="State of the plan">
    ${STEPS.map((it, index) => html`<li class="${index < at ? "done" : index === at ? "now" : ""} ${it === "applied" ? "end" : ""}" aria-current=${index === at ? "step" : nothing}>
      ${LABELS[it]}</li>`)}
    ${failed ? html`<li class="failed now" aria-current="step">${LABELS[plan.state]}</li>` : nothing}
  </ol>`;
}

/** @param {PlanSummaryView[]} plans @param {number} at */
export function planList(plans, at) {
  if (!plans.length) return html`<p class="empty">No plans. A plan expires some minutes after it is made.</p>`;
  return html`<ol class="history">${plans.map((it) => html`<li><span>${age(it.age, at)} ago</span>
    <span class="badge ${it.state}">${LABELS[it.state]}</span><h3><a href="/plan/${encodeURIComponent(it.id)}">${it.name}<span class="visually-hidden">, plan ${it.id}</span></a></h3>
    <p class="message">${it.policy}, ${it.objective}: ${it.status}${it.gain === null ? "" : `, ${gainText(it.gain)}`}; ${plural(it.executors_moved, "move")}, ${plural(it.workers_started, "worker")} started</p>
    ${it.state_reason ? html`<p class="more">${it.state_reason}</p>` : nothing}</li>`)}</ol>`;
}
