// The cluster at a glance: where everything is, what flows, and what is missing.

import { agreement } from "../charts/agreement.js";
import { ClusterMap } from "../charts/cluster_map.js";
import { delaysTable, supervisorsTable } from "../cluster_tables.js";
import { html, nothing } from "../drawing.js";
import { counted } from "../figures.js";
import { eachHost } from "../hosts.js";
import { hostPanel } from "../host_panel.js";
import { needsALook } from "../needs_a_look.js";
import { signalMark } from "../signals.js";
import { Sites } from "../sites.js";
import { FreezeSwitch } from "../switches.js";
import { topologyList } from "../topology_list.js";

/** @typedef {import("../../views.d.ts").ClusterView} ClusterView */

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const freeze = new FreezeSwitch(context, null);
  const map = new ClusterMap(context.redraw);
  let said = "";

  /** @param {ClusterView} cluster @param {number} at */
  function signals(cluster, at) {
    const hosts = eachHost(cluster.supervisors);
    const reports = hosts.filter((it) => it.report.state === "fresh").length;
    return html`<dl class="strip">
      <div><dt>Sidecar</dt><dd>${signalMark(cluster.sidecar, at)}</dd></div>
      <div><dt>Nimbus’s last round</dt><dd>${signalMark(cluster.nimbus, at)}</dd></div>
      <div><dt>Delays${cluster.delays_source ? ` (${cluster.delays_source})` : ""}</dt><dd>${signalMark(cluster.delays, at)}</dd></div>
      <div><dt>Fresh reports</dt>${cluster.not_configured.includes("zookeeper")
        ? html`<dd class="muted">no ZooKeeper</dd>`
        : html`<dd class=${reports < hosts.length ? "warn" : ""}>${reports} of ${hosts.length}</dd>`}</div>
    </dl>`;
  }

  return {
    title: "Cluster",
    needs: ["cluster"],
    sources: () => ({ cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" || topic.startsWith("topology/") } }),
    drawn: (root) => map.measure(root),
    leave: () => map.end(),
    draw: ({ cluster: { view, at } }) => {
      /** @type {ClusterView} */
      const cluster = view;
      const sites = new Sites(cluster);
      const matters = needsALook(cluster);
      const news = matters.map((it) => it.said).join(" ");
      if (said !== news && said !== "") context.tell(news || "All is well again.");
      said = news || "well";
      return html`<div class="head">
          <div><h1>Cluster</h1>
          <p class="lead">${counted(cluster.supervisors.length, "supervisor")}, ${counted(cluster.topologies.length, "topology").replace("topologys", "topologies")}</p></div>
          ${freeze.draw(cluster.switches)}
        </div>
        ${signals(cluster, at)}
        <div class="split">
          <section class="card" aria-labelledby="map-title">
            <h2 id="map-title">Map</h2>
            ${map.draw(cluster, sites, at)}
          </section>
          <div class="side">
            <section class="card" aria-labelledby="look-title"><h2 id="look-title">Needs a look</h2>
              ${matters.length
                ? html`<ul class="matters">${matters.slice(0, 12).map((it) => html`<li class=${it.state}>${it.said}</li>`)}
                  ${matters.length > 12 ? html`<li>and ${matters.length - 12} more: see the <a href="/health">health</a> of every part</li>` : nothing}</ul>`
                : html`<p class="well">Nothing: every part reports, every executor has a slot.</p>`}
            </section>
            ${hostPanel(cluster, map.selected, sites, at)}
          </div>
        </div>
        <section aria-labelledby="topologies-title"><h2 id="topologies-title">Topologies</h2>
          ${topologyList(cluster.topologies, at)}</section>
        <section class="card" aria-labelledby="supervisors-title"><h2 id="supervisors-title">Supervisors</h2>
          ${supervisorsTable(cluster, sites, at, context)}</section>
        <section class="card" aria-labelledby="delays-title"><h2 id="delays-title">Delays, measured against estimated</h2>
          <div class="split even">${agreement(cluster.links)} ${delaysTable(cluster, sites, at)}</div></section>`;
    },
  };
}
