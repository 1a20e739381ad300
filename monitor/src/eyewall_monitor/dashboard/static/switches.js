// The freeze switches: of everything, and of one topology.

import { ApiError, pathTo, send } from "./api.js";
import { html, nothing } from "./drawing.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../views.d.ts").SwitchesView} SwitchesView */

/** A switch that says what it does, and what became of it. */
export class FreezeSwitch {
  /**
   * @param {import("./screen.js").Context} context
   * @param {{id: string, name: string}|null} topology  null: all of them.
   */
  constructor(context, topology) {
    this.context = context;
    this.topology = topology;
    this.busy = false;
    /** @type {ApiError|null} */
    this.problem = null;
    /** @type {boolean|null} */
    this.asked = null;
  }

  /** @param {SwitchesView} switches */
  draw(switches) {
    const frozen = this.topology ? switches.frozen_topologies.includes(this.topology.id) : switches.frozen;
    if (this.asked === frozen) this.asked = null;
    const of = this.topology ? this.topology.name : "all topologies";
    return html`<div class="freeze ${frozen ? "on" : ""}">
      <button type="button" role="switch" aria-checked=${frozen ? "true" : "false"} ?disabled=${this.busy || !switches.available}
        @click=${() => this.turn(!frozen)}>
        <span class="track" aria-hidden="true"></span>Freeze ${of}</button>
      <span class="said">${this.said(switches, frozen)}</span>
      ${this.problem ? problemNotice(this.problem.problem) : nothing}
    </div>`;
  }

  /** @param {SwitchesView} switches @param {boolean} frozen */
  said(switches, frozen) {
    if (!switches.available) return switches.note || "There is no ZooKeeper to hold the switch.";
    if (this.busy) return "Turning …";
    if (!switches.in_force) return switches.note || "Not yet in force: the sidecar has not read it.";
    if (frozen) return "Frozen: nothing that runs is moved.";
    if (this.topology && switches.frozen) return "All topologies are frozen.";
    return "Moves are allowed.";
  }

  /** @param {boolean} frozen */
  async turn(frozen) {
    this.busy = true;
    this.problem = null;
    this.context.redraw();
    const path = this.topology ? pathTo(["topologies", this.topology.id, "frozen"]) : "/frozen";
    try {
      await send("PUT", path, { frozen });
      this.context.tell(`${this.topology?.name ?? "All topologies"}: ${frozen ? "frozen" : "moves are allowed"}.`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error;
    }
    this.busy = false;
    this.context.refetch();
    this.context.redraw();
  }
}

/** What governs moves, in a few words each. @param {import("../views.d.ts").RulesView} rules */
export function rulesList(rules) {
  const started = rules.workers_started_last_hour;
  return html`<dl class="facts">
    <div><dt>Least gain</dt><dd>${(rules.minimum_gain * 100).toFixed(0)} %</dd></div>
    <div><dt>Cool-down</dt><dd>${rules.cool_down_seconds} s</dd></div>
    <div><dt>Workers started a round</dt><dd>${rules.workers_per_round === null ? "no limit" : `${rules.workers_per_round} at most`}</dd></div>
    <div><dt>Workers started in the last hour</dt><dd>${started}${rules.workers_per_hour === null ? ", no limit" : ` of ${rules.workers_per_hour}`}
      ${rules.workers_per_hour === null ? nothing : html`<meter min="0" max=${rules.workers_per_hour} value=${started} aria-label="Budget used"></meter>`}</dd></div>
    ${rules.frozen_by_configuration ? html`<div><dt>Configuration</dt><dd><strong>frozen</strong></dd></div>` : nothing}
  </dl>`;
}
