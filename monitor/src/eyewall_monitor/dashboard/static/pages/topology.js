// One topology: its graph, what to expect of it, its history, its slowest path, and explanations.

import { pathTo } from "../api.js";
import { MILLISECONDS, responseTimeCurves, responseTimeSection, throughputCurves, throughputSection, TUPLES } from "../charts/response_time.js";
import { TimeChart } from "../charts/time_chart.js";
import { TopologyGraph } from "../charts/topology_graph.js";
import { waterfall } from "../charts/waterfall.js";
import { html, nothing } from "../lit.js";
import { plural, moment, ms } from "../format.js";
import { metricsTable } from "../metrics_table.js";
import { signalMark } from "../signals.js";
import { Sites } from "../sites.js";
import { FreezeSwitch } from "../switches.js";
import { badges } from "../topology_list.js";
import { ExplanationPanel } from "../explanation_panel.js";
import { ForecastPanel } from "../forecast_panel.js";

/** @typedef {import("../../api.d.ts").TopologyView} TopologyView */

/** @type {import("../routes.js").MakePage} */
export function page(context, name) {
  const why = new ExplanationPanel(context, name);
  const graph = new TopologyGraph(context.redraw, (executor) => why.choose(executor));
  const whatIf = new ForecastPanel(context, name);
  const responseTimes = new TimeChart(MILLISECONDS);
  const throughputs = new TimeChart(TUPLES);
  let seconds = Number(context.query().get("seconds")) || 3600;
  let id = name;
  /** @type {FreezeSwitch|null} */
  let freeze = null;
  const ofTopology = (/** @type {string} */ topic) => topic === `topology/${id}` || topic === `topology/${name}`;

  /** @param {number} wanted */
  function showLast(wanted) {
    seconds = wanted;
    context.refetch();
  }

  return {
    title: name.replace(/-\d+-\d+$/, ""),
    needs: ["topology"],
    sources: () => ({
      topology: { path: pathTo(["topologies", name]), changedBy: ofTopology },
      times: { path: pathTo(["topologies", name, "response-time"], { seconds }), changedBy: (topic) => ofTopology(topic) || topic === "decisions" },
      flow: { path: pathTo(["topologies", name, "throughput"], { seconds }), changedBy: ofTopology },
      cluster: { path: "/cluster", changedBy: (topic) => topic === "cluster" },
      policies: { path: "/policies", changedBy: () => false },
    }),
    changed: (topics) => {
      if (!topics.some(ofTopology)) return;
      if (why.executor) void why.ask();
      whatIf.refresh();
    },
    drawn: (root, { times, flow }) => {
      graph.measure(root);
      why.shown(root);
      const since = (/** @type {number} */ at) => /** @type {[number, number]} */ ([at / 1000 - seconds, at / 1000]);
      if (times) responseTimes.show(root.querySelector(".time-chart.response-time"), times.view, () => responseTimeCurves(times.view), since(times.at));
      if (flow) throughputs.show(root.querySelector(".time-chart.throughput"), flow.view, () => throughputCurves(flow.view), since(flow.at));
    },
    leave: () => {
      graph.end();
      responseTimes.end();
      throughputs.end();
    },
    draw: ({ topology: { view, at }, times, flow, cluster, policies }) => {
      /** @type {TopologyView} */
      const topology = view;
      const it = topology.summary;
      id = it.id;
      freeze ??= new FreezeSwitch(context, it);
      const sites = new Sites(cluster?.view);
      const executors = topology.components.flatMap((its) => its.executors.map((executor) => executor.executor));
      return html`<div class="head"><div><p class="crumb"><a href="/">Cluster</a></p><h1>${it.name}</h1>
          <p class="lead"><span class="mono">${it.id}</span></p></div>
          <div>${cluster ? freeze.draw(cluster.view.switches) : nothing}</div></div>
        <div class="row">${badges(it)} <a class="button" href="/plan?topology=${encodeURIComponent(it.id)}">Plan</a> <a class="button" href="/decisions?topology=${encodeURIComponent(it.id)}">Decisions</a></div>
        <p class="status">${it.status}</p>
        ${topology.unknown ? html`<p class="notice warn">Not evaluated: ${topology.unknown}</p>` : nothing}
        <dl class="strip">
          <div><dt>Response time, predicted</dt><dd class="large">${ms(it.response_time)}</dd></div>
          <div><dt>Response time, measured</dt><dd class="large">${ms(it.measured_response_time)}</dd></div>
          <div><dt>Executors with a slot</dt><dd class="large ${it.placed < it.executors ? "bad" : ""}">${it.placed} of ${it.executors}</dd></div>
          <div><dt>Workers, hosts</dt><dd class="large">${it.workers} <small>on ${plural(it.hosts, "host")}</small></dd></div>
          <div><dt>Rates</dt><dd class="large">${signalMark(it.rates, at)}</dd></div>
          <div><dt>Cool-down</dt><dd class="large">${topology.cooling > 0 ? html`<small>until</small> ${moment(at / 1000 + topology.cooling)}` : "over"}</dd></div>
        </dl>
        <section class="card" aria-labelledby="graph-title"><h2 id="graph-title">Streams and executors</h2>${graph.draw(topology, sites, why.executor)}</section>
        ${whatIf.draw(sites, policies?.view ?? [], at)}
        <div class="split half">
          ${why.draw(executors, [...sites.ofHost.keys()], sites)}
          <div class="side">
            <section class="card" aria-labelledby="path-title"><h2 id="path-title">The slowest path</h2>${waterfall(topology.slowest_path, sites)}</section>
            <section class="card" aria-labelledby="metrics-title"><h2 id="metrics-title">Metrics</h2>
              ${metricsTable(topology.metrics, { before: "Now", after: null, caption: `By the model; the objective is ${it.objective || "not set"}` })}
              ${topology.assumptions.length ? html`<h3>Assumptions</h3><ul class="alerts">${topology.assumptions.map((text) => html`<li class="info">${text}</li>`)}</ul>` : nothing}</section>
          </div>
        </div>
        <section class="card" aria-labelledby="time-title"><h2 id="time-title">Response time over time</h2>
          ${responseTimeSection(times?.view, seconds, showLast)}</section>
        <section class="card" aria-labelledby="flow-title"><h2 id="flow-title">Throughput over time</h2>${throughputSection(flow?.view)}</section>`;
    },
  };
}
