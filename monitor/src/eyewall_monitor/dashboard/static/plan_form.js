// What to plan, and the wait for it.

import { ApiError, send } from "./api.js";
import { html, live, nothing } from "./drawing.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../views.d.ts").PolicyView} PolicyView */
/** @typedef {import("../views.d.ts").TopologySummary} TopologySummary */

const OBJECTIVES = ["R=1", "T=1", "N=1", "A=1", "R=0.5,A=0.2,N=0.3", "ecker"];
const LIMITS = [1, 60];
const TICK = 200;

export class PlanForm {
  /** @param {import("./screen.js").Context} context */
  constructor(context) {
    const query = context.query();
    this.context = context;
    this.topology = query.get("topology") ?? "";
    this.policy = query.get("policy") ?? "";
    this.objective = query.get("objective") ?? "";
    this.limit = query.get("time_limit") ?? "5";
    this.seed = "";
    /** @type {ApiError|null} */
    this.problem = null;
    /** @type {AbortController|null} */
    this.asking = null;
    this.since = 0;
    this.ticker = 0;
  }

  end() {
    clearInterval(this.ticker);
    this.asking?.abort();
  }

  /** @param {TopologySummary[]} topologies @param {PolicyView[]} policies */
  draw(topologies, policies) {
    if (!topologies.length) return html`<p class="empty">No topology runs: there is nothing to plan.</p>`;
    const chosen = topologies.find((it) => it.id === this.topology || it.name === this.topology) ?? (this.topology ? undefined : topologies[0]);
    const policy = policies.find((it) => it.name === (this.policy || chosen?.policy));
    return html`<form class="fields" @submit=${(/** @type {SubmitEvent} */ event) => this.submitted(event)} @input=${(/** @type {InputEvent} */ event) => this.noted(event)}>
      <label class="field">Topology<select name="topology">
        ${chosen ? nothing : html`<option value=${this.topology} selected>${this.topology}</option>`}
        ${topologies.map((it) => html`<option value=${it.id} ?selected=${it === chosen}>${it.name}</option>`)}</select>
        <span class="help">${chosen ? `${chosen.mode}; decided by ${chosen.policy || "its default"}, ${chosen.objective || "no objective"}` : "no such topology runs"}</span></label>
      <label class="field">Policy<select name="policy"><option value="">the topology’s own</option>
        ${policies.map((it) => html`<option value=${it.name} ?selected=${it.name === this.policy}>${it.name}</option>`)}</select>
        <span class="help">${policy ? `${policy.title}: take it ${policy.take_it}.` : ""}</span></label>
      <label class="field">Objective<input name="objective" list="objectives" autocomplete="off" spellcheck="false" placeholder=${chosen?.objective || "the topology’s own"} .value=${live(this.objective)}>
        <span class="help">${policy ? takes(policy) : "R=1, or weights that sum to 1"}</span></label>
      <datalist id="objectives">${OBJECTIVES.map((it) => html`<option value=${it}></option>`)}</datalist>
      <label class="field">Time limit, seconds<input name="limit" type="number" inputmode="decimal" min=${LIMITS[0]} max=${LIMITS[1]} step="any" .value=${live(this.limit)}>
        <span class="help">${LIMITS[0]} to ${LIMITS[1]}; more may find better</span></label>
      <details class="whole"><summary>How objectives are written, and the seed</summary>
        <dl class="facts terms">
          <div><dt><code>R=1</code></dt><dd>response time, the longest path from a source to a sink</dd></div>
          <div><dt><code>A=1</code></dt><dd>availability of all that it needs</dd></div>
          <div><dt><code>T=1</code></dt><dd>inter-node traffic, tuples/s between hosts</dd></div>
          <div><dt><code>N=1</code></dt><dd>network usage, traffic times delay</dd></div>
          <div><dt><code>EE=1</code></dt><dd>elastic energy, traffic times delay squared</dd></div>
          <div><dt><code>R=0.5,A=0.2,N=0.3</code></dt><dd>several at once: weights that sum to 1</dd></div>
          <div><dt><code>ecker</code></dt><dd>Ecker’s score; with weights: <code>ecker=lat:1e-6,sup:1,co:1,event:1</code></dd></div>
        </dl>
        <label class="field">Seed<input name="seed" type="number" min="0" step="1" placeholder="the sidecar’s" .value=${live(this.seed)}>
          <span class="help">The same seed finds the same, where nothing else has changed.</span></label></details>
      <div class="row whole"><button type="submit" class="main" ?disabled=${Boolean(this.asking)}>Plan it</button>
        ${this.asking ? html`<button type="button" @click=${() => this.asking?.abort()}>Cancel</button>` : nothing}
        <span class="muted">Nothing is moved.</span></div>
      ${this.asking ? this.progress() : nothing}
      ${this.problem ? html`<div class="whole" role="alert">${problemNotice(this.problem.problem, (name) => this.meant(name))}</div>` : nothing}
    </form>`;
  }

  progress() {
    const most = Number(this.limit) || 5;
    const passed = (Date.now() - this.since) / 1000;
    return html`<div class="whole"><progress max=${most} value=${Math.min(passed, most)} aria-label="Looking for a better placement"></progress>
      <p class="help">${passed < most ? `Looking for ${passed.toFixed(0)} s of ${most} s at most; a proof ends it sooner.` : `${passed.toFixed(0)} s: the answer is on its way.`}</p></div>`;
  }

  /** @param {InputEvent} event */
  noted(event) {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (["topology", "policy", "objective", "limit", "seed"].includes(field.name)) {
      this[/** @type {"topology"|"policy"|"objective"|"limit"|"seed"} */ (field.name)] = field.value;
    }
    this.context.redraw();
  }

  /** @param {string} name  A topology, a policy or a term: wherever the mistake was. */
  meant(name) {
    const said = this.problem?.message ?? "";
    const field = this.policy && said.includes(this.policy) ? "policy" : this.objective && said.includes("objective") ? "objective" : "topology";
    const query = { topology: this.topology, policy: this.policy, objective: this.objective, time_limit: this.limit, [field]: name };
    return `/plan?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  }

  /** @param {SubmitEvent} event */
  async submitted(event) {
    event.preventDefault();
    if (this.asking) return;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const number = (/** @type {string} */ name) => (given.get(name) ? Number(given.get(name)) : null);
    this.asking = new AbortController();
    this.problem = null;
    this.since = Date.now();
    this.ticker = window.setInterval(this.context.redraw, TICK);
    this.context.tell("Looking for a better placement.");
    this.context.redraw();
    try {
      const request = { topology: given.get("topology"), policy: given.get("policy"), objective: String(given.get("objective")).trim(), time_limit: number("limit"), seed: number("seed") };
      const { view } = await send("POST", "/plans", request, this.asking.signal);
      this.context.go(`/plan/${encodeURIComponent(view.id)}`);
    } catch (error) {
      if (error instanceof ApiError) this.problem = error;
      else if (!this.asking.signal.aborted) throw error;
    } finally {
      this.asking = null;
      clearInterval(this.ticker);
      this.context.redraw();
    }
  }
}

/** @param {PolicyView} policy */
function takes(policy) {
  if (!policy.optimises.length && !policy.ecker) return "any: it does not look at it";
  const terms = policy.mixes ? `${policy.optimises.join(", ")} and mixes of them` : `${policy.optimises.join(" or ")} alone`;
  return `${policy.name} takes ${terms}${policy.ecker ? ", Ecker’s score" : ""}`;
}
