// What is wrong in a cluster, as sentences, worst first.

import { cores } from "./format.js";
import { mergeByHost } from "./hosts.js";

/** @typedef {import("../api.d.ts").ClusterView} ClusterView */
/** @typedef {{level: "bad"|"warn"|"info", text: string}} Alert */

const RANK = { bad: 0, warn: 1, info: 2 };
const MANY = 4;
const BUSY = 0.95;
const NOT_CONFIGURED = {
  zookeeper: "No ZooKeeper is configured: loads, rates and decisions are unknown, and nothing can be frozen.",
  redis: "No Redis is configured: coordinates and measured delays are unknown.",
};

/**
 * @param {ClusterView} cluster
 * @returns {Alert[]}
 */
export function clusterAlerts(cluster) {
  /** @type {Alert[]} */
  const alerts = [];
  const all = mergeByHost(cluster.supervisors);
  for (const [what, signal] of /** @type {const} */ ([
    ["The sidecar", cluster.sidecar],
    ["Nimbus", cluster.nimbus],
    ["Delays", cluster.delays],
  ])) {
    if (signal.state !== "fresh") alerts.push({ level: signal.state === "missing" ? "bad" : "warn", text: `${what}: ${signal.note || signal.state}.` });
  }
  for (const store of cluster.not_configured) alerts.push({ level: "info", text: NOT_CONFIGURED[store] });
  for (const [agent, field, store] of /** @type {const} */ ([["monitor agent", "report", "zookeeper"], ["latency agent", "latency", "redis"]])) {
    if (cluster.not_configured.includes(store)) continue;
    for (const [state, verb] of /** @type {const} */ ([["missing", "does not report"], ["stale", "is late"]])) {
      const hosts = all.filter((it) => it[field].state === state);
      const level = /** @type {"bad"|"warn"} */ (state === "missing" ? "bad" : "warn");
      const notes = new Set(hosts.map((it) => it[field].note ?? ""));
      const reason = notes.size === 1 ? [...notes].join("") : "";
      if (hosts.length > MANY || (hosts.length > 1 && reason)) alerts.push({ level, text: `The ${agent} ${verb} on ${hosts.length} hosts: ${list(hosts)}${reason ? `; ${reason}` : ""}.` });
      else alerts.push(...hosts.map((it) => ({ level, text: `${it.host}: its ${agent} ${verb}${it[field].note ? `; ${it[field].note}` : ""}.` })));
    }
  }
  for (const host of cluster.gone) alerts.push({ level: "bad", text: `${host}: its agents report, but Nimbus has no supervisor there.` });
  for (const it of cluster.topologies) {
    if (it.placed < it.executors) alerts.push({ level: "bad", text: `${it.name}: ${it.executors - it.placed} of ${it.executors} executors have no slot.` });
    if (it.rates.state === "missing") alerts.push({ level: "info", text: `${it.name}: its rates are not measured.` });
    else if (it.rates.state === "stale") alerts.push({ level: "warn", text: `${it.name}: its rates are stale${it.rates.note ? `; ${it.rates.note}` : ""}.` });
  }
  const busy = all.filter((it) => it.load && it.load.cores > 0 && it.load.cores_busy / it.load.cores > BUSY);
  if (busy.length > MANY) alerts.push({ level: "warn", text: `All cores are busy on ${busy.length} hosts: ${list(busy)}.` });
  else alerts.push(...busy.map((it) => ({ level: /** @type {"warn"} */ ("warn"), text: `${it.host}: no core is idle (${cores(it.load?.cores ?? null)}).` })));
  for (const it of all.filter((it) => it.drained)) {
    alerts.push({ level: "info", text: it.executors ? `${it.host} is drained: ${it.executors} executors have to leave it.` : `${it.host} is drained, and nothing is assigned to it.` });
  }
  if (cluster.switches.frozen) alerts.push({ level: "info", text: "All topologies are frozen." });
  if (!cluster.switches.available && !cluster.not_configured.includes("zookeeper")) alerts.push({ level: "warn", text: `The freeze switches cannot be changed: ${cluster.switches.note || "ZooKeeper does not answer"}.` });
  return alerts.map((it) => ({ ...it, text: it.text.replace(/\.\.$/, ".") })).sort((one, other) => RANK[one.level] - RANK[other.level]);
}

/** @param {{host: string}[]} hosts */
function list(hosts) {
  const first = hosts.slice(0, MANY).map((it) => it.host).join(", ");
  return hosts.length > MANY ? `${first} and ${hosts.length - MANY} more` : first;
}
