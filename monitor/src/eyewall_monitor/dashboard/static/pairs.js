// Both directions between two hosts as one.

import { worst } from "./signals.js";

/** @typedef {import("../views.d.ts").LinkView} LinkView */
/**
 * @typedef {object} Pair
 * @property {string} one
 * @property {string} other
 * @property {number|null} delay  The mean of both directions, as far as they are known.
 * @property {number|null} measured
 * @property {number|null} estimated
 * @property {number|null} off  By how much the estimate is off, as a part of what was measured.
 * @property {number|null} rate  Of both directions.
 * @property {import("../views.d.ts").Signal} signal  The worse one.
 */

/** Three pictures need them, of thousands of links. @type {WeakMap<LinkView[], Pair[]>} */
const known = new WeakMap();

/**
 * @param {LinkView[]} links
 * @returns {Pair[]}  Those whose estimate is furthest off first, then by name.
 */
export function pairs(links) {
  const found = known.get(links) ?? paired(links);
  known.set(links, found);
  return found;
}

/** @param {LinkView[]} links @returns {Pair[]} */
function paired(links) {
  /** @type {Map<string, LinkView[]>} */
  const both = new Map();
  for (const link of links) {
    const key = link.source < link.target ? `${link.source}\n${link.target}` : `${link.target}\n${link.source}`;
    const before = both.get(key);
    if (before) before.push(link);
    else both.set(key, [link]);
  }
  return [...both.entries()]
    .map(([key, ways]) => {
      const [one, other] = key.split("\n");
      const measured = mean(ways.map((it) => it.measured));
      const estimated = mean(ways.map((it) => it.estimated));
      const rates = ways.map((it) => it.rate).filter((it) => it !== null);
      return {
        one,
        other,
        delay: mean(ways.map((it) => it.delay)),
        measured,
        estimated,
        off: measured && estimated !== null ? estimated / measured - 1 : null,
        rate: rates.length ? rates.reduce((sum, it) => sum + it, 0) : null,
        signal: worst(ways.map((it) => it.signal)),
      };
    })
    .sort((a, b) => Math.abs(b.off ?? 0) - Math.abs(a.off ?? 0) || (a.one + a.other < b.one + b.other ? -1 : 1));
}

/** @param {(number|null)[]} values */
function mean(values) {
  const told = values.filter((it) => it !== null);
  return told.length ? told.reduce((sum, it) => sum + it, 0) / told.length : null;
}
