// Hosts: each may run several supervisors.

/** @typedef {import("../api.d.ts").SupervisorView} SupervisorView */

/**
 * Return one entry for each host: slots and executors of its supervisors are summed; measurements are the host’s.
 * @param {SupervisorView[]} supervisors
 * @returns {SupervisorView[]}
 */
export function mergeByHost(supervisors) {
  /** @type {Map<string, SupervisorView>} */
  const found = new Map();
  for (const it of supervisors) {
    const before = found.get(it.host);
    found.set(it.host, before ? merge(before, it) : it);
  }
  return [...found.values()];
}

/** @param {SupervisorView} one @param {SupervisorView} other */
function merge(one, other) {
  return {
    ...one,
    site: one.site || other.site,
    labels: [...new Set([...one.labels, ...other.labels])].sort(),
    slots: one.slots + other.slots,
    slots_used: one.slots_used + other.slots_used,
    executors: one.executors + other.executors,
    topologies: [...new Set([...one.topologies, ...other.topologies])].sort(),
    cores: one.cores + other.cores,
    memory: one.memory + other.memory,
    cores_requested: one.cores_requested + other.cores_requested,
    memory_requested: one.memory_requested + other.memory_requested,
  };
}
