// Where a topology's components and streams are drawn: in layers, from spouts on.

import { Graph, layout } from "../vendor/dagre-3.1.3/dagre.esm.js";
import { perSecondShort } from "../figures.js";
import { inOrder } from "../sites.js";
import { widthOf } from "./free_places.js";

/** @typedef {import("../../views.d.ts").TopologyView} TopologyView */
/** @typedef {import("../../views.d.ts").ComponentView} ComponentView */
/** @typedef {import("../../views.d.ts").ExecutorView} ExecutorView */
/** @typedef {import("../../views.d.ts").StreamView} StreamView */
/**
 * @typedef {object} Row  A line in a component: one executor, or all at one host where there are many.
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
 * @param {{down: boolean, system: boolean, node: number, delays: Map<string, number>, slow: {has: (executor: string) => boolean}}} wanted  `down`: from top to bottom, for narrow screens; `node`: how wide a component is;
 *   `delays`: of the slowest path, by `source\ntarget`; `slow`: its executors.
 * @returns {{nodes: Node[], edges: Edge[], width: number, height: number}}
 */
export function laidOut(topology, wanted) {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: wanted.down ? "TB" : "LR", nodesep: 26, ranksep: wanted.down ? 26 : 32, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  const components = topology.components.filter((it) => wanted.system || it.kind !== "system");
  const rowsOf = new Map(components.map((it) => [it.id, rows(it, wanted.slow)]));
  for (const it of components) {
    const lines = Math.min(rowsOf.get(it.id)?.length ?? 0, MOST_ROWS + 1);
    graph.setNode(it.id, { width: wanted.node, height: TOP + lines * ROW + 8 });
  }
  const edges = between(topology.streams.filter((it) => graph.hasNode(it.source) && graph.hasNode(it.target) && (wanted.system || !it.system)), wanted.delays);
  for (const it of edges) graph.setEdge(it.source, it.target, { width: Math.max(widthOf(it.label), it.delay === null ? 0 : 48) + 4, height: it.delay === null ? 18 : 32, labelpos: "c", weight: it.system ? 1 : 4 });
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
  const matters = (/** @type {Row} */ row) => Number(row.executors.some((it) => slow.has(it.executor))) + 2 * Number(row.host === null);
  return [...at]
    .map(([host, executors]) => ({ label: executors.length > 1 ? `${executors.length} ×` : short(executors[0]), host, executors }))
    .sort((one, other) => matters(other) - matters(one) || other.executors.length - one.executors.length || inOrder(one.host ?? "", other.host ?? ""));
}

/** The tasks alone: the component's name stands above. @param {ExecutorView} it */
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
