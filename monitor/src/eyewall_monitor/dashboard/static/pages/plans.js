// Dry runs with any policy and objective, the freeze switches, and the limits on moves.

import { html, nothing, repeat } from "../lit.js";
import { compareNames } from "../sites.js";
import { FreezeSwitch, rulesList } from "../switches.js";
import { PlanForm } from "../plan_form.js";
import { planList } from "../plan_state.js";

/** @typedef {import("../../api.d.ts").ClusterView} ClusterView */

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const form = new PlanForm(context);
  const all = new FreezeSwitch(context, null);
  /** @type {Map<string, FreezeSwitch>} */
  const switches = new Map();

  /** @param {{id: string, name: string}} topology */
  function switchOf(topology) {
    const known = switches.get(topology.id) ?? new FreezeSwitch(context, topology);
    switches.set(topology.id, known);
    return known;
  }

  return {
    title: "Plan",
    needs: ["cluster", "policies", "terms"],
    sources: () => ({
      cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" },
      policies: { path: "/policies", changedBy: () => false },
      terms: { path: "/terms", changedBy: () => false },
      plans: { path: "/plans", changedBy: (topic) => topic === "plans" },
    }),
    leave: () => form.end(),
    draw: ({ cluster: { view }, policies, terms, plans }) => {
      /** @type {ClusterView} */
      const cluster = view;
      const topologies = [...cluster.topologies].sort((one, other) => compareNames(one.name, other.name));
      return html`<div class="head"><div><h1>Plan</h1><p class="lead">A dry run moves nothing. Afterwards its result can be applied exactly as it is.</p></div></div>
        <div class="split">
          <section class="card" aria-labelledby="dry-title"><h2 id="dry-title">Dry run</h2>${form.draw(topologies, policies.view, terms.view)}</section>
          <div class="side">
            <section class="card" aria-labelledby="freeze-title"><h2 id="freeze-title">Freeze</h2>
              <ul class="switches"><li>${all.draw(cluster.switches)}</li>${repeat(topologies, (it) => it.id, (it) => html`<li>${switchOf(it).draw(cluster.switches)}</li>`)}</ul></section>
            <section class="card rules" aria-labelledby="rules-title"><h2 id="rules-title">Move limits</h2>
              ${cluster.rules ? rulesList(cluster.rules) : html`<p class="empty">Unknown: the sidecar has not reported them.</p>`}</section>
          </div>
        </div>
        <section class="card" aria-labelledby="plans-title"><h2 id="plans-title">Recent plans</h2>${plans ? planList(plans.view, plans.at) : nothing}</section>`;
    },
  };
}
