// The layered layout of a topology’s graph, from its spouts on.

import { Graph, layout } from "../vendor/dagre-3.1.3/dagre.esm.js";
import { perSecondShort } from "../format.js";
import { compareNames } from "../sites.js";
import { textWidth } from "./labels.js";

/** @typedef {import("../../api.d.ts").TopologyView} TopologyView */
/** @typedef {import("../../api.d.ts").ComponentView} ComponentView */
/** @typedef {import("../../api.d.ts").ExecutorView} ExecutorView */
/** @typedef {import("../../api.d.ts").StreamView} StreamView */
/**
 * @typedef {object} Row  A row of a component: one executor, or all on one host if there are many.
 * @property {string} label
 * @property {string|null} host
 * @property {ExecutorView[]} executors
 */
/** @typedef {{component: ComponentView, rows: Row[], hidden: number, x: number, y: number, width: number, height: number}} Node */
/** @typedef {{source: string, target: string, streams: StreamView[], rate: number|null, system: boolean, label: string, delay: number|null, points: {x: number, y: number}[], x: number, y: number}} Edge */

export const ROW = 26;
export const TOP = 46;
const MOST_ROWS = 8;
export const WIDE = 196;
export const SLIM = 140;

/**
 * @param {TopologyView} topology
 * @param {{down: boolean, system: boolean, node: number, delays: Map<string, number>, slow: {has: (executor: string) => boolean}}} options  `down`: from top to bottom, for narrow screens; `node`: the width of a component;
 *   `delays`: of the slowest path, by `source\ntarget`; `slow`: its executors.
 * @returns {{nodes: Node[], edges: Edge[], width: number, height: number}}
 */
export function layoutGraph(topology, options) {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: options.down ? "TB" : "LR", nodesep: 26, ranksep: options.down ? 26 : 32, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  const components = topology.components.filter((it) => options.system || it.kind !== "system");
  const rowsOf = new Map(components.map((it) => [it.id, rows(it, options.slow)]));
  for (const it of components) {
    const lines = Math.min(rowsOf.get(it.id)?.length ?? 0, MOST_ROWS + 1);
    graph.setNode(it.id, { width: options.node, height: TOP + lines * ROW + 8 });
  }
  const edges = between(topology.streams.filter((it) => graph.hasNode(it.source) && graph.hasNode(it.target) && (options.system || !it.system)), options.delays);
  for (const it of edges) graph.setEdge(it.source, it.target, { width: Math.max(textWidth(it.label), it.delay === null ? 0 : 48) + 4, height: it.delay === null ? 18 : 32, labelpos: "c", weight: it.system ? 1 : 4 });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: components.map((component) => {
      const all = rowsOf.get(component.id) ?? [];
      const shown = all.length > MOST_ROWS + 1 ? all.slice(0, MOST_ROWS) : all;
      return { component, rows: shown, hidden: all.length - shown.length, ...graph.node(component.id) };
    }),
    edges: edges.map((it) => ({ ...it, ...graph.edge(it.source, it.target) })),
  };
}

/** @param {ComponentView} component @param {{has: (executor: string) => boolean}} slow @returns {Row[]} */
function rows(component, slow) {
  if (component.executors.length <= MOST_ROWS + 1) {
    return component.executors.map((it) => ({ label: short(it), host: it.host, executors: [it] }));
  }
  /** @type {Map<string|null, ExecutorView[]>} */
  const at = new Map();
  for (const it of component.executors) {
    const before = at.get(it.host);
    if (before) before.push(it);
    else at.set(it.host, [it]);
  }
  const rank = (/** @type {Row} */ row) => Number(row.executors.some((it) => slow.has(it.executor))) + 2 * Number(row.host === null);
  return [...at]
    .map(([host, executors]) => ({ label: executors.length > 1 ? `${executors.length} ×` : short(executors[0]), host, executors }))
    .sort((one, other) => rank(other) - rank(one) || other.executors.length - one.executors.length || compareNames(one.host ?? "", other.host ?? ""));
}

/** The tasks without the component’s name, which is the title. @param {ExecutorView} it */
function short(it) {
  return it.executor.startsWith(it.component) ? it.executor.slice(it.component.length) || it.executor : it.executor;
}

/** @param {StreamView[]} streams @param {Map<string, number>} delays */
function between(streams, delays) {
  /** @type {Map<string, StreamView[]>} */
  const both = new Map();
  for (const it of streams) {
    const key = `${it.source}\n${it.target}`;
    both.set(key, [...(both.get(key) ?? []), it]);
  }
  return [...both].map(([key, its]) => {
    const known = its.map((it) => it.rate).filter((it) => it !== null);
    const rate = known.length ? known.reduce((sum, it) => sum + it, 0) : null;
    const delay = delays.get(key) ?? null;
    const [source, target] = key.split("\n");
    return { source, target, streams: its, rate, system: its.every((it) => it.system), label: perSecondShort(rate), delay, points: [], x: 0, y: 0 };
  });
}
