// The health of every part of Eyewall and of the stores it needs.

import { html, nothing } from "../lit.js";
import { duration, plural } from "../format.js";
import { confidence, signalMark } from "../signals.js";
import { compareNames } from "../sites.js";

/** @typedef {import("../../api.d.ts").HealthView} HealthView */
/** @typedef {import("../../api.d.ts").PartView} PartView */

const RANK = { missing: 0, stale: 1, fresh: 2 };
const FIRST = 40;

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  let announced = "";
  return {
    title: "Health",
    needs: ["health"],
    sources: () => ({ health: { path: "/health", changedBy: () => true } }),
    draw: ({ health: { view, at } }) => {
      /** @type {HealthView} */
      const health = view;
      const wrong = health.parts.filter((it) => it.signal.state !== "fresh");
      const summary = wrong.length ? `${wrong.length} of ${plural(health.parts.length, "part")} ${wrong.length === 1 ? "is" : "are"} stale or missing.` : "All parts are healthy.";
      if (announced && announced !== summary) context.announce(summary);
      announced = summary;
      const agents = health.parts.filter((it) => it.host);
      const single = health.parts.filter((it) => !it.host);
      const kinds = [...new Set(agents.map((it) => it.name))].sort(compareNames);
      return html`<div class="head"><div><h1>Health</h1></div></div>
        <p class="notice ${health.well && !wrong.length ? "ok" : "warn"}"><strong>${summary}</strong></p>
        ${wrong.length
          ? html`<section class="card" aria-labelledby="wrong-title"><h2 id="wrong-title">Problems</h2><ul class="alerts">${wrong.sort(byHealth).slice(0, FIRST).map((it) => html`<li class=${it.signal.state === "missing" ? "bad" : "warn"}>
              <strong>${it.name}${it.host ? ` on ${it.host}` : ""}</strong>: ${it.signal.note || it.signal.state}</li>`)}
              ${wrong.length > FIRST ? html`<li class="info">and ${wrong.length - FIRST} more</li>` : nothing}</ul></section>`
          : nothing}
        <section class="card" aria-labelledby="parts-title"><h2 id="parts-title">Parts</h2>${table(single, at, "Parts of the whole cluster", false)}</section>
        <div class="split half">${kinds.map((kind) => html`<section class="card" aria-label="${kind}s"><h2>${kind.charAt(0).toUpperCase()}${kind.slice(1)}s</h2>${ofKind(agents.filter((it) => it.name === kind), at, kind)}</section>`)}</div>`;
    },
  };
}

/** @param {PartView[]} parts @param {number} at @param {string} kind */
function ofKind(parts, at, kind) {
  const order = [...parts].sort(byHealth);
  const shown = order.slice(0, FIRST);
  const fresh = parts.filter((it) => it.signal.state === "fresh").length;
  return table(shown, at, `${fresh} of ${parts.length} ${kind}s are fresh${shown.length < parts.length ? `; ${shown.length} shown, problems first` : ""}`, true);
}

/** @param {PartView[]} parts @param {number} at @param {string} caption @param {boolean} hosts */
function table(parts, at, caption, hosts) {
  if (!parts.length) return html`<p class="empty">None are known.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table class="dense"><caption>${caption}</caption>
    <thead><tr><th scope="col">${hosts ? "Host" : "Part"}</th><th scope="col">Last report</th><th scope="col" class="figure">Lag</th><th scope="col" class="figure">Conf.</th><th scope="col">Notes</th></tr></thead>
    <tbody>${parts.map((it) => html`<tr class=${it.signal.state === "fresh" ? "" : "trouble"}><th scope="row">${hosts ? it.host : it.name}</th><td>${signalMark(it.signal, at)}</td>
      <td class="figure">${it.lag === null ? "–" : duration(it.lag)}</td><td class="figure">${confidence(it.signal)}</td><td>${[it.signal.note, it.detail].filter(Boolean).join("; ") || "–"}</td></tr>`)}</tbody></table></div>`;
}

/** @param {PartView} one @param {PartView} other */
function byHealth(one, other) {
  return RANK[one.signal.state] - RANK[other.signal.state] || compareNames(one.name, other.name) || compareNames(one.host, other.host);
}
