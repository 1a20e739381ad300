// Figures as people read them: ms for seconds, % for shares, and `unknown` for what is not known.

export const UNKNOWN = "unknown";
const LESS_IS_BETTER = new Set(["R", "T", "N", "EE"]);

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** @param {number} value */
export function plain(value) {
  return Math.abs(value) >= 1000 ? grouped.format(value) : threeDigits.format(value);
}

/** @param {number|null} seconds */
export function ms(seconds) {
  return seconds === null ? UNKNOWN : `${msFigure(seconds)} ms`;
}

/** @param {number} seconds  The figure alone, in ms. */
export function msFigure(seconds) {
  const value = seconds * 1000;
  const size = Math.abs(value);
  return size >= 99.5 ? grouped.format(value) : value.toFixed(size >= 0.095 || size === 0 ? 1 : 2);
}

/** @param {number|null} rate */
export function perSecond(rate) {
  return rate === null ? UNKNOWN : `${plain(rate)} tuples/s`;
}

/** @param {number|null} rate  Where there is little room. */
export function perSecondShort(rate) {
  if (rate === null) return "?/s";
  if (rate >= 999_500) return `${threeDigits.format(rate / 1e6)}M/s`;
  return rate >= 9_995 ? `${threeDigits.format(rate / 1e3)}k/s` : `${plain(rate)}/s`;
}

/** @param {number|null} share */
export function percent(share, digits = 0) {
  return share === null ? UNKNOWN : `${(share * 100).toFixed(digits)} %`;
}

/** @param {number|null} bytes */
export function megabytes(bytes) {
  if (bytes === null) return UNKNOWN;
  return bytes >= 10 * 2 ** 30 ? `${threeDigits.format(bytes / 2 ** 30)} GB` : `${grouped.format(bytes / 2 ** 20)} MB`;
}

/** @param {number} rate */
export function bytesPerSecond(rate) {
  for (const [size, unit] of /** @type {[number, string][]} */ ([[1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"]])) {
    if (rate >= size * 0.9995) return `${plain(rate / size)} ${unit}`;
  }
  return `${plain(rate)} B/s`;
}

const priced = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** @param {number} price @param {string} currency  `$12,345` or `12,345 EUR`; a number alone without one. */
export function money(price, currency) {
  return ["$", "€", "£"].includes(currency) ? `${currency}${priced.format(price)}` : `${priced.format(price)} ${currency}`.trim();
}

/** @param {number|null} cores */
export function cores(cores) {
  return cores === null ? UNKNOWN : `${threeDigits.format(cores)} ${cores === 1 ? "core" : "cores"}`;
}

/** @param {number} number @param {string} noun */
export function counted(number, noun) {
  return `${grouped.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A plan's gain in words. @param {number|null} gain */
export function betterOrWorse(gain) {
  if (gain === null) return UNKNOWN;
  return gain === 0 ? "as good" : `${plain(Math.abs(gain) * 100)} % ${gain > 0 ? "better" : "worse"}`;
}

/** @param {number} value @param {(value: number) => string} words */
export function signed(value, words) {
  return value > 0 ? `+${words(value)}` : value < 0 ? `−${words(-value)}` : `±${words(0)}`;
}

/**
 * One of R, A, T, N, EE or the objective, with its unit.
 * @param {string} name @param {string} unit @param {number|null} value
 */
export function metric(name, unit, value) {
  if (value === null) return UNKNOWN;
  if (name === "A") return `${threeOrMore(value * 100)} %`;
  if (unit === "s") return ms(value);
  return `${plain(value)} ${unit}`.trim();
}

/** @param {number} value  99.95 stays 99.95. */
function threeOrMore(value) {
  return Number(value.toPrecision(4)).toString();
}

/**
 * Whether a change is for the better; null where that is not known (a mixed objective's sense).
 * @param {string} name @param {number} before @param {number} after
 */
export function better(name, before, after) {
  if (before === after) return null;
  if (LESS_IS_BETTER.has(name)) return after < before;
  return name === "A" ? after > before : null;
}

const NAMES = {
  R: "Response time R",
  A: "Availability A",
  T: "Inter-node traffic T",
  N: "Network usage N",
  EE: "Elastic energy EE",
  objective: "Objective",
};

/** @param {string} name */
export function metricName(name) {
  return NAMES[/** @type {keyof typeof NAMES} */ (name)] ?? name;
}

const sameDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const otherDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @param {number} at  Seconds since the epoch. */
export function moment(at) {
  const date = new Date(at * 1000);
  return (date.toDateString() === new Date().toDateString() ? sameDay : otherDay).format(date);
}
