// Which platform to look for, and the wait for it.

import { ApiError, pathTo, send } from "./api.js";
import { html, live, nothing } from "./drawing.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../views.d.ts").CatalogueView} CatalogueView */
/** @typedef {import("../views.d.ts").ProvisionView} ProvisionView */
/** @typedef {import("../views.d.ts").TopologySummary} TopologySummary */
/** @typedef {"topology"|"catalogue"|"toml"|"throughput"|"size"|"limit"} Field */

const LIMITS = [1, 60];
const TICK = 200;
const OWN = " own";
/** What topologies' CPU is in: a catalogue that counts otherwise cannot be held against it. */
const UNIT = "cores";
const EXAMPLE = 'currency = "€"\nunit = "cores"\n\n[[types]]\nname = "small"\ncpu = 4\ncard_gbit = 10\nprice = 120';
/** @type {[RegExp, Field][]}  What a refusal is about, by the words in it. */
const ABOUT = [
  [/^no topology|^topology/, "topology"],
  [/throughput/, "throughput"],
  [/tuple_bytes/, "size"],
  [/time.limit/, "limit"],
  [/^no catalogue/, "catalogue"],
  [/catalogue|machine type|\btypes?\b/, "toml"],
];

export class ProvisionForm {
  /** @param {import("./screen.js").Context} context */
  constructor(context) {
    const query = context.query();
    this.context = context;
    this.topology = query.get("topology") ?? "";
    this.catalogue = query.get("catalogue") ?? "";
    this.toml = "";
    this.throughput = query.get("throughput") ?? "1";
    this.size = query.get("tuple_bytes") ?? "";
    this.limit = query.get("time_limit") ?? "10";
    /** @type {ApiError|null} */
    this.problem = null;
    /** @type {AbortController|null} */
    this.asking = null;
    /** @type {ProvisionView|null} */
    this.found = null;
    this.since = 0;
    this.ticker = 0;
  }

  end() {
    clearInterval(this.ticker);
    this.asking?.abort();
  }

  /** @param {TopologySummary[]} topologies @param {CatalogueView[]} catalogues */
  draw(topologies, catalogues) {
    if (!topologies.length) return html`<p class="empty">No topology runs: there is nothing to buy for.</p>`;
    const chosen = topologies.find((it) => it.id === this.topology || it.name === this.topology) ?? (this.topology ? undefined : topologies[0]);
    const about = catalogues.find((it) => it.name === this.catalogue);
    const wrong = this.wrongField();
    return html`<form class="fields" @submit=${(/** @type {SubmitEvent} */ event) => this.submitted(event)} @input=${(/** @type {InputEvent} */ event) => this.noted(event)}>
      <label class="field">Topology<select name="topology" aria-invalid=${wrong === "topology"}>
        ${chosen ? nothing : html`<option value=${this.topology} selected>${this.topology}</option>`}
        ${topologies.map((it) => html`<option value=${it.id} ?selected=${it === chosen}>${it.name}</option>`)}</select>
        <span class="help">${chosen ? "with the rates and the CPU that were measured" : "no such topology runs"}</span></label>
      <label class="field">From<select name="catalogue" aria-invalid=${wrong === "catalogue"}>
        <option value="" ?selected=${!this.catalogue}>the supervisors that are there</option>
        ${catalogues.map((it) => html`<option value=${it.name} ?selected=${it.name === this.catalogue} ?disabled=${it.unit !== UNIT}>catalogue ${it.name}${it.unit === UNIT ? "" : `: counts ${it.unit}`}</option>`)}
        ${this.catalogue && this.catalogue !== OWN && !about ? html`<option value=${this.catalogue} selected>${this.catalogue}</option>` : nothing}
        <option value=${OWN} ?selected=${this.catalogue === OWN}>a catalogue of my own</option></select>
        <span class="help">${this.catalogue === "" ? "Which of them can be switched off?" : about ? `${about.types} machine types, prices in ${about.currency}` : "Machine types as TOML, below."}</span></label>
      <label class="field">Throughput<input name="throughput" type="number" inputmode="decimal" min="0" step="any" required aria-invalid=${wrong === "throughput"} .value=${live(this.throughput)}>
        <span class="help">In multiples of what it carries now: 2 is twice as much.</span></label>
      <label class="field">Bytes a tuple<input name="size" type="number" inputmode="decimal" min="0" step="any" placeholder="unknown" aria-invalid=${wrong === "size"} .value=${live(this.size)}>
        <span class="help">Storm does not tell it; to buy it has to be known.</span></label>
      <label class="field">Time limit, seconds<input name="limit" type="number" inputmode="decimal" min=${LIMITS[0]} max=${LIMITS[1]} step="any" aria-invalid=${wrong === "limit"} .value=${live(this.limit)}>
        <span class="help">${LIMITS[0]} to ${LIMITS[1]}; more may find cheaper</span></label>
      ${this.catalogue === OWN ? html`<label class="field whole">Catalogue<textarea name="toml" rows="8" spellcheck="false" required placeholder=${EXAMPLE} aria-invalid=${wrong === "toml"} .value=${live(this.toml)}></textarea>
        <span class="help">Machine types as TOML: cores, Gbit/s of the network card, price; perhaps memory_gb, and how many (count) can be had.</span></label>` : nothing}
      ${this.problem ? html`<div class="whole" role="alert">${problemNotice(this.problem.problem, (name) => this.meant(name))}</div>` : nothing}
      <div class="row whole"><button type="submit" class="main" ?disabled=${Boolean(this.asking)}>Find the cheapest</button>
        ${this.asking ? html`<button type="button" @click=${() => this.asking?.abort()}>Cancel</button>` : nothing}
        <span class="muted">Nothing is bought, moved or switched off.</span></div>
      ${this.asking ? this.progress() : nothing}
    </form>`;
  }

  progress() {
    const most = Number(this.limit) || Number(LIMITS[1]);
    const passed = (Date.now() - this.since) / 1000;
    return html`<div class="whole"><progress max=${most} value=${Math.min(passed, most)} aria-label="Looking for the cheapest machines"></progress>
      <p class="help">${passed < most ? `Looking for ${passed.toFixed(0)} s of ${most} s at most; a proof ends it sooner.` : `${passed.toFixed(0)} s: the answer is on its way.`}</p></div>`;
  }

  /** The field that a refusal is about; null if none of them is. @returns {Field|null} */
  wrongField() {
    const said = this.problem?.problem.status === 422 || this.problem?.problem.status === 404 ? this.problem.message : "";
    return (said && ABOUT.find(([words]) => words.test(said))?.[1]) || null;
  }

  /** @param {InputEvent} event */
  noted(event) {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (["topology", "catalogue", "toml", "throughput", "size", "limit"].includes(field.name)) {
      this[/** @type {Field} */ (field.name)] = field.value;
    }
    this.context.redraw();
  }

  /** @param {string} name  A topology or a catalogue: wherever the mistake was. */
  meant(name) {
    const field = this.wrongField() === "catalogue" ? "catalogue" : "topology";
    const query = { topology: this.topology, catalogue: this.catalogue, throughput: this.throughput, tuple_bytes: this.size, time_limit: this.limit, [field]: name };
    return `/provision?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  }

  /** @param {SubmitEvent} event */
  async submitted(event) {
    event.preventDefault();
    if (this.asking) return;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const number = (/** @type {string} */ name) => (given.get(name) ? Number(given.get(name)) : null);
    const catalogue = this.catalogue === OWN ? String(given.get("toml")) : this.catalogue;
    this.asking = new AbortController();
    this.problem = null;
    this.found = null;
    this.since = Date.now();
    this.ticker = window.setInterval(this.context.redraw, TICK);
    this.context.tell("Looking for the cheapest machines.");
    this.context.redraw();
    try {
      const request = { catalogue, throughput: number("throughput"), tuple_bytes: number("size"), time_limit: number("limit") };
      const { view } = await send("POST", pathTo(["topologies", String(given.get("topology")), "provision"]), request, this.asking.signal);
      this.found = view;
      this.context.tell(view.price === null ? `Nothing was found: ${view.status}.` : `Found: ${view.status}.`);
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
