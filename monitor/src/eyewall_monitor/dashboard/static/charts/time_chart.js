// A chart over time: lines, a forecast with its interval as a band, a mark for each reassignment (uPlot).

import uPlot from "../vendor/uplot-1.6.32/uPlot.js";

/** @typedef {import("../../api.d.ts").BandPoint} BandPoint */
/** @typedef {import("../../api.d.ts").ReassignmentView} ReassignmentView */
/** @typedef {import("../../api.d.ts").TimePoint} TimePoint */
/**
 * @typedef {object} Line
 * @property {string} label
 * @property {string} colour  A CSS variable.
 * @property {TimePoint[]} points
 * @property {boolean} [stepped]  Dashed: it changes at its points only.
 */
/**
 * @typedef {object} Curves  What a chart draws.
 * @property {Line[]} lines
 * @property {BandPoint[]} expected
 * @property {ReassignmentView[]} reassignments
 */
/** @typedef {{unit: string, factor: number, digits: number}} Axis  Values times the factor are in the unit. */

/** The vendored module has no types. @type {any} */
const UPlot = uPlot;
const HEIGHT = 280;
const SECONDS_SHOWN = 1800;
const DIGIT = 8;
/** The axis shows at most so many times the greatest line of an interval that reaches further. */
const INTERVAL_SHOWN = 2;
const BAND_OPACITY = 0.18;

/** The chart in one element of the page. */
export class TimeChart {
  /** @param {Axis} axis */
  constructor(axis) {
    this.axis = axis;
    /** @type {any} */
    this.plot = null;
    /** @type {HTMLElement|null} */
    this.frame = null;
    /** @type {unknown} */
    this.shown = null;
    this.theme = "";
    this.zoomed = false;
    this.most = 0;
    /** @type {ReassignmentView[]} */
    this.reassignments = [];
    /** @type {[number, number]} */
    this.span = [0, 1];
    this.observer = new ResizeObserver(() => this.resize());
  }

  /**
   * @param {HTMLElement|null} frame @param {unknown} view  Which `curves` are of: another one is drawn.
   * @param {() => Curves} curves @param {[number, number]} span  Shown if there is no data.
   */
  show(frame, view, curves, span) {
    this.span = span;
    if (!frame) return;
    const theme = getComputedStyle(frame).color;
    if (frame !== this.frame || theme !== this.theme) this.build(frame, curves(), theme);
    else if (view !== this.shown) {
      this.plot.setData(this.series(curves()), !this.zoomed);
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

  /** @param {HTMLElement} frame @param {Curves} curves @param {string} theme */
  build(frame, curves, theme) {
    this.end();
    this.frame = frame;
    this.theme = theme;
    this.zoomed = false;
    const { unit, digits } = this.axis;
    const colour = (/** @type {string} */ name) => colourOf(frame, name);
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const words = (/** @type {unknown} */ _plot, /** @type {number|null} */ value) => (value === null ? "–" : `${value.toFixed(digits)} ${unit}`);
    this.plot = new UPlot(
      {
        width: frame.clientWidth,
        height: HEIGHT,
        cursor: { drag: { x: true, y: false } },
        scales: {
          x: { range: (/** @type {unknown} */ _plot, /** @type {number|null} */ least, /** @type {number|null} */ most) => (least === null || most === null || least === most ? this.span : [least, most]) },
          y: { range: () => [0, (this.most || 0.01) * 1.15] },
        },
        series: [
          { value: "{HH}:{mm}:{ss}" },
          ...curves.lines.map(({ label, colour: name, stepped }) => ({ label, stroke: colour(name), width: 2, value: words, points: { show: false }, ...(stepped ? { dash: [6, 4], paths: UPlot.paths.stepped({ align: 1 }) } : {}) })),
          { label: "predicted", stroke: colour("--predicted"), width: 2, value: words, points: { show: false } },
          { label: "at least", value: words, points: { show: false } },
          { label: "at most", value: words, points: { show: false } },
        ],
        bands: [{ series: [curves.lines.length + 3, curves.lines.length + 2], fill: translucent(colour("--predicted")) }],
        axes: [
          { ...axis, space: (/** @type {unknown} */ _plot, /** @type {number} */ _axis, /** @type {number} */ least, /** @type {number} */ most) => (most - least < SECONDS_SHOWN ? 84 : 54), values: [[86400, "{D} {MMM}", null, null, null, null, null, null, 1], [3600, "{HH}:{mm}", "\n{D} {MMM}", null, null, null, null, null, 1], [60, "{HH}:{mm}", null, null, null, null, null, null, 1], [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] },
          { ...axis, size: (/** @type {unknown} */ _plot, /** @type {string[]|null} */ values) => 20 + DIGIT * Math.max(5, ...(values ?? []).map((it) => it.length)), values: (/** @type {unknown} */ _plot, /** @type {number[]} */ values) => values.map((it) => `${it} ${unit}`) },
        ],
        hooks: { setSelect: [() => (this.zoomed = true)], draw: [(/** @type {any} */ plot) => this.mark(plot, colour("--ink"), colour("--surface"))] },
      },
      this.series(curves),
      frame,
    );
    this.plot.over.addEventListener("dblclick", () => (this.zoomed = false));
    this.observer.observe(frame);
  }

  /** All curves on one time axis, as uPlot needs them. @param {Curves} curves */
  series({ lines, expected, reassignments }) {
    this.reassignments = reassignments;
    const scaled = (/** @type {number|null} */ value) => (value === null ? null : value * this.axis.factor);
    const ats = expected.map((it) => it.at);
    const shown = lines.map(({ points }) => [points.map((it) => it.at), points.map((it) => scaled(it.value))]);
    const bounds = /** @type {const} */ (["value", "least", "greatest"]).map((name) => [ats, expected.map((it) => scaled(it[name]))]);
    const most = (/** @type {(number|null)[][]} */ all) => all.flat().reduce((/** @type {number} */ greatest, it) => Math.max(greatest, it ?? 0), 0);
    const greatest = most([...shown, bounds[0]].map(([, ys]) => ys));
    this.most = Math.max(greatest, Math.min(most([bounds[2][1]]), INTERVAL_SHOWN * greatest));
    return UPlot.join([...shown, ...bounds]);
  }

  /** @param {any} plot @param {string} ink @param {string} ground */
  mark(plot, ink, ground) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    this.reassignments.forEach((it, index) => {
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

/** @param {string} colour  As `rgb(…)`. */
function translucent(colour) {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${BAND_OPACITY})`);
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
