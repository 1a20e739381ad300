// Hosts, of which each may have several supervisors.

/** @typedef {import("../views.d.ts").SupervisorView} SupervisorView */

/**
 * One entry a host, in their order: what its supervisors have and run is added up; what is measured is the host's.
 * @param {SupervisorView[]} supervisors
 * @returns {SupervisorView[]}
 */
export function eachHost(supervisors) {
  /** @type {Map<string, SupervisorView>} */
  const found = new Map();
  for (const it of supervisors) {
    const before = found.get(it.host);
    found.set(it.host, before ? together(before, it) : it);
  }
  return [...found.values()];
}

/** @param {SupervisorView} one @param {SupervisorView} other */
function together(one, other) {
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
