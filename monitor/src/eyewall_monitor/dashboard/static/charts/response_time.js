// Response time over time, predicted and measured, with a mark for each reassignment (uPlot).

import { moment, ms, plural } from "../format.js";
import { html, nothing } from "../lit.js";
import uPlot from "../vendor/uplot-1.6.32/uPlot.js";

/** @typedef {import("../../api.d.ts").ResponseTimeView} ResponseTimeView */

/** The vendored module has no types. @type {any} */
const UPlot = uPlot;
const HEIGHT = 280;
const SECONDS_SHOWN = 1800;
const DIGIT = 8;
const SPANS = /** @type {const} */ ([[900, "15 min"], [3600, "1 h"], [21600, "6 h"], [86400, "24 h"]]);
const MOST_MARKS = 12;

/** The chart in one element of the page. */
export class ResponseTimeChart {
  constructor() {
    /** @type {any} */
    this.plot = null;
    /** @type {HTMLElement|null} */
    this.frame = null;
    /** @type {unknown} */
    this.shown = null;
    this.theme = "";
    this.zoomed = false;
    /** @type {[number, number]} */
    this.span = [0, 1];
    this.observer = new ResizeObserver(() => this.resize());
  }

  /** @param {HTMLElement|null} frame @param {ResponseTimeView} view @param {[number, number]} span  Shown if there is no data. */
  show(frame, view, span) {
    this.span = span;
    if (!frame) return;
    const theme = getComputedStyle(frame).color;
    if (frame !== this.frame || theme !== this.theme) this.build(frame, view, theme);
    else if (view !== this.shown) {
      this.reassignments = view.reassignments;
      this.plot.setData(series(view), !this.zoomed);
      if (this.zoomed) this.plot.redraw();
    }
    this.shown = view;
  }

  end() {
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.frame = null;
  }

  resize() {
    if (this.plot && this.frame) this.plot.setSize({ width: this.frame.clientWidth, height: HEIGHT });
  }

  /** @param {HTMLElement} frame @param {ResponseTimeView} view @param {string} theme */
  build(frame, view, theme) {
    this.end();
    this.frame = frame;
    this.theme = theme;
    this.zoomed = false;
    this.reassignments = view.reassignments;
    const colour = (/** @type {string} */ name) => colourOf(frame, name);
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const words = (/** @type {unknown} */ _plot, /** @type {number|null} */ value) => (value === null ? "–" : `${value.toFixed(1)} ms`);
    this.plot = new UPlot(
      {
        width: frame.clientWidth,
        height: HEIGHT,
        cursor: { drag: { x: true, y: false } },
        scales: {
          x: { range: (/** @type {unknown} */ _plot, /** @type {number|null} */ least, /** @type {number|null} */ most) => (least === null || most === null || least === most ? this.span : [least, most]) },
          y: { range: (/** @type {unknown} */ _plot, /** @type {number} */ _least, /** @type {number|null} */ most) => [0, (most || 0.01) * 1.15] },
        },
        series: [
          { value: "{HH}:{mm}:{ss}" },
          { label: "predicted by the model", stroke: colour("--predicted"), width: 2, value: words, paths: UPlot.paths.stepped({ align: 1 }), points: { show: false } },
          { label: "measured", stroke: colour("--measured"), width: 2, value: words, points: { show: false } },
        ],
        axes: [
          { ...axis, space: (/** @type {unknown} */ _plot, /** @type {number} */ _axis, /** @type {number} */ least, /** @type {number} */ most) => (most - least < SECONDS_SHOWN ? 84 : 54), values: [[86400, "{D} {MMM}", null, null, null, null, null, null, 1], [3600, "{HH}:{mm}", "\n{D} {MMM}", null, null, null, null, null, 1], [60, "{HH}:{mm}", null, null, null, null, null, null, 1], [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] },
          { ...axis, size: (/** @type {unknown} */ _plot, /** @type {string[]|null} */ values) => 20 + DIGIT * Math.max(5, ...(values ?? []).map((it) => it.length)), values: (/** @type {unknown} */ _plot, /** @type {number[]} */ values) => values.map((it) => `${it} ms`) },
        ],
        hooks: { setSelect: [() => (this.zoomed = true)], draw: [(/** @type {any} */ plot) => this.mark(plot, colour("--ink"), colour("--surface"))] },
      },
      series(view),
      frame,
    );
    this.plot.over.addEventListener("dblclick", () => (this.zoomed = false));
    this.observer.observe(frame);
  }

  /** @param {any} plot @param {string} ink @param {string} ground */
  mark(plot, ink, ground) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    (this.reassignments ?? []).forEach((it, index) => {
      const x = plot.valToPos(it.at, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.strokeStyle = ink;
      ctx.lineWidth = ratio;
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top + 18 * ratio);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillStyle = ink;
      ctx.beginPath();
      ctx.arc(x, bbox.top + 10 * ratio, 9 * ratio, 0, 7);
      ctx.fill();
      ctx.fillStyle = ground;
      ctx.fillText(String(index + 1), x, bbox.top + 14 * ratio);
    });
    ctx.restore();
  }
}

/** Both series on one time axis, as uPlot needs them. @param {ResponseTimeView} view */
function series(view) {
  const predicted = { xs: view.predicted.map((it) => it.at), ys: view.predicted.map((it) => inMs(it.value)) };
  const measured = { xs: view.measured.map((it) => it.at), ys: view.measured.map((it) => inMs(it.value)) };
  return UPlot.join([[predicted.xs, predicted.ys], [measured.xs, measured.ys]], [[1], [2]]);
}

/** @param {number|null} seconds */
function inMs(seconds) {
  return seconds === null ? null : seconds * 1000;
}

/** Resolve a CSS variable: a canvas cannot. @param {HTMLElement} frame @param {string} name */
function colourOf(frame, name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  frame.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/**
 * The frame of a chart, the choice of its span, and the table of reassignments.
 * @param {ResponseTimeView|undefined} times @param {number} seconds @param {(seconds: number) => void} choose
 */
export function responseTimeSection(times, seconds, choose) {
  return html`<fieldset class="choices"><legend>Last</legend>${SPANS.map(([span, label]) => html`<label><input type="radio" name="span" .checked=${span === seconds} @change=${() => choose(span)}>${label}</label>`)}</fieldset>
    ${times?.measured_note ? html`<p class="notice warn">Not measured: ${times.measured_note}</p>` : nothing}
    <div class="time-chart" role="img" aria-label=${times ? summary(times) : "Response time"}></div>
    ${times ? marks(times) : nothing}`;
}

/** @param {ResponseTimeView} times */
function summary(times) {
  const parts = /** @type {const} */ (["predicted", "measured"]).map((kind) => {
    const values = times[kind].map((it) => it.value).filter((it) => it !== null);
    if (!values.length) return `not ${kind}`;
    return `${kind} from ${ms(Math.min(...values))} to ${ms(Math.max(...values))}, now ${ms(values[values.length - 1])}`;
  });
  return `Response time: ${parts.join("; ")}; ${plural(times.reassignments.length, "reassignment")}.`;
}

/** @param {ResponseTimeView} times */
function marks(times) {
  if (!times.reassignments.length) return html`<p class="empty">No executor was placed or moved in this time.</p>`;
  const numbered = times.reassignments.map((it, index) => ({ ...it, number: index + 1 })).reverse();
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Reassignments"><table class="dense marks"><caption>Reassignments, newest first${numbered.length > MOST_MARKS ? `, ${MOST_MARKS} of ${numbered.length}` : ""}</caption>
    <thead><tr><th scope="col">Mark</th><th scope="col">Time</th><th scope="col">Decision</th><th scope="col">Message</th><th scope="col" class="figure">Moves</th></tr></thead>
    <tbody>${numbered.slice(0, MOST_MARKS).map((it) => html`<tr><td>${it.number}</td><td>${moment(it.at)}</td><th scope="row"><a href="/decisions/${encodeURIComponent(it.decision)}">${it.verdict}</a></th><td class="words">${it.said}</td><td class="figure">${it.moves}</td></tr>`)}</tbody></table></div>`;
}
