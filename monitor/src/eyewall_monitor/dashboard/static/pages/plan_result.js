// A plan: what it would change, what that is worth; apply exactly this, and see what becomes of it.

import { pathTo } from "../api.js";
import { ApplyDialog } from "../apply_dialog.js";
import { waterfall } from "../charts/waterfall.js";
import { movesTable, rejections, workersDifference } from "../difference.js";
import { html, nothing } from "../drawing.js";
import { betterOrWorse, counted, metric, moment, percent, plain, UNKNOWN } from "../figures.js";
import { metricsTable } from "../metrics_table.js";
import { meaning, onItsWay, progressOf } from "../plan_states.js";
import { age } from "../signals.js";
import { Sites } from "../sites.js";

/** @typedef {import("../../views.d.ts").PlanView} PlanView */

const LOOK_AGAIN = 2000;

/** @type {import("../routes.js").MakePage} */
export function page(context, id) {
  const dialog = new ApplyDialog(context);
  let state = "";
  let timer = 0;

  /** @param {PlanView} plan */
  function follow(plan) {
    if (state && state !== plan.state) context.tell(`Plan ${plan.state.replace("_", " ")}. ${meaning(plan)}`);
    state = plan.state;
    clearTimeout(timer);
    if (onItsWay(plan)) timer = window.setTimeout(context.refetch, LOOK_AGAIN);
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
      const time = plan.metrics.find((it) => it.name === "R");
      const switches = cluster?.view.switches;
      const frozen = Boolean(switches?.frozen || switches?.frozen_topologies.includes(plan.topology));
      return html`<div class="head"><div><p class="crumb"><a href="/plan">Plan</a></p><h1>Plan for ${plan.name}</h1>
          <p class="lead">${plan.policy}, ${plan.objective}, made ${age(plan.age, at)} ago; remembered until ${moment(at / 1000 + plan.expires_in)}</p></div>
          <a class="button" href="/plan?${new URLSearchParams({ topology: plan.topology, policy: plan.policy, objective: plan.objective })}">Plan anew</a></div>
        <section class="card" aria-labelledby="state-title"><h2 id="state-title" class="unseen">State</h2>
          ${progressOf(plan)}
          <p class="notice ${plan.state === "applied" ? "ok" : plan.state === "refused" || plan.state === "stale" ? "bad" : ""}">${meaning(plan)}</p>
          ${plan.held_back ? html`<p class="notice warn">Unasked, this would not be moved: ${plan.held_back}.</p>` : nothing}
          ${frozen && plan.state === "proposed" ? html`<p class="notice warn">Moves of ${plan.name} are frozen: it cannot be applied until that switch is turned.</p>` : nothing}
          ${dialog.draw(plan, { changes, stopped })}
        </section>
        <dl class="strip">
          <div><dt>Predicted response time</dt><dd class="large">${time ? metric("R", "s", time.after) : UNKNOWN}
            <small>${time?.before != null ? `now ${metric("R", "s", time.before)}` : ""}</small></dd></div>
          <div><dt>By the objective</dt><dd class="large">${betterOrWorse(plan.gain)}</dd></div>
          <div><dt>Executors that move</dt><dd class="large">${plan.moves.length}</dd></div>
          <div><dt>Workers that start</dt><dd class="large">${plan.workers_started} <small>${stopped ? `${stopped} stop` : ""}</small></dd></div>
          <div><dt>Found</dt><dd class="large">${plan.status} <small>${plan.gap ? `gap ${percent(plan.gap, 1)}` : ""}</small></dd></div>
        </dl>
        <section class="card" aria-labelledby="workers-title"><h2 id="workers-title">By worker</h2>
          ${changes ? workersDifference(plan.workers, sites) : html`<p class="empty">No worker changes: it runs as well as was found already.</p>`}</section>
        <div class="columns">
          <section class="card" aria-labelledby="moves-title"><h2 id="moves-title">By executor</h2>${movesTable(plan.moves, sites, { caption: `${counted(plan.moves.length, "executor")} would move` })}</section>
          <section class="card" aria-labelledby="worth-title"><h2 id="worth-title">Objective and metrics</h2>${metricsTable(plan.metrics, { before: "As it runs", after: "With the plan", caption: `By the model; the objective is ${plan.objective}` })}</section>
          <section class="card" aria-labelledby="path-title"><h2 id="path-title">The slowest path with the plan</h2>${waterfall(plan.slowest_path, sites, "The slowest path with the plan")}</section>
          <section class="card" aria-labelledby="how-title"><h2 id="how-title">How it was found</h2>${found(plan)}</section>
          <section class="card" aria-labelledby="else-title"><h2 id="else-title">What else would be possible</h2>${rejections(plan.possible, plan.rejected)}</section>
        </div>`;
    },
  };
}

/** @param {PlanView} it */
function found(it) {
  return html`<dl class="facts wide">
      <div><dt>Decided by</dt><dd><strong>${it.decided_by || UNKNOWN}</strong></dd></div>
      <div><dt>Took</dt><dd>${plain(it.seconds)} s</dd></div>
      <div><dt>Evaluated</dt><dd>${plain(it.evaluated)}</dd></div>
      <div><dt>Bound</dt><dd>${it.bound === null ? "none proven" : plain(it.bound)}</dd></div>
      <div><dt>Seed</dt><dd>${it.seed}</dd></div>
      <div><dt>Oldest delay</dt><dd>${it.delays_age === null ? UNKNOWN : `${plain(it.delays_age)} s`}</dd></div>
      <div><dt>Least certain delay</dt><dd>${it.delays_confidence === null ? UNKNOWN : percent(it.delays_confidence)}</dd></div>
      <div><dt>Rates’ age</dt><dd>${it.rates_age === null ? UNKNOWN : `${plain(it.rates_age)} s`}</dd></div>
      <div><dt>Assignment</dt><dd class="mono">${it.base}</dd></div>
    </dl>
    ${it.remarks.length ? html`<h3>Remarks</h3><ul class="matters">${it.remarks.map((said) => html`<li class="info">${said}</li>`)}</ul>` : nothing}`;
}
