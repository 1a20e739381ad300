// Provisioning: the cheapest machines, or the fewest supervisors, that sustain a throughput.

import { html, nothing } from "../lit.js";
import { ProvisionForm } from "../provision_form.js";
import { provisionResult } from "../provision_result.js";
import { compareNames } from "../sites.js";

/** @typedef {import("../../api.d.ts").ClusterView} ClusterView */

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const form = new ProvisionForm(context);
  return {
    title: "Provision",
    needs: ["cluster", "catalogues"],
    sources: () => ({
      cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" },
      catalogues: { path: "/catalogues", changedBy: () => false },
    }),
    leave: () => form.end(),
    draw: ({ cluster: { view }, catalogues }) => {
      /** @type {ClusterView} */
      const cluster = view;
      const topologies = [...cluster.topologies].sort((one, other) => compareNames(one.name, other.name));
      return html`<div class="head"><div><h1>Provision</h1><p class="lead">Find the cheapest machines that sustain a topology’s throughput, or the supervisors that it does not need.</p></div></div>
        <section class="card" aria-labelledby="ask-title"><h2 id="ask-title">Request</h2>${form.draw(topologies, catalogues.view)}</section>
        ${form.result ? provisionResult(form.result) : nothing}`;
    },
  };
}
