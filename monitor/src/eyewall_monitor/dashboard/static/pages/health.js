// Every part of Eyewall and of what it stands on: how old its last sign of life is, and its lag.

import { inWords } from "../ages.js";
import { html, nothing } from "../drawing.js";
import { counted } from "../figures.js";
import { confidence, signalMark } from "../signals.js";
import { inOrder } from "../sites.js";

/** @typedef {import("../../views.d.ts").HealthView} HealthView */
/** @typedef {import("../../views.d.ts").PartView} PartView */

const RANK = { missing: 0, stale: 1, fresh: 2 };
const FIRST = 40;

/** @type {import("../routes.js").MakePage} */
export function page(context) {
  let said = "";
  return {
    title: "Health",
    needs: ["health"],
    sources: () => ({ health: { path: "/health", changedBy: () => true } }),
    draw: ({ health: { view, at } }) => {
      /** @type {HealthView} */
      const health = view;
      const wrong = health.parts.filter((it) => it.signal.state !== "fresh");
      const words = wrong.length ? `${counted(wrong.length, "part")} of ${health.parts.length} ${wrong.length === 1 ? "is" : "are"} late or missing.` : "Every part is well.";
      if (said && said !== words) context.tell(words);
      said = words;
      const agents = health.parts.filter((it) => it.host);
      const single = health.parts.filter((it) => !it.host);
      const kinds = [...new Set(agents.map((it) => it.name))].sort(inOrder);
      return html`<div class="head"><div><h1>Health</h1></div></div>
        <p class="notice ${health.well && !wrong.length ? "ok" : "warn"}"><strong>${words}</strong></p>
        ${wrong.length
          ? html`<section class="card" aria-labelledby="wrong-title"><h2 id="wrong-title">What is wrong</h2><ul class="matters">${wrong.sort(byTrouble).slice(0, FIRST).map((it) => html`<li class=${it.signal.state === "missing" ? "bad" : "warn"}>
              <strong>${it.name}${it.host ? ` on ${it.host}` : ""}</strong>: ${it.signal.note || it.signal.state}</li>`)}
              ${wrong.length > FIRST ? html`<li class="info">and ${wrong.length - FIRST} more</li>` : nothing}</ul></section>`
          : nothing}
        <section class="card" aria-labelledby="parts-title"><h2 id="parts-title">Parts</h2>${table(single, at, "Parts that the whole cluster has", false)}</section>
        <div class="split half">${kinds.map((kind) => html`<section class="card" aria-label="${kind}s"><h2>${kind.charAt(0).toUpperCase()}${kind.slice(1)}s</h2>${ofKind(agents.filter((it) => it.name === kind), at, kind)}</section>`)}</div>`;
    },
  };
}

/** @param {PartView[]} parts @param {number} at @param {string} kind */
function ofKind(parts, at, kind) {
  const order = [...parts].sort(byTrouble);
  const shown = order.slice(0, FIRST);
  const fresh = parts.filter((it) => it.signal.state === "fresh").length;
  return table(shown, at, `${fresh} of ${parts.length} ${kind}s are fresh${shown.length < parts.length ? `; ${shown.length} are shown, those in trouble first` : ""}`, true);
}

/** @param {PartView[]} parts @param {number} at @param {string} caption @param {boolean} hosts */
function table(parts, at, caption, hosts) {
  if (!parts.length) return html`<p class="empty">None is known.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table class="dense"><caption>${caption}</caption>
    <thead><tr><th scope="col">${hosts ? "Host" : "Part"}</th><th scope="col">Last sign of life</th><th scope="col" class="figure">Lag</th><th scope="col" class="figure">Conf.</th><th scope="col">Remark</th></tr></thead>
    <tbody>${parts.map((it) => html`<tr class=${it.signal.state === "fresh" ? "" : "trouble"}><th scope="row">${hosts ? it.host : it.name}</th><td>${signalMark(it.signal, at)}</td>
      <td class="figure">${it.lag === null ? "–" : inWords(it.lag)}</td><td class="figure">${confidence(it.signal)}</td><td>${[it.signal.note, it.detail].filter(Boolean).join("; ") || "–"}</td></tr>`)}</tbody></table></div>`;
}

/** @param {PartView} one @param {PartView} other */
function byTrouble(one, other) {
  return RANK[one.signal.state] - RANK[other.signal.state] || inOrder(one.name, other.name) || inOrder(one.host, other.host);
}
