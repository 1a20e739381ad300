// The form of the search for the cheapest platform.

import { pathTo } from "./api.js";
import { html, live, nothing } from "./lit.js";
import { LIMITS, number, SolveForm } from "./solve_form.js";

/** @typedef {import("../api.d.ts").CatalogueView} CatalogueView */
/** @typedef {import("../api.d.ts").ProvisionView} ProvisionView */
/** @typedef {import("../api.d.ts").TopologySummary} TopologySummary */

const OWN = " own";
/** The unit of topologies’ CPU: a catalogue in another unit cannot be compared. */
const UNIT = "cores";
const EXAMPLE = 'currency = "€"\nunit = "cores"\n\n[[types]]\nname = "small"\ncpu = 4\ncard_gbit = 10\nprice = 120';
/** The field that an error is about, by its message. @type {[RegExp, string][]} */
const FIELD_OF_ERROR = [
  [/^no topology|^topology/, "topology"],
  [/throughput/, "throughput"],
  [/tuple_bytes/, "size"],
  [/time.limit/, "limit"],
  [/^no catalogue/, "catalogue"],
  [/catalogue|machine type|\btypes?\b/, "toml"],
];

export class ProvisionForm extends SolveForm {
  /** @param {import("./screen.js").Context} context */
  constructor(context) {
    const query = context.query();
    super(context, {
      topology: query.get("topology") ?? "",
      catalogue: query.get("catalogue") ?? "",
      toml: "",
      throughput: query.get("throughput") ?? "1",
      size: query.get("tuple_bytes") ?? "",
      limit: query.get("time_limit") ?? "10",
    });
    /** @type {ProvisionView|null} */
    this.result = null;
  }

  /** @param {TopologySummary[]} topologies @param {CatalogueView[]} catalogues */
  draw(topologies, catalogues) {
    if (!topologies.length) return html`<p class="empty">No topology is running, so there is nothing to provision for.</p>`;
    const { fields } = this;
    const chosen = topologies.find((it) => it.id === fields.topology || it.name === fields.topology) ?? (fields.topology ? undefined : topologies[0]);
    const catalogue = catalogues.find((it) => it.name === fields.catalogue);
    const invalid = this.invalidField();
    return html`<form class="fields" @submit=${(/** @type {SubmitEvent} */ event) => this.submit(event)} @input=${(/** @type {InputEvent} */ event) => this.update(event)}>
      <label class="field">Topology<select name="topology" aria-invalid=${invalid === "topology"}>
        ${chosen ? nothing : html`<option value=${fields.topology} selected>${fields.topology}</option>`}
        ${topologies.map((it) => html`<option value=${it.id} ?selected=${it === chosen}>${it.name}</option>`)}</select>
        <span class="help">${chosen ? "with its measured rates and CPU" : "not running"}</span></label>
      <label class="field">From<select name="catalogue" aria-invalid=${invalid === "catalogue"}>
        <option value="" ?selected=${!fields.catalogue}>the present supervisors</option>
        ${catalogues.map((it) => html`<option value=${it.name} ?selected=${it.name === fields.catalogue} ?disabled=${it.unit !== UNIT}>catalogue ${it.name}${it.unit === UNIT ? "" : `: CPU in ${it.unit}`}</option>`)}
        ${fields.catalogue && fields.catalogue !== OWN && !catalogue ? html`<option value=${fields.catalogue} selected>${fields.catalogue}</option>` : nothing}
        <option value=${OWN} ?selected=${fields.catalogue === OWN}>a catalogue of my own</option></select>
        <span class="help">${fields.catalogue === "" ? "Which of them can be switched off?" : catalogue ? `${catalogue.types} machine types, prices in ${catalogue.currency}` : "Enter machine types as TOML below."}</span></label>
      <label class="field">Throughput<input name="throughput" type="number" inputmode="decimal" min="0" step="any" required aria-invalid=${invalid === "throughput"} .value=${live(fields.throughput)}>
        <span class="help">In multiples of the present one: 2 is twice as much.</span></label>
      <label class="field">Bytes per tuple<input name="size" type="number" inputmode="decimal" min="0" step="any" placeholder="unknown" aria-invalid=${invalid === "size"} .value=${live(fields.size)}>
        <span class="help">Required with a catalogue; Storm does not report it.</span></label>
      <label class="field">Time limit, seconds<input name="limit" type="number" inputmode="decimal" min=${LIMITS[0]} max=${LIMITS[1]} step="any" aria-invalid=${invalid === "limit"} .value=${live(fields.limit)}>
        <span class="help">${LIMITS[0]} to ${LIMITS[1]}; more time may find a cheaper platform</span></label>
      ${fields.catalogue === OWN ? html`<label class="field whole">Catalogue<textarea name="toml" rows="8" spellcheck="false" required placeholder=${EXAMPLE} aria-invalid=${invalid === "toml"} .value=${live(fields.toml)}></textarea>
        <span class="help">Machine types as TOML: cores, Gbit/s of the network card, price; optionally memory_gb and the number available (count).</span></label>` : nothing}
      ${this.notice((name) => this.linkTo(name))}
      ${this.buttons("Find the cheapest", "Nothing is bought, moved or switched off.")}
      ${this.progress("Searching for the cheapest machines")}
    </form>`;
  }

  /** The field that the error is about; null if it is none of them. */
  invalidField() {
    const refused = this.problem?.problem.status === 422 || this.problem?.problem.status === 404;
    const message = refused ? (this.problem?.message ?? "") : "";
    return (message && FIELD_OF_ERROR.find(([pattern]) => pattern.test(message))?.[1]) || null;
  }

  /** This page with the similar name in the field of the error. @param {string} name */
  linkTo(name) {
    const { topology, catalogue, throughput, size, limit } = this.fields;
    const field = this.invalidField() === "catalogue" ? "catalogue" : "topology";
    const query = { topology, catalogue, throughput, tuple_bytes: size, time_limit: limit, [field]: name };
    return `/provision?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const { catalogue, toml, throughput, size, limit } = this.fields;
    const topology = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("topology"));
    const body = { catalogue: catalogue === OWN ? toml : catalogue, throughput: number(throughput), tuple_bytes: number(size), time_limit: number(limit) };
    this.result = null;
    this.result = await this.solve(pathTo(["topologies", topology, "provision"]), body, "Searching for the cheapest machines.");
    if (this.result) this.context.announce(`${this.result.price === null ? "Nothing found" : "Found"}: ${this.result.status}.`);
  }
}
