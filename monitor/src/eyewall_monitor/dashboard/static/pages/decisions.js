// The history of decisions; the URL holds the filter.

import { pathTo } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { plural, moment, percent } from "../format.js";

/** @typedef {import("../../api.d.ts").DecisionPage} DecisionPage */
/** @typedef {import("../../api.d.ts").DecisionSummary} DecisionSummary */
/** @typedef {import("../../api.d.ts").TopologySummary} TopologySummary */

const VERDICTS = ["placed", "moved", "kept", "declined"];
const COUNT = 30;

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  const query = context.query();
  const topology = query.get("topology") ?? "";
  const verdict = query.get("verdict") ?? "";
  const before = query.get("before") ?? "";
  let newest = "";

  /** @param {Record<string, string>} changed */
  function url(changed) {
    const all = Object.entries({ topology, verdict, ...changed }).filter(([, value]) => value);
    return `/decisions${all.length ? `?${new URLSearchParams(all)}` : ""}`;
  }

  /** @param {TopologySummary[]} running @param {DecisionSummary[]} decisions */
  function filter(running, decisions) {
    const ids = new Map(decisions.map((it) => [it.topology, it.topology]));
    for (const it of running) ids.set(it.id, it.name);
    if (topology && ![...ids].some((it) => it.includes(topology))) ids.set(topology, topology);
    return html`<form class="fields card" aria-label="Filter" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label class="field">Topology<select name="topology" @change=${(/** @type {Event} */ event) => context.go(url({ topology: value(event) }))}>
        <option value="" ?selected=${!topology}>all</option>
        ${[...ids].map(([id, name]) => html`<option value=${id} ?selected=${id === topology || name === topology}>${name}</option>`)}</select></label>
      <label class="field">Verdict<select name="verdict" @change=${(/** @type {Event} */ event) => context.go(url({ verdict: value(event) }))}>
        <option value="" ?selected=${!verdict}>all</option>
        ${VERDICTS.map((it) => html`<option value=${it} ?selected=${it === verdict}>${it}</option>`)}</select></label>
    </form>`;
  }

  return {
    title: "Decisions",
    needs: ["decisions"],
    sources: () => ({
      decisions: { path: pathTo(["decisions"], { topology, verdict, before, count: COUNT }), changedBy: (topic) => topic === "decisions" },
      topologies: { path: "/topologies", changedBy: (topic) => topic === "cluster" },
    }),
    draw: ({ decisions: { view }, topologies }) => {
      /** @type {DecisionPage} */
      const shown = view;
      const first = shown.decisions[0];
      if (newest && first && first.id !== newest && !before) context.announce(`New: ${first.name}, ${first.verdict}. ${first.said}`);
      newest = first?.id ?? "";
      return html`<div class="head"><div><h1>Decisions</h1><p class="lead">Newest first${before ? ", older page" : ""}</p></div></div>
        ${filter(topologies?.view ?? [], shown.decisions)}
        ${shown.unreadable.length
          ? html`<div class="notice warn"><p>${plural(shown.unreadable.length, "record")} left out:</p><ul>${shown.unreadable.map((it) => html`<li>${it}</li>`)}</ul></div>`
          : nothing}
        <section class="card" aria-label="History">
          ${shown.decisions.length ? html`<ol class="history">${repeat(shown.decisions, (it) => it.id, line)}</ol>` : html`<p class="empty">No decision ${topology || verdict ? "matches" : "has been recorded"}.</p>`}
        </section>
        <nav class="row" aria-label="Pages of the history">
          ${before ? html`<a class="button" href=${url({})}>Newest</a>` : nothing}
          ${shown.older ? html`<a class="button" href=${url({ before: shown.older })}>Older</a>` : html`<span class="muted">No older decisions.</span>`}
        </nav>`;
    },
  };
}

/** @param {Event} event */
function value(event) {
  return /** @type {HTMLSelectElement} */ (event.target).value;
}

/** @param {DecisionSummary} it */
function line(it) {
  const details = [
    it.policy && `${it.policy}, ${it.objective}`,
    it.status && `${it.status}${it.gap ? `, gap ${percent(it.gap, 1)}` : ""}`,
    it.decided_by && `decided by ${it.decided_by}`,
    it.moves ? plural(it.moves, "move") + (it.verdict === "kept" ? " found, not made" : "") : "",
    it.workers_started ? `${plural(it.workers_started, "worker")} started${it.overlaps ? ", old ones serve on meanwhile" : ""}` : "",
  ].filter(Boolean);
  return html`<li><time datetime=${new Date(it.at * 1000).toISOString()}>${moment(it.at)}</time>
    <span class="badge ${it.verdict}">${it.verdict}</span>
    <h2 class="plain"><a href="/decisions/${encodeURIComponent(it.id)}">${it.name}<span class="visually-hidden">, ${it.verdict} at ${moment(it.at)}</span></a></h2>
    <p class="message">${it.said}</p>
    ${details.length ? html`<p class="more">${details.join(" · ")}</p>` : nothing}</li>`;
}
