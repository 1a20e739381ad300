// The cluster: map, alerts, topologies, supervisors and delays.

import { delayScatter } from "../charts/delay_scatter.js";
import { ClusterMap } from "../charts/cluster_map.js";
import { delaysTable, supervisorsTable } from "../cluster_tables.js";
import { html, nothing } from "../lit.js";
import { plural } from "../format.js";
import { mergeByHost } from "../hosts.js";
import { hostPanel } from "../host_panel.js";
import { clusterAlerts } from "../alerts.js";
import { signalMark } from "../signals.js";
import { Sites } from "../sites.js";
import { FreezeSwitch } from "../switches.js";
import { topologyList } from "../topology_list.js";

/** @typedef {import("../../api.d.ts").ClusterView} ClusterView */

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const freeze = new FreezeSwitch(context, null);
  const map = new ClusterMap(context.redraw);
  let announced = "";

  /** @param {ClusterView} cluster @param {number} at */
  function signals(cluster, at) {
    const hosts = mergeByHost(cluster.supervisors);
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
      const alerts = clusterAlerts(cluster);
      const text = alerts.map((it) => it.text).join(" ") || "There are no alerts.";
      if (announced && announced !== text) context.announce(text);
      announced = text;
      return html`<div class="head">
          <div><h1>Cluster</h1>
          <p class="lead">${plural(cluster.supervisors.length, "supervisor")}, ${plural(cluster.topologies.length, "topology", "topologies")}</p></div>
          ${freeze.draw(cluster.switches)}
        </div>
        ${signals(cluster, at)}
        <div class="split">
          <section class="card" aria-labelledby="map-title">
            <h2 id="map-title">Map</h2>
            ${map.draw(cluster, sites, at)}
          </section>
          <div class="side">
            <section class="card" aria-labelledby="alerts-title"><h2 id="alerts-title">Alerts</h2>
              ${alerts.length
                ? html`<ul class="alerts">${alerts.slice(0, 12).map((it) => html`<li class=${it.level}>${it.text}</li>`)}
                  ${alerts.length > 12 ? html`<li>and ${alerts.length - 12} more: see <a href="/health">Health</a></li>` : nothing}</ul>`
                : html`<p class="ok-mark">None: every part reports, every executor has a slot.</p>`}
            </section>
            ${hostPanel(cluster, map.selected, sites, at)}
          </div>
        </div>
        <section aria-labelledby="topologies-title"><h2 id="topologies-title">Topologies</h2>
          ${topologyList(cluster.topologies, at)}</section>
        <section class="card" aria-labelledby="supervisors-title"><h2 id="supervisors-title">Supervisors</h2>
          ${supervisorsTable(cluster, sites, at, context)}</section>
        <section class="card" aria-labelledby="delays-title"><h2 id="delays-title">Delays, measured and estimated</h2>
          <div class="split even">${delayScatter(cluster.links)} ${delaysTable(cluster, sites, at)}</div></section>`;
    },
  };
}
