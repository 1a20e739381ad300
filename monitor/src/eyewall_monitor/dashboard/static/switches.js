// The freeze switches of all topologies and of one, and the limits on moves.

import { ApiError, pathTo, send } from "./api.js";
import { html, nothing } from "./lit.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../api.d.ts").SwitchesView} SwitchesView */

/** A switch with its effect in words. */
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
  }

  /** @param {SwitchesView} switches */
  draw(switches) {
    const frozen = this.topology ? switches.frozen_topologies.includes(this.topology.id) : switches.frozen;
    const target = this.topology ? this.topology.name : "all topologies";
    return html`<div class="freeze ${frozen ? "on" : ""}">
      <button type="button" role="switch" aria-checked=${frozen ? "true" : "false"} ?disabled=${this.busy || !switches.available}
        @click=${() => this.turn(!frozen)}>
        <span class="track" aria-hidden="true"></span>Freeze ${target}</button>
      <span class="effect">${this.effect(switches, frozen)}</span>
      ${this.problem ? problemNotice(this.problem.problem) : nothing}
    </div>`;
  }

  /** @param {SwitchesView} switches @param {boolean} frozen */
  effect(switches, frozen) {
    if (!switches.available) return switches.note || "The switch needs ZooKeeper.";
    if (this.busy) return "Saving …";
    if (!switches.in_force) return switches.note || "Not in force yet: the sidecar has not read it.";
    if (frozen) return "Frozen: running executors are not moved.";
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
      this.context.announce(`${this.topology?.name ?? "All topologies"}: ${frozen ? "frozen" : "moves are allowed"}.`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error;
    }
    this.busy = false;
    this.context.refetch();
    this.context.redraw();
  }
}

/** The limits on moves. @param {import("../api.d.ts").RulesView} rules */
export function rulesList(rules) {
  const started = rules.workers_started_last_hour;
  return html`<dl class="facts">
    <div><dt>Minimum gain</dt><dd>${(rules.minimum_gain * 100).toFixed(0)} %</dd></div>
    <div><dt>Cool-down</dt><dd>${rules.cool_down_seconds} s</dd></div>
    <div><dt>Workers started per round</dt><dd>${rules.workers_per_round === null ? "no limit" : `at most ${rules.workers_per_round}`}</dd></div>
    <div><dt>Workers started in the last hour</dt><dd>${started}${rules.workers_per_hour === null ? ", no limit" : ` of ${rules.workers_per_hour}`}
      ${rules.workers_per_hour === null ? nothing : html`<meter min="0" max=${rules.workers_per_hour} value=${started} aria-label="Budget used"></meter>`}</dd></div>
    ${rules.frozen_by_configuration ? html`<div><dt>Configuration</dt><dd><strong>frozen</strong></dd></div>` : nothing}
  </dl>`;
}
