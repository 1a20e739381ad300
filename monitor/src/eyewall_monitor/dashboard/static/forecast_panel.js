// What to expect of a topology at another rate: what saturates first, and how busy hosts would be.

import { ApiError, pathTo, read } from "./api.js";
import { html, live, nothing, svg } from "./lit.js";
import { ms, percent, plain } from "./format.js";
import { problemNotice } from "./problem.js";
import { signalMark } from "./signals.js";

/** @typedef {import("../api.d.ts").ForecastView} ForecastView */
/** @typedef {import("../api.d.ts").HostUtilisationView} HostUtilisationView */
/** @typedef {import("../api.d.ts").IntervalView} IntervalView */
/** @typedef {import("./sites.js").Sites} Sites */

const RATES = ["1", "1.5", "2", "3"];
const MOST_EXECUTORS = 5;
const WIDTH = 100;

/** Asks the sidecar; the rate is part of the page’s URL. */
export class ForecastPanel {
  /** @param {import("./screen.js").Context} context @param {string} topology */
  constructor(context, topology) {
    this.context = context;
    this.topology = topology;
    this.rate = context.query().get("rate") ?? "1";
    /** @type {ForecastView|null} */
    this.answer = null;
    /** @type {ApiError|null} */
    this.problem = null;
    void this.ask();
  }

  /** @param {string} rate  In multiples of the present one. */
  choose(rate) {
    this.rate = rate;
    const query = this.context.query();
    if (rate === "1") query.delete("rate");
    else query.set("rate", rate);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    void this.ask(true);
  }

  async ask(announced = false) {
    const { rate } = this;
    try {
      const { view } = await read(pathTo(["topologies", this.topology, "forecast"], { rate }), this.context.signal);
      if (rate !== this.rate) return;
      this.answer = view;
      this.problem = null;
      if (announced) this.context.announce(`At ${rate} times the present rate: ${verdict(view)}`);
    } catch (error) {
      if (!(error instanceof ApiError) || rate !== this.rate) return;
      this.answer = null;
      this.problem = error;
    }
    this.context.redraw();
  }

  /** @param {Sites} sites @param {number} at */
  draw(sites, at) {
    return html`<section class="card" aria-labelledby="what-if-title"><h2 id="what-if-title">What if</h2>
      <form class="row" @submit=${(/** @type {SubmitEvent} */ event) => this.submitted(event)}>
        <fieldset class="choices"><legend>Rate</legend>${RATES.map((it) => html`<label><input type="radio" name="preset" .checked=${live(it === this.rate)} @change=${() => this.choose(it)}>${it} ×</label>`)}</fieldset>
        <label class="rate">Other, × the present <input name="rate" type="number" inputmode="decimal" min="0" step="any" required .value=${live(this.rate)}></label>
        <button type="submit">Ask</button></form>
      ${this.problem ? problemNotice(this.problem.problem) : nothing}
      ${this.answer ? forecast(this.answer, sites, at) : nothing}</section>`;
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    this.choose(String(form.get("rate")));
  }
}

/** @param {ForecastView} it @param {Sites} sites @param {number} at */
function forecast(it, sites, at) {
  const changed = it.rate !== 1;
  const rate = `${plain(it.rate)} ×`;
  const column = (/** @type {string} */ now) => html`<th scope="col" class="figure">${now}</th>${changed ? html`<th scope="col" class="figure">At ${rate}</th>` : nothing}`;
  const row = (/** @type {string} */ title, /** @type {(prospect: import("../api.d.ts").ProspectView) => string} */ value) =>
    html`<tr><th scope="row">${title}</th><td class="figure">${value(it.now)}</td>${changed ? html`<td class="figure">${value(it.then)}</td>` : nothing}</tr>`;
  const shares = it.hosts.flatMap((host) => [host.measured, host.now.greatest, host.then.greatest]);
  const most = Math.max(1, ...shares.map((share) => share ?? 0));
  return html`<div class="forecast"><p class="notice ${(it.then.sustainable.value ?? Infinity) < it.rate ? "warn" : ""}">${verdict(it)}</p>
    ${it.remarks.map((remark) => html`<p class="help">${remark}</p>`)}
    <div class="scroll" tabindex="0" role="group" aria-label="Predicted"><table class="dense">
      <caption>Where it runs; nothing is moved. In brackets: the interval by the errors of what is measured</caption>
      <thead><tr><th scope="col">Predicted</th>${column("Now")}</tr></thead>
      <tbody>${row("Throughput, tuples/s", ({ throughput }) => between(throughput, plain))}
        ${row("Response time", ({ response_time }) => between(response_time, ms))}
        ${row("Sustains", ({ sustainable }) => `${between(sustainable, times)} the present rate`)}
        ${row("Saturates first", ({ bottleneck }) => bottleneck || "nothing")}</tbody></table></div>
    <div class="scroll utilisation" tabindex="0" role="group" aria-label="CPU of hosts"><table class="dense">
      <caption>CPU of hosts, of all their cores. Bar: predicted${changed ? ` at ${rate}` : ""}; thin line: its interval; upright mark: measured now</caption>
      <thead><tr><th scope="col">Host</th><th scope="col" class="figure">Measured</th><th scope="col">Reported</th>${column("Predicted now")}<th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead>
      <tbody>${it.hosts.map((host) => html`<tr><th scope="row">${sites.label(host.host)}</th><td class="figure">${percent(host.measured)}</td><td>${signalMark(host.report, at)}</td>
        <td class="figure">${between(host.now, percent)}</td>${changed ? html`<td class="figure">${between(host.then, percent)}</td>` : nothing}
        <td class="bar">${bar(host, most)}</td></tr>`)}</tbody></table></div>
    <div class="scroll" tabindex="0" role="group" aria-label="Busiest executors"><table class="dense"><caption>The busiest executors, of one thread each</caption>
      <thead><tr><th scope="col">Executor</th>${column("Predicted now")}</tr></thead>
      <tbody>${it.executors.slice(0, MOST_EXECUTORS).map((one) => html`<tr><th scope="row">${one.executor}</th><td class="figure">${between(one.now, percent)}</td>${changed ? html`<td class="figure">${between(one.then, percent)}</td>` : nothing}</tr>`)}</tbody></table></div></div>`;
}

/** What saturates first, and when. @param {ForecastView} it */
function verdict(it) {
  const { sustainable, bottleneck } = it.then;
  if (sustainable.value === null) return "Nothing saturates at any rate: no CPU time is known.";
  const when = `${bottleneck} saturates first, at ${between(sustainable, times)} the present rate`;
  return sustainable.value < it.rate ? `${plain(it.rate)} × is not carried: ${when}.` : `${plain(it.rate)} × is carried; ${when}.`;
}

/** @param {IntervalView} it @param {(value: number) => string} format */
function between({ value, least, greatest }, format) {
  const [shown, from, to] = [value, least, greatest].map((it) => (it === null ? "without bound" : format(it)));
  return from === to ? shown : `${shown} (${from} to ${to})`;
}

/** @param {number} multiple */
function times(multiple) {
  return `${plain(multiple)} ×`;
}

/** @param {HostUtilisationView} host @param {number} most  The share at the right end. */
function bar({ then, measured }, most) {
  const x = (/** @type {number|null} */ share) => (Math.min(1, (share ?? most) / most) * WIDTH).toFixed(2);
  return html`<svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<path class="full" d="M${x(1)} 0V16"/><rect class="predicted" x="0" y="3" width=${x(then.value)} height="10"/>
      <path class="interval" d="M${x(then.least)} 8H${x(then.greatest)}"/>${measured === null ? nothing : svg`<path class="measured" d="M${x(measured)} 0V16"/>`}`}</svg>`;
}
