// Marks the freshness of a value by a sign, a word and an age, never by colour alone.

import { html, nothing } from "./lit.js";
import { percent } from "./format.js";

/** @typedef {import("../api.d.ts").Signal} Signal */

const SIGN = { fresh: "●", stale: "◐", missing: "○" };
const RANK = { fresh: 0, stale: 1, missing: 2 };

/**
 * @param {Signal} signal
 * @param {number} at  When it arrived, in ms.
 */
export function signalMark(signal, at) {
  const word = signal.state === "fresh" && signal.age !== null ? html`<span class="visually-hidden">fresh, </span>` : `${signal.state}${signal.age === null ? "" : ", "}`;
  return html`<span class="signal ${signal.state}" title=${signal.note || nothing}><span class="sign" aria-hidden="true">${SIGN[signal.state]}</span>
    ${word}${signal.age === null ? nothing : age(signal.age, at)}</span>`;
}

/** @param {Signal} signal */
export function confidence(signal) {
  return signal.confidence === null ? "–" : percent(signal.confidence);
}

/** An age that keeps counting. @param {number} seconds @param {number} at */
export function age(seconds, at) {
  return html`<eye-age since=${Math.round(at - seconds * 1000)}></eye-age>`;
}

/** @param {Signal[]} signals */
export function worst(signals) {
  return signals.reduce((one, other) => (RANK[other.state] > RANK[one.state] ? other : one));
}
