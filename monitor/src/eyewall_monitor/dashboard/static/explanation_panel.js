// Why an executor runs where it runs, and what every other host would mean for it.

import { ApiError, pathTo, read } from "./api.js";
import { html, live, nothing, svg } from "./lit.js";
import { ms, msNumber, perSecond, plain, signed } from "./format.js";
import { problemNotice } from "./problem.js";

/** @typedef {import("../api.d.ts").ExplanationView} ExplanationView */
/** @typedef {import("../api.d.ts").AlternativeView} AlternativeView */
/** @typedef {import("./sites.js").Sites} Sites */

const MOST_OFFERED = 300;

/** Asks the sidecar; the question is part of the page’s URL. */
export class ExplanationPanel {
  /** @param {import("./screen.js").Context} context @param {string} topology */
  constructor(context, topology) {
    this.context = context;
    this.topology = topology;
    this.executor = context.query().get("executor") ?? "";
    this.host = context.query().get("host") ?? "";
    /** @type {ExplanationView|null} */
    this.answer = null;
    /** @type {ApiError|null} */
    this.problem = null;
    this.asking = false;
    this.scrollTo = false;
    if (this.executor) void this.ask();
  }

  /** @param {string} executor @param {string} [host] */
  choose(executor, host = "") {
    this.executor = executor;
    this.host = host;
    const query = this.context.query();
    for (const [name, value] of [["executor", executor], ["host", host]]) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    this.scrollTo = Boolean(executor);
    if (executor) void this.ask();
    else this.answer = this.problem = null;
    this.context.redraw();
  }

  async ask() {
    const { executor, host } = this;
    this.asking = true;
    this.context.redraw();
    try {
      const { view } = await read(pathTo(["topologies", this.topology, "explain"], { executor, host }), this.context.signal);
      if (executor !== this.executor || host !== this.host) return;
      this.answer = view;
      this.problem = null;
      this.context.announce(view.answer);
    } catch (error) {
      if (!(error instanceof ApiError)) return;
      if (executor !== this.executor || host !== this.host) return;
      this.answer = null;
      this.problem = error;
    }
    this.asking = false;
    this.context.redraw();
  }

  /** Scroll the answer into view on small screens. @param {HTMLElement} root */
  shown(root) {
    if (!this.scrollTo || this.asking) return;
    this.scrollTo = false;
    root.querySelector(".answer")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string[]} executors @param {string[]} hosts @param {Sites} sites */
  draw(executors, hosts, sites) {
    return html`<section class="card" aria-labelledby="why-title"><h2 id="why-title">Why it runs there</h2>
      <form class="fields" @submit=${(/** @type {SubmitEvent} */ event) => this.submitted(event)}>
        <label class="field">Executor
          <input name="executor" list="executors" autocomplete="off" placeholder="select one in the graph" .value=${live(this.executor)}></label>
        <label class="field">Why not on this host
          <input name="host" list="hosts" autocomplete="off" placeholder="any" .value=${live(this.host)}></label>
        <div class="row whole"><button type="submit">Ask</button>
          ${this.executor ? html`<button type="button" class="quiet" @click=${() => this.choose("")}>Clear</button>` : nothing}
          ${this.asking ? html`<span class="muted">Asking …</span>` : nothing}</div>
        <datalist id="executors">${executors.slice(0, MOST_OFFERED).map((it) => html`<option value=${it}></option>`)}</datalist>
        <datalist id="hosts">${hosts.slice(0, MOST_OFFERED).map((it) => html`<option value=${it}></option>`)}</datalist>
      </form>
      ${this.problem ? problemNotice(this.problem.problem, (name) => this.linkTo(name)) : nothing}
      ${this.answer ? explanation(this.answer, sites, this.host) : nothing}
    </section>`;
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    this.choose(String(form.get("executor")).trim(), String(form.get("host")).trim());
  }

  /** @param {string} name */
  linkTo(name) {
    const aboutHost = this.problem?.message.includes("host");
    const query = new URLSearchParams(aboutHost ? { executor: this.executor, host: name } : { executor: name, host: this.host });
    return `${location.pathname}?${query}`;
  }
}

/** @param {ExplanationView} it @param {Sites} sites @param {string} asked */
function explanation(it, sites, asked) {
  const most = Math.max(1e-9, ...it.alternatives.map((other) => Math.abs(other.response_time_added ?? 0)));
  return html`<div class="answer"><h3>${it.executor} <span class="muted">on</span> ${sites.label(it.host)}</h3>
    <p class="notice ${it.unknown ? "warn" : ""}">${it.answer}${it.unknown ? html`<br>${it.unknown}` : nothing}</p>
    ${it.on_slowest_path ? html`<p><span class="key line slow-key" aria-hidden="true"></span> It is on the slowest path.</p>` : nothing}
    <div class="scroll" tabindex="0" role="group" aria-label="Alternative hosts"><table class="dense wrapping">
      <caption>If only this executor moved, under ${it.objective}${it.left_out ? `; ${it.left_out} hosts are not shown: ask about one by name` : ""}</caption>
      <thead><tr><th scope="col">Host</th><th scope="col" class="figure">Response time</th><th scope="col"><span class="visually-hidden">As a bar</span></th><th scope="col" class="figure">tuples/s between hosts</th><th scope="col">Forbidden by</th></tr></thead>
      <tbody>${it.alternatives.map((other) => alternative(other, most, sites, asked))}</tbody></table></div>
    ${it.neighbours.length
      ? html`<div class="scroll" tabindex="0" role="group" aria-label="Executors it exchanges tuples with"><table class="dense"><caption>Executors it exchanges tuples with</caption>
        <thead><tr><th scope="col">Executor</th><th scope="col">Host</th><th scope="col" class="figure">tuples/s</th><th scope="col" class="figure">Delay</th></tr></thead>
        <tbody>${it.neighbours.map((other) => html`<tr><th scope="row">${other.upstream ? "from" : "to"} ${other.executor}${other.system ? html` <span class="muted">(acks)</span>` : nothing}</th>
          <td>${sites.label(other.host)}</td><td class="figure">${plain(other.rate)}</td><td class="figure">${ms(other.delay)}</td></tr>`)}</tbody></table></div>`
      : nothing}
    ${it.assumptions.length ? html`<p class="help">Assumptions: ${it.assumptions.join("; ")}.</p>` : nothing}</div>`;
}

/** @param {AlternativeView} it @param {number} most @param {Sites} sites @param {string} asked */
function alternative(it, most, sites, asked) {
  const added = it.response_time_added;
  const width = added === null ? 0 : (Math.abs(added) / most) * 44;
  const traffic = it.rate_between_hosts_added;
  return html`<tr class="${it.current ? "current" : ""} ${it.constraint ? "forbidden" : ""}"><th scope="row">${sites.label(it.host)}${it.current ? html` <span class="badge">now</span>` : it.host === asked ? html` <span class="badge">asked</span>` : nothing}</th>
    <td class="figure">${added === null || it.current ? (it.current ? "unchanged" : "–") : signed(added, (value) => `${msNumber(value)} ms`)}</td>
    <td class="delta"><svg viewBox="0 0 90 12" aria-hidden="true">${svg`<path class="zero" d="M45 0V12"/>${added ? svg`<rect class=${added > 0 ? "more" : "less"} x=${added > 0 ? 45 : 45 - width} y="2" width=${width} height="8"/>` : nothing}`}</svg></td>
    <td class="figure">${traffic === null || it.current ? "–" : signed(traffic, plain)}</td>
    <td class="words">${it.constraint ? html`<strong>${it.constraint}</strong>: ${it.reason}` : "–"}</td></tr>`;
}
