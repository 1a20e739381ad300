// The cheapest platform: the shopping list, what each machine runs, its utilisation, what breaks first.

import { html, nothing } from "./lit.js";
import { bytesPerSecond, plural, megabytes, money, percent, plain } from "./format.js";

/** @typedef {import("../api.d.ts").ProvisionView} ProvisionView */
/** @typedef {import("../api.d.ts").ResourceUseView} ResourceUseView */
/** @typedef {import("../api.d.ts").ShoppingItemView} ShoppingItemView */

/** Tables of utilisation, and their constraints. @type {[string, string[]][]} */
const USES = [
  ["CPU", ["cpu"]],
  ["Memory", ["memory"]],
  ["Network cards", ["card"]],
  ["Servers and links", ["server", "server link", "link"]],
];
const NAMES = { cpu: "CPU", memory: "Memory", card: "Card", server: "Card of the server", "server link": "Link from the server", link: "Link" };

/** @param {ProvisionView} it */
export function provisionResult(it) {
  if (it.price === null) return nothingFound(it);
  const buys = it.catalogue !== "";
  return html`<dl class="strip" aria-label="Result">
      <div><dt>${buys ? "Price" : "Supervisors for it alone"}</dt><dd class="large">${money(it.price, it.currency)}</dd></div>
      <div><dt>${buys ? "Machines" : "Supervisors needed"}</dt><dd class="large">${it.machines.length}</dd></div>
      <div><dt>Throughput</dt><dd class="large">${plain(it.throughput)} × <small>${it.sustained === null ? "" : `sustains ${plain(it.sustained)} ×`}</small></dd></div>
      <div><dt>Status</dt><dd class="large">${it.status} <small>${it.gap ? `gap ${percent(it.gap, 1)}` : ""}</small></dd></div>
    </dl>
    <div class="columns">
      <section class="card" aria-labelledby="list-title"><h2 id="list-title">${buys ? "Shopping list" : "Supervisors that stay on"}</h2>
        ${buys ? shoppingList(it.shopping_list, it, it.price) : html`<p>${it.machines.map((machine) => machine.id).join(", ")}</p>`}
        ${it.not_needed.length ? html`<h3>Can be switched off</h3><p>${it.not_needed.join(", ")}</p><p class="help">As far as ${it.name} is concerned, after its workers have moved to the others.</p>` : nothing}</section>
      <section class="card" aria-labelledby="breaks-title"><h2 id="breaks-title">Overloaded at ${plain(it.breaks_at)} ×</h2>
        ${it.breaks.length ? usesTable(it.breaks, "Over their limits, busiest first") : html`<p class="ok-mark">Nothing.</p>`}</section>
      <section class="card" aria-labelledby="cheaper-title"><h2 id="cheaper-title">The next cheaper platform</h2>${cheaper(it)}</section>
      <section class="card" aria-labelledby="found-title"><h2 id="found-title">How it was computed</h2>${howFound(it)}</section>
    </div>
    <section class="card" aria-labelledby="runs-title"><h2 id="runs-title">What each machine runs</h2>
      <ul class="workers">${it.machines.map((machine) => html`<li class="worker"><h3>${machine.id}</h3>${machine.type === machine.id ? nothing : html`<p class="muted">${machine.type}</p>`}
        <ul>${machine.operators.map((name) => html`<li>${name}</li>`)}</ul></li>`)}</ul></section>
    <div class="columns">${USES.map(([title, constraints], place) => {
      const uses = it.uses.filter((use) => constraints.includes(use.constraint));
      return uses.length
        ? html`<section class="card" aria-labelledby="use-${place}"><h2 id="use-${place}">${title}</h2>${usesTable(uses, "Busiest first")}</section>`
        : nothing;
    })}</div>`;
}

/** @param {ProvisionView} it */
function nothingFound(it) {
  return html`<section class="card" aria-labelledby="none-title"><h2 id="none-title">Nothing found: ${it.status}</h2>
    ${it.reasons.map((text) => html`<p class="notice warn">${text}</p>`)}
    ${sentences("Assumptions", it.assumptions)}</section>`;
}

/** @param {ShoppingItemView[]} items @param {{currency: string}} result @param {number} total */
function shoppingList(items, result, total) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Shopping list"><table class="dense">
    <thead><tr><th scope="col">Type</th><th scope="col" class="figure">Count</th><th scope="col" class="figure">Each</th><th scope="col" class="figure">Sum</th></tr></thead>
    <tbody>${items.map((it) => html`<tr><th scope="row">${it.type}</th><td class="figure">${it.count}</td><td class="figure">${money(it.price, result.currency)}</td><td class="figure">${money(it.sum, result.currency)}</td></tr>`)}
      <tr><th scope="row">Total</th><td class="figure">${items.reduce((sum, it) => sum + it.count, 0)}</td><td></td><td class="figure"><strong>${money(total, result.currency)}</strong></td></tr></tbody></table></div>`;
}

/** @param {ResourceUseView[]} uses @param {string} caption */
function usesTable(uses, caption) {
  const busiest = [...uses].sort((one, other) => (utilisation(other) ?? -1) - (utilisation(one) ?? -1));
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table class="dense"><caption>${caption}</caption>
    <thead><tr><th scope="col">Resource</th><th scope="col" class="figure">Load</th><th scope="col" class="figure">Limit</th><th scope="col">Utilisation</th></tr></thead>
    <tbody>${busiest.map((it) => {
      const used = utilisation(it);
      const name = `${NAMES[/** @type {keyof typeof NAMES} */ (it.constraint)] ?? it.constraint} of ${it.name}`;
      return html`<tr class=${used !== null && used > 1 ? "trouble" : ""}><th scope="row">${it.name}</th><td class="figure">${amount(it, it.load)}</td><td class="figure">${it.limit === null ? "no limit" : amount(it, it.limit)}</td>
        <td>${used === null ? "–" : html`${percent(used)}<meter min="0" max="1" value=${Math.min(used, 1)} aria-label=${name}></meter>`}</td></tr>`;
    })}</tbody></table></div>`;
}

/** The utilisation; null without a limit. @param {ResourceUseView} it */
function utilisation(it) {
  if (it.limit === null) return null;
  return it.limit > 0 ? it.load / it.limit : it.load > 0 ? Infinity : 0;
}

/** @param {ResourceUseView} it @param {number} value */
function amount(it, value) {
  if (it.constraint === "memory") return megabytes(value);
  return it.constraint === "cpu" ? plain(value) : bytesPerSecond(value);
}

/** @param {ProvisionView} it */
function cheaper(it) {
  if (!it.cheaper) return html`<p class="empty">No cheaper platform was found.</p>`;
  return html`<p><strong>${money(it.cheaper.price, it.currency)}</strong> sustains ${plain(it.cheaper.throughput)} × the present throughput of ${it.name}.</p>
    ${it.catalogue ? shoppingList(it.cheaper.shopping_list, it, it.cheaper.price) : html`<p>${it.cheaper.shopping_list.map((item) => item.type).join(", ")}</p>`}`;
}

/** @param {ProvisionView} it */
function howFound(it) {
  return html`<dl class="facts wide">
      <div><dt>Decided by</dt><dd><strong>${it.decided_by}</strong></dd></div>
      <div><dt>Time</dt><dd>${plain(it.seconds)} s</dd></div>
      <div><dt>Lower bound</dt><dd>${it.bound === null ? "not proven" : money(it.bound, it.currency)}</dd></div>
      <div><dt>Executors</dt><dd>${plural(it.machines.reduce((sum, machine) => sum + machine.operators.length, 0), "executor")}</dd></div>
    </dl>
    ${sentences("Remarks", it.reasons)}${sentences("Assumptions", it.assumptions)}`;
}

/** @param {string} title @param {string[]} texts */
function sentences(title, texts) {
  return texts.length ? html`<h3>${title}</h3><ul class="alerts">${texts.map((it) => html`<li class="info">${it}</li>`)}</ul>` : nothing;
}
