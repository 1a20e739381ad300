// Pairs of hosts: both directions of a link as one.

import { worst } from "./signals.js";

/** @typedef {import("../api.d.ts").LinkView} LinkView */
/**
 * @typedef {object} Pair
 * @property {string} one
 * @property {string} other
 * @property {number|null} delay  The mean of the known directions.
 * @property {number|null} measured
 * @property {number|null} estimated
 * @property {number|null} error  The relative error of the estimate.
 * @property {number|null} rate  The sum of both directions.
 * @property {import("../api.d.ts").Signal} signal  The worse of the two.
 */

/** Three charts use the pairs of thousands of links. @type {WeakMap<LinkView[], Pair[]>} */
const cache = new WeakMap();

/**
 * @param {LinkView[]} links
 * @returns {Pair[]}  By the size of the estimate’s error, largest first, then by name.
 */
export function pairs(links) {
  const pairs = cache.get(links) ?? joinDirections(links);
  cache.set(links, pairs);
  return pairs;
}

/** @param {LinkView[]} links @returns {Pair[]} */
function joinDirections(links) {
  /** @type {Map<string, LinkView[]>} */
  const both = new Map();
  for (const link of links) {
    const key = link.source < link.target ? `${link.source}\n${link.target}` : `${link.target}\n${link.source}`;
    const before = both.get(key);
    if (before) before.push(link);
    else both.set(key, [link]);
  }
  return [...both.entries()]
    .map(([key, directions]) => {
      const [one, other] = key.split("\n");
      const measured = mean(directions.map((it) => it.measured));
      const estimated = mean(directions.map((it) => it.estimated));
      const rates = directions.map((it) => it.rate).filter((it) => it !== null);
      return {
        one,
        other,
        delay: mean(directions.map((it) => it.delay)),
        measured,
        estimated,
        error: measured && estimated !== null ? estimated / measured - 1 : null,
        rate: rates.length ? rates.reduce((sum, it) => sum + it, 0) : null,
        signal: worst(directions.map((it) => it.signal)),
      };
    })
    .sort((a, b) => Math.abs(b.error ?? 0) - Math.abs(a.error ?? 0) || (a.one + a.other < b.one + b.other ? -1 : 1));
}

/** @param {(number|null)[]} values */
function mean(values) {
  const known = values.filter((it) => it !== null);
  return known.length ? known.reduce((sum, it) => sum + it, 0) / known.length : null;
}
