// The graph of a topology: components with their executors and hosts, streams with their rates.

import { html, nothing, svg } from "../lit.js";
import { plural, ms, percent, perSecond, perSecondShort } from "../format.js";
import { ellipsize } from "./labels.js";
import { layoutGraph, ROW, SLIM, TOP, WIDE } from "./graph_layout.js";

/** @typedef {import("../../api.d.ts").TopologyView} TopologyView */
/** @typedef {import("./graph_layout.js").Node} Node */
/** @typedef {import("./graph_layout.js").Edge} Edge */
/** @typedef {import("./graph_layout.js").Row} Row */
/** @typedef {import("../sites.js").Sites} Sites */

const NARROW = 620;
const SMALLEST = 0.78;
const KINDS = { spout: "spout", bolt: "bolt", system: "system" };

export class TopologyGraph {
  /**
   * @param {() => void} redraw
   * @param {(executor: string) => void} choose
   */
  constructor(redraw, choose) {
    this.redraw = redraw;
    this.choose = choose;
    this.system = false;
    this.width = 0;
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    /** @type {Element|null} */
    this.observed = null;
    /** @type {{topology: TopologyView, width: number, system: boolean, layout: ReturnType<typeof layoutGraph>}|null} */
    this.last = null;
  }

  /** @param {HTMLElement} root */
  measure(root) {
    const frame = root.querySelector(".graph");
    if (!frame || frame === this.observed) return;
    this.observed = frame;
    this.observer.observe(frame);
    this.resized(frame.clientWidth);
  }

  end() {
    this.observer.disconnect();
  }

  /** @param {number} width */
  resized(width) {
    const crossed = this.width < NARROW !== width < NARROW || !this.width;
    const changed = Math.abs(width - this.width) >= 1;
    this.width = width;
    if (crossed || changed) this.redraw();
  }

  /** @param {TopologyView} topology @param {Sites} sites @param {string|null} chosen */
  draw(topology, sites, chosen) {
    const own = topology.components.filter((it) => it.kind === "system").length;
    return html`<fieldset class="choices"><legend class="visually-hidden">Graph</legend>
      ${own ? html`<label><input type="checkbox" .checked=${this.system} @change=${() => { this.system = !this.system; this.redraw(); }}>system components (${own}: acks, metrics)</label>` : nothing}
      <span class="muted"><span class="key line slow-key" aria-hidden="true"></span> the slowest path; italic rates are assumed or hinted</span></fieldset>
      <div class="graph" tabindex="0" role="group" aria-label="Graph of ${topology.summary.name}; each executor is a button that asks why it runs there">
      ${this.width ? this.picture(topology, sites, chosen) : nothing}</div>`;
  }

  /** @param {TopologyView} topology @param {Sites} sites @param {string|null} chosen */
  picture(topology, sites, chosen) {
    const slow = new Map(topology.slowest_path.map((it) => [it.executor, it]));
    const component = new Map(topology.components.flatMap((it) => it.executors.map((its) => [its.executor, it.id])));
    /** @type {Map<string, number>} */
    const delays = new Map();
    topology.slowest_path.forEach((it, index) => {
      if (index) delays.set(`${component.get(topology.slowest_path[index - 1].executor)}\n${component.get(it.executor)}`, it.delay);
    });
    const { nodes, edges, width, height } = this.layout(topology, delays, slow);
    const scale = Math.max(SMALLEST, Math.min(1, this.width / width));
    const most = Math.max(1e-9, ...edges.map((it) => it.rate ?? 0));
    return svg`<svg viewBox="0 0 ${width} ${height}" width=${width * scale} height=${height * scale} role="group" aria-label="Components and streams">
      <defs>${["", "slow"].map((kind) => svg`<marker id="arrow${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto"><path class="arrow ${kind}" d="M0 0L8 4L0 8Z"/></marker>`)}</defs>
      <g>${edges.map((it) => edge(it, most))}</g>
      ${nodes.map((it) => this.node(it, sites, slow, chosen))}
    </svg>`;
  }

  /** Return the cached layout unless its inputs have changed. @param {TopologyView} topology @param {Map<string, number>} delays @param {Map<string, unknown>} slow */
  layout(topology, delays, slow) {
    const { system, last, width } = this;
    if (last && last.topology === topology && last.width === width && last.system === system) return last.layout;
    const down = width < NARROW;
    const options = { down, system, delays, slow };
    let layout = layoutGraph(topology, { ...options, node: WIDE });
    if (!down && layout.width * SMALLEST > width) layout = layoutGraph(topology, { ...options, node: SLIM });
    this.last = { topology, width, system, layout };
    return layout;
  }

  /** @param {Node} node @param {Sites} sites @param {Map<string, unknown>} slow @param {string|null} chosen */
  node(node, sites, slow, chosen) {
    const it = node.component;
    const rate = it.emitted === null ? "" : perSecondShort(it.emitted);
    const capacity = it.capacity === null ? "" : `${percent(it.capacity)} busy`;
    const sub = [KINDS[it.kind], rate, capacity].filter(Boolean).join(" · ");
    return svg`<g class="component ${it.kind}" transform="translate(${node.x - node.width / 2} ${node.y - node.height / 2})" role="group"
        aria-label="${it.id}, ${sub}, ${plural(it.executors.length, "executor")}">
      <rect width=${node.width} height=${node.height} rx="9"/>
      <text class="title" x="12" y="20" aria-hidden="true">${ellipsize(it.id, node.width - 20)}</text>
      <text class="sub" x="12" y="36" aria-hidden="true">${ellipsize(sub, node.width - 12)}</text>
      ${node.rows.map((row, index) => this.row(row, index, node.width, sites, slow, chosen))}
      ${node.hidden ? svg`<text class="sub" x="12" y=${TOP + node.rows.length * ROW + 16}>and ${node.hidden} more hosts</text>` : nothing}
    </g>`;
  }

  /** @param {Row} row @param {number} index @param {number} width @param {Sites} sites @param {Map<string, unknown>} slow @param {string|null} chosen */
  row(row, index, width, sites, slow, chosen) {
    const its = row.executors.map((it) => it.executor);
    const on = its.find((it) => slow.has(it));
    const picked = its.includes(chosen ?? "");
    const many = its.length > 1 ? `${its.length} executors` : its[0];
    const label = `${many} on ${row.host ?? "no slot"}${on ? ", on the slowest path" : ""}`;
    const ask = () => this.choose(on ?? its[0]);
    return svg`<g class="executor ${on ? "slow" : ""} ${picked ? "chosen" : ""} ${row.host ? "" : "lost"} ${sites.colourOf(row.host)}"
        transform="translate(8 ${TOP + index * ROW})" role="button" tabindex="0" aria-pressed=${picked ? "true" : "false"} aria-label=${label}
        @click=${ask} @keydown=${(/** @type {KeyboardEvent} */ event) => pressed(event, ask)}>
      <title>${label}</title>
      <rect class="face" width=${width - 16} height=${ROW - 4} rx="5"/>
      <rect class="color" x="4" y="4" width="9" height=${ROW - 12} rx="2"/>
      <text x="19" y="15">${row.label}</text>
      <text class="at" x=${width - 24} y="15">${ellipsize(row.host ?? "no slot", width - 84)}</text>
    </g>`;
  }
}

/** @param {KeyboardEvent} event @param {() => void} act */
function pressed(event, act) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
}

/** @param {Edge} it @param {number} most */
function edge(it, most) {
  const slow = it.delay === null ? "" : "slow";
  const assumed = it.streams.some((its) => its.signal.state === "missing") ? "assumed" : "";
  const width = it.rate === null ? 1 : 1.2 + 4.5 * Math.sqrt(it.rate / most);
  const flows = it.streams.map((its) => `${its.stream}, ${its.grouping}: ${perSecond(its.rate)}${its.error === null ? "" : ` ± ${perSecond(its.error)}`}, ${perSecond(its.rate_between_hosts)} between hosts`).join("; ");
  const label = `${it.source} to ${it.target}: ${flows}`;
  return svg`<path class="edge ${slow} ${it.system ? "system" : ""}" role="img" aria-label=${label} stroke-width=${width.toFixed(1)} d=${curve(it.points)} marker-end="url(#arrow${slow})"><title>${label}</title></path>
    <text class="edge-label ${assumed}" aria-hidden="true" x=${it.x} y=${it.y - 7}>${it.label}</text>
    ${it.delay === null ? nothing : svg`<text class="edge-label slow" aria-hidden="true" x=${it.x} y=${it.y + 17}>${ms(it.delay)}</text>`}`;
}

/** A smooth curve through the midpoints of a line. @param {{x: number, y: number}[]} points */
function curve(points) {
  const middle = (/** @type {number} */ i) => `${((points[i].x + points[i + 1].x) / 2).toFixed(1)} ${((points[i].y + points[i + 1].y) / 2).toFixed(1)}`;
  const at = (/** @type {number} */ i) => `${points[i].x.toFixed(1)} ${points[i].y.toFixed(1)}`;
  if (points.length < 2) return "";
  let line = `M${at(0)}L${middle(0)}`;
  for (let i = 1; i < points.length - 1; i++) line += `Q${at(i)} ${middle(i)}`;
  return `${line}L${at(points.length - 1)}`;
}
