// Formats values for people: ms for seconds, % for shares, and `unknown` for a missing value.

export const UNKNOWN = "unknown";

/** @typedef {import("../api.d.ts").MetricView} MetricView */

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** @param {number} value */
export function plain(value) {
  return Math.abs(value) >= 1000 ? grouped.format(value) : threeDigits.format(value);
}

/** @param {number|null} seconds */
export function ms(seconds) {
  return seconds === null ? UNKNOWN : `${msNumber(seconds)} ms`;
}

/** The number of ms without the unit. @param {number} seconds */
export function msNumber(seconds) {
  const value = seconds * 1000;
  const size = Math.abs(value);
  return size >= 99.5 ? grouped.format(value) : value.toFixed(size >= 0.095 || size === 0 ? 1 : 2);
}

/** @param {number|null} rate */
export function perSecond(rate) {
  return rate === null ? UNKNOWN : `${plain(rate)} tuples/s`;
}

/** The short form, for labels in charts. @param {number|null} rate */
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

/** `$12,345` or `12,345 EUR`; the bare number without a currency. @param {number} price @param {string} currency */
export function money(price, currency) {
  return ["$", "€", "£"].includes(currency) ? `${currency}${priced.format(price)}` : `${priced.format(price)} ${currency}`.trim();
}

/** @param {number|null} cores */
export function cores(cores) {
  return cores === null ? UNKNOWN : `${threeDigits.format(cores)} ${cores === 1 ? "core" : "cores"}`;
}

/** `1 move`, `2 moves`. @param {number} number @param {string} noun @param {string} [nouns] */
export function plural(number, noun, nouns = `${noun}s`) {
  return `${grouped.format(number)} ${number === 1 ? noun : nouns}`;
}

/** A plan’s gain: `12 % better`. @param {number|null} gain */
export function gainText(gain) {
  if (gain === null) return UNKNOWN;
  return gain === 0 ? "no change" : `${plain(Math.abs(gain) * 100)} % ${gain > 0 ? "better" : "worse"}`;
}

/** With its sign: `+3`, `−3`, `±0`. @param {number} value @param {(value: number) => string} format */
export function signed(value, format) {
  return value > 0 ? `+${format(value)}` : value < 0 ? `−${format(-value)}` : `±${format(0)}`;
}

/** The value of a metric with its unit. @param {MetricView} of @param {number|null} value */
export function metric({ display_unit, factor }, value) {
  if (value === null) return UNKNOWN;
  if (display_unit === "ms") return ms(value);
  const shown = value * factor;
  return `${display_unit === "%" ? fourDigits(shown) : plain(shown)} ${display_unit}`.trim();
}

/** 99.95 stays 99.95. @param {number} value */
function fourDigits(value) {
  return Number(value.toPrecision(4)).toString();
}

/** Whether a metric is better after a change; null if that is not known. @param {MetricView} it */
export function isBetter({ less_is_better, before, after }) {
  if (before === null || after === null || before === after || less_is_better === null) return null;
  return after < before === less_is_better;
}

const sameDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const otherDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @param {number} at  Seconds since the epoch. */
export function moment(at) {
  const date = new Date(at * 1000);
  return (date.toDateString() === new Date().toDateString() ? sameDay : otherDay).format(date);
}

/**
 * `3 s`, `2 min`, `5 h 10 min`.
 * @param {number} seconds
 */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return minutes < 10 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
