// The form of a dry run.

import { html, live, nothing } from "./lit.js";
import { LIMITS, number, SolveForm } from "./solve_form.js";

/** @typedef {import("../api.d.ts").PolicyView} PolicyView */
/** @typedef {import("../api.d.ts").TermView} TermView */
/** @typedef {import("../api.d.ts").TopologySummary} TopologySummary */

const SEVERAL = "R=0.5,A=0.2,N=0.3";

export class PlanForm extends SolveForm {
  /** @param {import("./screen.js").Context} context */
  constructor(context) {
    const query = context.query();
    super(context, {
      topology: query.get("topology") ?? "",
      policy: query.get("policy") ?? "",
      objective: query.get("objective") ?? "",
      limit: query.get("time_limit") ?? "5",
      seed: "",
    });
  }

  /** @param {TopologySummary[]} topologies @param {PolicyView[]} policies @param {TermView[]} terms */
  draw(topologies, policies, terms) {
    if (!topologies.length) return html`<p class="empty">No topology is running, so there is nothing to plan.</p>`;
    const { fields } = this;
    const chosen = topologies.find((it) => it.id === fields.topology || it.name === fields.topology) ?? (fields.topology ? undefined : topologies[0]);
    const policy = policies.find((it) => it.name === (fields.policy || chosen?.policy));
    return html`<form class="fields" @submit=${(/** @type {SubmitEvent} */ event) => this.submit(event)} @input=${(/** @type {InputEvent} */ event) => this.update(event)}>
      <label class="field">Topology<select name="topology">
        ${chosen ? nothing : html`<option value=${fields.topology} selected>${fields.topology}</option>`}
        ${topologies.map((it) => html`<option value=${it.id} ?selected=${it === chosen}>${it.name}</option>`)}</select>
        <span class="help">${chosen ? `${chosen.mode}: ${chosen.policy || "default policy"}, ${chosen.objective || "no objective"}` : "not running"}</span></label>
      <label class="field">Policy<select name="policy"><option value="">the topology’s own</option>
        ${policies.map((it) => html`<option value=${it.name} ?selected=${it.name === fields.policy}>${it.name}</option>`)}</select>
        <span class="help">${policy ? `${policy.title}: use it ${policy.take_it}.` : ""}</span></label>
      <label class="field">Objective<input name="objective" list="objectives" autocomplete="off" spellcheck="false" placeholder=${chosen?.objective || "the topology’s own"} .value=${live(fields.objective)}>
        <span class="help">${policy ? objectivesOf(policy) : "R=1, or weights that sum to 1"}</span></label>
      <datalist id="objectives">${[...terms.map((it) => `${it.letter}=1`), SEVERAL, "ecker"].map((it) => html`<option value=${it}></option>`)}</datalist>
      <label class="field">Time limit, seconds<input name="limit" type="number" inputmode="decimal" min=${LIMITS[0]} max=${LIMITS[1]} step="any" .value=${live(fields.limit)}>
        <span class="help">${LIMITS[0]} to ${LIMITS[1]}; more time may find a better plan</span></label>
      <details class="whole"><summary>Objectives and the seed</summary>
        <dl class="facts terms">
          ${terms.map((it) => html`<div><dt><code>${it.letter}=1</code></dt><dd>${it.name}: ${it.meaning}</dd></div>`)}
          <div><dt><code>${SEVERAL}</code></dt><dd>several metrics, with weights that sum to 1</dd></div>
          <div><dt><code>ecker</code></dt><dd>Ecker’s score; with weights: <code>ecker=lat:1e-6,sup:1,co:1,event:1</code></dd></div>
        </dl>
        <label class="field">Seed<input name="seed" type="number" min="0" step="1" placeholder="the sidecar’s" .value=${live(fields.seed)}>
          <span class="help">The same seed gives the same plan if nothing else has changed.</span></label></details>
      ${this.buttons("Make a plan", "Nothing is moved.")}
      ${this.progress("Searching for a better placement")}
      ${this.notice((name) => this.linkTo(name))}
    </form>`;
  }

  /** This page with the similar name in the field of the error. @param {string} name */
  linkTo(name) {
    const { topology, policy, objective, limit } = this.fields;
    const message = this.problem?.message ?? "";
    const field = policy && message.includes(policy) ? "policy" : objective && message.includes("objective") ? "objective" : "topology";
    const query = { topology, policy, objective, time_limit: limit, [field]: name };
    return `/plan?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const { policy, objective, limit, seed } = this.fields;
    const topology = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("topology");
    const body = { topology, policy, objective: objective.trim(), time_limit: number(limit), seed: number(seed) };
    const plan = await this.solve("/plans", body, "Searching for a better placement.");
    if (plan) this.context.go(`/plan/${encodeURIComponent(plan.id)}`);
  }
}

/** @param {PolicyView} policy */
function objectivesOf(policy) {
  if (!policy.optimises.length && !policy.ecker) return "any: this policy ignores it";
  const metrics = policy.mixes ? `${policy.optimises.join(", ")} and weighted sums of them` : `${policy.optimises.join(" or ")} alone`;
  return `${policy.name} optimises ${metrics}${policy.ecker ? ", and Ecker’s score" : ""}`;
}
