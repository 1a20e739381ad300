// What to expect of a topology at another rate, without a host or placed again: what saturates first, and how busy hosts would be.

import { ApiError, pathTo, read } from "./api.js";
import { html, live, nothing, svg } from "./lit.js";
import { ms, percent, plain, plural } from "./format.js";
import { movesTable } from "./moves.js";
import { problemNotice } from "./problem.js";
import { signalMark } from "./signals.js";
import { compareNames } from "./sites.js";

/** @typedef {import("../api.d.ts").ForecastView} ForecastView */
/** @typedef {import("../api.d.ts").HostUtilisationView} HostUtilisationView */
/** @typedef {import("../api.d.ts").IntervalView} IntervalView */
/** @typedef {import("../api.d.ts").PolicyView} PolicyView */
/** @typedef {import("./sites.js").Sites} Sites */

const RATES = ["1", "1.5", "2", "3"];
const MOST_EXECUTORS = 5;
const WIDTH = 100;

/** What is asked for if nothing is chosen: what runs, as it runs. */
const PRESENT = { rate: "1", off: "", policy: "" };

/** Asks the sidecar; what is chosen is part of the page’s URL. */
export class ForecastPanel {
  /** @param {import("./screen.js").Context} context @param {string} topology */
  constructor(context, topology) {
    this.context = context;
    this.topology = topology;
    const query = context.query();
    this.chosen = { rate: query.get("rate") ?? PRESENT.rate, off: query.get("off") ?? PRESENT.off, policy: query.get("policy") ?? PRESENT.policy };
    /** @type {ForecastView|null} */
    this.answer = null;
    /** @type {ApiError|null} */
    this.problem = null;
    void this.ask();
  }

  /** @param {Partial<typeof PRESENT>} change  The rate is in multiples of the present one. */
  choose(change) {
    this.chosen = { ...this.chosen, ...change };
    const query = this.context.query();
    for (const name of /** @type {(keyof typeof PRESENT)[]} */ (Object.keys(PRESENT))) {
      if (this.chosen[name] === PRESENT[name]) query.delete(name);
      else query.set(name, this.chosen[name]);
    }
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    if (this.solves) this.answer = this.problem = null; // seconds may pass
    this.context.redraw();
    void this.ask(true);
  }

  /** Whether the sidecar has to look for a placement. */
  get solves() {
    return this.chosen.off !== "" || this.chosen.policy !== "";
  }

  /** What runs has changed; a solver is not started for each change. */
  refresh() {
    if (!this.solves) void this.ask();
  }

  async ask(announced = false) {
    const { chosen } = this;
    try {
      const { view } = await read(pathTo(["topologies", this.topology, "forecast"], chosen), this.context.signal);
      if (chosen !== this.chosen) return;
      this.answer = view;
      this.problem = null;
      if (announced) this.context.announce(verdict(view));
    } catch (error) {
      if (!(error instanceof ApiError) || chosen !== this.chosen) return;
      this.answer = null;
      this.problem = error;
    }
    this.context.redraw();
  }

  /** @param {Sites} sites @param {PolicyView[]} policies @param {number} at */
  draw(sites, policies, at) {
    const { rate, off, policy } = this.chosen;
    const hosts = [...new Set([...sites.ofHost.keys(), ...(off ? [off] : [])])].sort(compareNames);
    const names = [...new Set([...policies.map((it) => it.name), ...(policy ? [policy] : [])])];
    const choice = (/** @type {"off"|"policy"} */ name, /** @type {string} */ none, /** @type {string[]} */ all) =>
      html`<select name=${name}><option value="" ?selected=${!this.chosen[name]}>${none}</option>${all.map((it) => html`<option value=${it} ?selected=${it === this.chosen[name]}>${it}</option>`)}</select>`;
    return html`<section class="card" aria-labelledby="what-if-title"><h2 id="what-if-title">What if</h2>
      <form class="row" @submit=${(/** @type {SubmitEvent} */ event) => this.submitted(event)}>
        <fieldset class="choices"><legend>Rate</legend>${RATES.map((it) => html`<label><input type="radio" name="preset" .checked=${live(it === rate)} @change=${() => this.choose({ rate: it })}>${it} ×</label>`)}</fieldset>
        <label class="rate">Other, × the present <input name="rate" type="number" inputmode="decimal" min="0" step="any" required .value=${live(rate)}></label>
        <label>Host that is off ${choice("off", "none", hosts)}</label>
        <label>Placed by ${choice("policy", "as it runs", names)}</label>
        <button type="submit">Ask</button></form>
      ${this.problem ? problemNotice(this.problem.problem) : nothing}
      ${this.solves && !this.answer && !this.problem ? html`<p class="loading" role="status">Looking for a placement …</p>` : nothing}
      ${this.answer ? forecast(this.answer, sites, at) : nothing}</section>`;
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    this.choose({ rate: String(form.get("rate")), off: String(form.get("off")), policy: String(form.get("policy")) });
  }
}

/** @param {ForecastView} it @param {Sites} sites @param {number} at */
function forecast(it, sites, at) {
  const then = condition(it);
  const changed = then !== "";
  const column = (/** @type {string} */ now) => html`<th scope="col" class="figure">${now}</th>${changed ? html`<th scope="col" class="figure">${then}</th>` : nothing}`;
  const row = (/** @type {string} */ title, /** @type {(prospect: import("../api.d.ts").ProspectView) => string} */ value) =>
    html`<tr><th scope="row">${title}</th><td class="figure">${value(it.now)}</td>${changed ? html`<td class="figure">${value(it.then)}</td>` : nothing}</tr>`;
  const shares = it.hosts.flatMap((host) => [host.measured, host.now.greatest, host.then?.greatest]);
  const most = Math.max(1, ...shares.map((share) => share ?? 0));
  return html`<div class="forecast"><p class="notice ${(it.then.sustainable.value ?? Infinity) < it.rate ? "warn" : ""}">${verdict(it)}</p>
    ${it.remarks.map((remark) => html`<p class="help">${remark}</p>`)}
    <div class="scroll" tabindex="0" role="group" aria-label="Predicted"><table class="dense">
      <caption>${it.moves.length ? `With ${plural(it.moves.length, "executor")} elsewhere` : "Where it runs"}; nothing is moved. In brackets: the interval by the errors of what is measured</caption>
      <thead><tr><th scope="col">Predicted</th>${column("Now")}</tr></thead>
      <tbody>${row("Throughput, tuples/s", ({ throughput }) => between(throughput, plain))}
        ${row("Response time", ({ response_time }) => between(response_time, ms))}
        ${row("Sustains", ({ sustainable }) => `${between(sustainable, times)} the present rate`)}
        ${row("Saturates first", ({ bottleneck }) => bottleneck || "nothing")}</tbody></table></div>
    <div class="scroll utilisation" tabindex="0" role="group" aria-label="CPU of hosts"><table class="dense">
      <caption>CPU of hosts, of all their cores. Bar: predicted${changed ? `, ${then}` : ""}; thin line: its interval; upright mark: measured now</caption>
      <thead><tr><th scope="col">Host</th><th scope="col" class="figure">Measured</th><th scope="col">Reported</th>${column("Predicted now")}<th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead>
      <tbody>${it.hosts.map((host) => html`<tr><th scope="row">${sites.label(host.host)}</th><td class="figure">${percent(host.measured)}</td><td>${signalMark(host.report, at)}</td>
        <td class="figure">${between(host.now, percent)}</td>${changed ? html`<td class="figure">${host.then ? between(host.then, percent) : "off"}</td>` : nothing}
        <td class="bar">${bar(host, most)}</td></tr>`)}</tbody></table></div>
    <div class="scroll" tabindex="0" role="group" aria-label="Busiest executors"><table class="dense"><caption>The busiest executors, of one thread each</caption>
      <thead><tr><th scope="col">Executor</th>${column("Predicted now")}</tr></thead>
      <tbody>${it.executors.slice(0, MOST_EXECUTORS).map((one) => html`<tr><th scope="row">${one.executor}</th><td class="figure">${between(one.now, percent)}</td>${changed ? html`<td class="figure">${between(one.then, percent)}</td>` : nothing}</tr>`)}</tbody></table></div>
    ${it.moves.length ? movesTable(it.moves, sites, { caption: "Executors elsewhere" }) : nothing}</div>`;
}

/** What is different from the present, as a heading; empty: nothing. @param {ForecastView} it */
function condition(it) {
  const parts = [it.rate === 1 ? "" : `at ${plain(it.rate)} ×`, it.off.length ? `without ${it.off.join(", ")}` : "", it.policy ? `placed by ${it.policy}` : ""];
  const text = parts.filter(Boolean).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What saturates first, and when. @param {ForecastView} it */
function verdict(it) {
  const where = condition({ ...it, rate: 1 });
  const { sustainable, bottleneck } = it.then;
  if (sustainable.value === null) return `${where ? `${where}: nothing` : "Nothing"} saturates at any rate: no CPU time is known.`;
  const when = `${bottleneck} saturates first, at ${between(sustainable, times)} the present rate`;
  const rate = `${where ? `${where}: ` : ""}${plain(it.rate)} ×`;
  return sustainable.value < it.rate ? `${rate} is not carried: ${when}.` : `${rate} is carried; ${when}.`;
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
  if (!then) return nothing;
  const x = (/** @type {number|null} */ share) => (Math.min(1, (share ?? most) / most) * WIDTH).toFixed(2);
  return html`<svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<path class="full" d="M${x(1)} 0V16"/><rect class="predicted" x="0" y="3" width=${x(then.value)} height="10"/>
      <path class="interval" d="M${x(then.least)} 8H${x(then.greatest)}"/>${measured === null ? nothing : svg`<path class="measured" d="M${x(measured)} 0V16"/>`}`}</svg>`;
}
