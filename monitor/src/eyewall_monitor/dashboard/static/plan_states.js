// What has become of a plan: proposed → queued → handed over → applied, or refused, or stale.

import { html, nothing } from "./drawing.js";
import { betterOrWorse, counted } from "./figures.js";
import { age } from "./signals.js";

/** @typedef {import("../views.d.ts").PlanView} PlanView */
/** @typedef {import("../views.d.ts").PlanSummaryView} PlanSummaryView */

const WAY = /** @type {const} */ (["proposed", "queued", "handed_over", "applied"]);
export const WORDS = { proposed: "proposed", queued: "queued", handed_over: "handed over", applied: "applied", refused: "refused", stale: "stale" };
const MEANS = {
  proposed: "Nothing was done about it yet.",
  queued: "It goes to Nimbus with its next round.",
  handed_over: "Nimbus has it; the next round tells whether it runs.",
  applied: "Nimbus’s assignment is exactly this plan.",
  refused: "It was refused; nothing was changed.",
  stale: "What runs is no longer what it was computed from.",
};

/** @param {PlanView} plan */
export function onItsWay(plan) {
  return plan.state === "queued" || plan.state === "handed_over";
}

/** What a state means, as sentences. @param {PlanView} plan */
export function meaning(plan) {
  return [MEANS[plan.state], plan.state_reason].filter(Boolean).join(" ");
}

/** @param {PlanView} plan */
export function progressOf(plan) {
  const at = WAY.indexOf(/** @type {typeof WAY[number]} */ (plan.state));
  const failed = at < 0;
  return html`<ol class="steps" aria-label="State of the plan">
    ${WAY.map((it, index) => html`<li class="${index < at ? "done" : index === at ? "now" : ""} ${it === "applied" ? "end" : ""}" aria-current=${index === at ? "step" : nothing}>
      ${WORDS[it]}</li>`)}
    ${failed ? html`<li class="failed now" aria-current="step">${WORDS[plan.state]}</li>` : nothing}
  </ol>`;
}

/** @param {PlanSummaryView[]} plans @param {number} at */
export function planList(plans, at) {
  if (!plans.length) return html`<p class="empty">None. A plan is forgotten some minutes after it was made.</p>`;
  return html`<ol class="history">${plans.map((it) => html`<li><span>${age(it.age, at)} ago</span>
    <span class="badge ${it.state}">${WORDS[it.state]}</span><h3><a href="/plan/${encodeURIComponent(it.id)}">${it.name}<span class="unseen">, plan ${it.id}</span></a></h3>
    <p class="said">${it.policy}, ${it.objective}: ${it.status}${it.gain === null ? "" : `, ${betterOrWorse(it.gain)}`}; ${counted(it.executors_moved, "move")}, ${counted(it.workers_started, "worker")} started</p>
    ${it.state_reason ? html`<p class="more">${it.state_reason}</p>` : nothing}</li>`)}</ol>`;
}
