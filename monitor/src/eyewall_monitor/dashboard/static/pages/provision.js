// What to buy: the cheapest machines that sustain a throughput, or the supervisors that it needs.

import { html, nothing } from "../drawing.js";
import { ProvisionForm } from "../provision_form.js";
import { provisionResult } from "../provision_result.js";
import { inOrder } from "../sites.js";

/** @typedef {import("../../views.d.ts").ClusterView} ClusterView */

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const form = new ProvisionForm(context);
  return {
    title: "What to buy",
    needs: ["cluster", "catalogues"],
    sources: () => ({
      cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" },
      catalogues: { path: "/catalogues", changedBy: () => false },
    }),
    leave: () => form.end(),
    draw: ({ cluster: { view }, catalogues }) => {
      /** @type {ClusterView} */
      const cluster = view;
      const topologies = [...cluster.topologies].sort((one, other) => inOrder(one.name, other.name));
      return html`<div class="head"><div><h1>What to buy</h1><p class="lead">The cheapest machines that sustain a throughput of a topology, or the supervisors that it can do without.</p></div></div>
        <section class="card" aria-labelledby="ask-title"><h2 id="ask-title">Question</h2>${form.draw(topologies, catalogues.view)}</section>
        ${form.found ? provisionResult(form.found) : nothing}`;
    },
  };
}
