// One plan: what it changes, its gain, and its state once it is applied.

import { pathTo } from "../api.js";
import { ApplyDialog } from "../apply_dialog.js";
import { waterfall } from "../charts/waterfall.js";
import { movesTable, rejections, workerChanges } from "../moves.js";
import { html, nothing } from "../lit.js";
import { gainText, plural, metric, moment, percent, plain, UNKNOWN } from "../format.js";
import { metricsTable } from "../metrics_table.js";
import { stateText, isPending, planProgress } from "../plan_state.js";
import { age } from "../signals.js";
import { Sites } from "../sites.js";

/** @typedef {import("../../api.d.ts").PlanView} PlanView */

const LOOK_AGAIN = 2000;

/** @type {import("../routes.js").MakePage} */
export function page(context, id) {
  const dialog = new ApplyDialog(context);
  let state = "";
  let timer = 0;

  /** @param {PlanView} plan */
  function follow(plan) {
    if (state && state !== plan.state) context.announce(`Plan ${plan.state.replace("_", " ")}. ${stateText(plan)}`);
    state = plan.state;
    clearTimeout(timer);
    if (isPending(plan)) timer = window.setTimeout(context.refetch, LOOK_AGAIN);
  }

  return {
    title: "Plan",
    needs: ["plan"],
    sources: () => ({
      plan: { path: pathTo(["plans", id]), changedBy: (topic) => topic === "plans" },
      cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" },
    }),
    leave: () => clearTimeout(timer),
    draw: ({ plan: { view, at }, cluster }) => {
      /** @type {PlanView} */
      const plan = view;
      follow(plan);
      const sites = new Sites(cluster?.view);
      const changes = plan.workers.some((it) => it.kind !== "unchanged");
      const stopped = plan.workers.filter((it) => it.kind === "stopped").length;
      const response = plan.metrics.find((it) => it.name === "R");
      const switches = cluster?.view.switches;
      const frozen = Boolean(switches?.frozen || switches?.frozen_topologies.includes(plan.topology));
      return html`<div class="head"><div><p class="crumb"><a href="/plan">Plan</a></p><h1>Plan for ${plan.name}</h1>
          <p class="lead">${plan.policy}, ${plan.objective}, made ${age(plan.age, at)} ago; expires at ${moment(at / 1000 + plan.expires_in)}</p></div>
          <a class="button" href="/plan?${new URLSearchParams({ topology: plan.topology, policy: plan.policy, objective: plan.objective })}">Plan again</a></div>
        <section class="card" aria-labelledby="state-title"><h2 id="state-title" class="visually-hidden">State</h2>
          ${planProgress(plan)}
          <p class="notice ${plan.state === "applied" ? "ok" : plan.state === "refused" || plan.state === "stale" ? "bad" : ""}">${stateText(plan)}</p>
          ${plan.held_back ? html`<p class="notice warn">The rules would not make this move: ${plan.held_back}.</p>` : nothing}
          ${frozen && plan.state === "proposed" ? html`<p class="notice warn">${plan.name} is frozen: unfreeze it to apply this plan.</p>` : nothing}
          ${dialog.draw(plan, { changes, stopped })}
        </section>
        <dl class="strip">
          <div><dt>Predicted response time</dt><dd class="large">${response ? metric(response, response.after) : UNKNOWN}
            <small>${response?.before != null ? `now ${metric(response, response.before)}` : ""}</small></dd></div>
          <div><dt>Objective</dt><dd class="large">${gainText(plan.gain)}</dd></div>
          <div><dt>Executors moved</dt><dd class="large">${plan.moves.length}</dd></div>
          <div><dt>Workers started</dt><dd class="large">${plan.workers_started} <small>${plan.overlaps ? "old ones serve on meanwhile" : stopped ? `${stopped} stopped` : ""}</small></dd></div>
          <div><dt>Status</dt><dd class="large">${plan.status} <small>${plan.gap ? `gap ${percent(plan.gap, 1)}` : ""}</small></dd></div>
        </dl>
        <section class="card" aria-labelledby="workers-title"><h2 id="workers-title">Workers</h2>
          ${changes ? workerChanges(plan.workers, sites) : html`<p class="empty">No worker changes: nothing better was found.</p>`}</section>
        <div class="columns">
          <section class="card" aria-labelledby="moves-title"><h2 id="moves-title">Moves</h2>${movesTable(plan.moves, sites, { caption: `${plural(plan.moves.length, "executor")} ${plan.moves.length === 1 ? "moves" : "move"}` })}</section>
          <section class="card" aria-labelledby="worth-title"><h2 id="worth-title">Objective and metrics</h2>${metricsTable(plan.metrics, { before: "Now", after: "With the plan", caption: `By the model; the objective is ${plan.objective}` })}</section>
          <section class="card" aria-labelledby="path-title"><h2 id="path-title">The slowest path with the plan</h2>${waterfall(plan.slowest_path, sites, "The slowest path with the plan")}</section>
          <section class="card" aria-labelledby="how-title"><h2 id="how-title">How it was computed</h2>${origin(plan)}</section>
          <section class="card" aria-labelledby="else-title"><h2 id="else-title">Other moves</h2>${rejections(plan.possible, plan.rejected)}</section>
        </div>`;
    },
  };
}

/** @param {PlanView} it */
function origin(it) {
  return html`<dl class="facts wide">
      <div><dt>Decided by</dt><dd><strong>${it.decided_by || UNKNOWN}</strong></dd></div>
      <div><dt>Time</dt><dd>${plain(it.seconds)} s</dd></div>
      <div><dt>Evaluated</dt><dd>${plain(it.evaluated)}</dd></div>
      <div><dt>Bound</dt><dd>${it.bound === null ? "not proven" : plain(it.bound)}</dd></div>
      <div><dt>Seed</dt><dd>${it.seed}</dd></div>
      <div><dt>Oldest delay</dt><dd>${it.delays_age === null ? UNKNOWN : `${plain(it.delays_age)} s`}</dd></div>
      <div><dt>Least certain delay</dt><dd>${it.delays_confidence === null ? UNKNOWN : percent(it.delays_confidence)}</dd></div>
      <div><dt>Age of rates</dt><dd>${it.rates_age === null ? UNKNOWN : `${plain(it.rates_age)} s`}</dd></div>
      <div><dt>Assignment</dt><dd class="mono">${it.base}</dd></div>
    </dl>
    ${it.remarks.length ? html`<h3>Remarks</h3><ul class="alerts">${it.remarks.map((text) => html`<li class="info">${text}</li>`)}</ul>` : nothing}`;
}
