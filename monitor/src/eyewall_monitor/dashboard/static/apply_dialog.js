// Applies a plan after a confirmation.

import { ApiError, pathTo, send } from "./api.js";
import { html, nothing } from "./lit.js";
import { plural } from "./format.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../api.d.ts").PlanView} PlanView */

export class ApplyDialog {
  /** @param {import("./screen.js").Context} context */
  constructor(context) {
    this.context = context;
    this.busy = false;
    /** @type {ApiError|null} */
    this.problem = null;
  }

  /** @param {PlanView} plan @param {{changes: boolean, stopped: number}} effect */
  draw(plan, { changes, stopped }) {
    if (plan.state !== "proposed" && !this.problem) return nothing;
    return html`${this.problem ? html`<div role="alert">${problemNotice(this.problem.problem)}</div>` : nothing}
      ${plan.state === "proposed" ? html`<button type="button" class="main" ?disabled=${!changes || this.busy} @click=${this.open}>${this.busy ? "Applying …" : "Apply this plan …"}</button>` : nothing}
      ${changes ? nothing : html`<span class="muted">There is nothing to apply.</span>`}
      <dialog aria-labelledby="apply-title">
        <h2 id="apply-title">Apply this plan to ${plan.name}?</h2>
        <p>${plural(plan.moves.length, "executor")} will move. ${plural(plan.workers_started, "worker process", "worker processes")} will start${stopped ? `, ${stopped} will stop` : ""}. ${plan.overlaps ? "Old ones serve on until new ones carry tuples." : "Their executors process nothing in the meantime."}</p>
        ${plan.held_back ? html`<p class="notice warn">The rules would not make this move (${plan.held_back}). Applying it makes it anyway.</p>` : nothing}
        <p>If the cluster has changed since the plan was made, nothing is moved and the plan says why.</p>
        <form method="dialog" class="row"><button type="button" class="main" @click=${(/** @type {Event} */ event) => this.apply(event, plan)}>Apply</button>
          <button value="no" autofocus>Cancel</button></form>
      </dialog>`;
  }

  /** @param {Event} event */
  open = (event) => {
    const card = /** @type {HTMLElement} */ (event.currentTarget).parentElement;
    /** @type {HTMLDialogElement|null|undefined} */ (card?.querySelector("dialog"))?.showModal();
  };

  /** @param {Event} event @param {PlanView} plan */
  async apply(event, plan) {
    /** @type {HTMLDialogElement|null} */ (/** @type {HTMLElement} */ (event.currentTarget).closest("dialog"))?.close();
    this.busy = true;
    this.problem = null;
    this.context.redraw();
    try {
      await send("POST", pathTo(["plans", plan.id, "apply"]));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error;
    }
    this.busy = false;
    this.context.refetch();
    this.context.redraw();
  }
}
