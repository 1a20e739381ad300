// What is wrong in a cluster, worst first, as sentences.

import { cores } from "./figures.js";
import { eachHost } from "./hosts.js";

/** @typedef {import("../views.d.ts").ClusterView} ClusterView */
/** @typedef {{state: "bad"|"warn"|"info", said: string}} Matter */

const RANK = { bad: 0, warn: 1, info: 2 };
const MANY = 4;
const BUSY = 0.95;
const WITHOUT = {
  zookeeper: "No ZooKeeper is configured: loads, rates and decisions are not known here, and nothing can be frozen.",
  redis: "No Redis is configured: coordinates and probed delays are not known here.",
};

/**
 * @param {ClusterView} cluster
 * @returns {Matter[]}
 */
export function needsALook(cluster) {
  /** @type {Matter[]} */
  const found = [];
  const all = eachHost(cluster.supervisors);
  for (const [what, signal] of /** @type {const} */ ([
    ["The sidecar", cluster.sidecar],
    ["Nimbus", cluster.nimbus],
    ["Delays", cluster.delays],
  ])) {
    if (signal.state !== "fresh") found.push({ state: signal.state === "missing" ? "bad" : "warn", said: `${what}: ${signal.note || signal.state}.` });
  }
  for (const store of cluster.not_configured) found.push({ state: "info", said: WITHOUT[store] });
  for (const [agent, field, store] of /** @type {const} */ ([["monitor agent", "report", "zookeeper"], ["latency agent", "latency", "redis"]])) {
    if (cluster.not_configured.includes(store)) continue;
    for (const [state, verb] of /** @type {const} */ ([["missing", "does not report"], ["stale", "is late"]])) {
      const hosts = all.filter((it) => it[field].state === state);
      const level = /** @type {"bad"|"warn"} */ (state === "missing" ? "bad" : "warn");
      const notes = new Set(hosts.map((it) => it[field].note ?? ""));
      const why = notes.size === 1 ? [...notes].join("") : "";
      if (hosts.length > MANY || (hosts.length > 1 && why)) found.push({ state: level, said: `The ${agent} ${verb} on ${hosts.length} hosts: ${named(hosts)}${why ? `; ${why}` : ""}.` });
      else found.push(...hosts.map((it) => ({ state: level, said: `${it.host}: its ${agent} ${verb}${it[field].note ? `; ${it[field].note}` : ""}.` })));
    }
  }
  for (const host of cluster.gone) found.push({ state: "bad", said: `${host}: its agents report, but Nimbus has no supervisor there.` });
  for (const it of cluster.topologies) {
    if (it.placed < it.executors) found.push({ state: "bad", said: `${it.name}: ${it.executors - it.placed} of ${it.executors} executors have no slot.` });
    if (it.rates.state === "missing") found.push({ state: "info", said: `${it.name}: its rates are not measured.` });
    else if (it.rates.state === "stale") found.push({ state: "warn", said: `${it.name}: its rates are stale${it.rates.note ? `; ${it.rates.note}` : ""}.` });
  }
  const busy = all.filter((it) => it.load && it.load.cores > 0 && it.load.cores_busy / it.load.cores > BUSY);
  if (busy.length > MANY) found.push({ state: "warn", said: `All cores are busy on ${busy.length} hosts: ${named(busy)}.` });
  else found.push(...busy.map((it) => ({ state: /** @type {"warn"} */ ("warn"), said: `${it.host}: of its ${cores(it.load?.cores ?? null)}, none is idle.` })));
  if (cluster.switches.frozen) found.push({ state: "info", said: "All topologies are frozen." });
  if (!cluster.switches.available && !cluster.not_configured.includes("zookeeper")) found.push({ state: "warn", said: `The freeze switches cannot be turned: ${cluster.switches.note || "ZooKeeper is away"}.` });
  return found.map((it) => ({ ...it, said: it.said.replace(/\.\.$/, ".") })).sort((one, other) => RANK[one.state] - RANK[other.state]);
}

/** @param {{host: string}[]} hosts */
function named(hosts) {
  const first = hosts.slice(0, MANY).map((it) => it.host).join(", ");
  return hosts.length > MANY ? `${first} and ${hosts.length - MANY} more` : first;
}
