// What the two forms that start a solver share: sending the request, the wait, and its errors.

import { ApiError, send } from "./api.js";
import { html, nothing } from "./lit.js";
import { problemNotice } from "./problem.js";

/** Seconds that a solver may be given. */
export const LIMITS = [1, 60];
const TICK = 200;

/** A form whose fields keep their text in `fields`, by their names. */
export class SolveForm {
  /** @param {import("./screen.js").Context} context @param {Record<string, string>} fields */
  constructor(context, fields) {
    this.context = context;
    this.fields = fields;
    /** @type {ApiError|null} */
    this.problem = null;
    /** @type {AbortController|null} */
    this.request = null;
    this.since = 0;
    this.ticker = 0;
  }

  end() {
    clearInterval(this.ticker);
    this.request?.abort();
  }

  /** @param {InputEvent} event */
  update(event) {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.name in this.fields) this.fields[field.name] = field.value;
    this.context.redraw();
  }

  /**
   * Send a request unless one is pending; null if it was refused or cancelled.
   * @param {string} path @param {object} body @param {string} announcement
   */
  async solve(path, body, announcement) {
    if (this.request) return null;
    const request = new AbortController();
    this.request = request;
    this.problem = null;
    this.since = Date.now();
    this.ticker = window.setInterval(this.context.redraw, TICK);
    this.context.announce(announcement);
    this.context.redraw();
    try {
      return (await send("POST", path, body, request.signal)).view;
    } catch (error) {
      if (error instanceof ApiError) this.problem = error;
      else if (!request.signal.aborted) throw error;
      return null;
    } finally {
      this.request = null;
      clearInterval(this.ticker);
      this.context.redraw();
    }
  }

  /** The buttons. @param {string} label @param {string} note */
  buttons(label, note) {
    return html`<div class="row whole"><button type="submit" class="main" ?disabled=${Boolean(this.request)}>${label}</button>
      ${this.request ? html`<button type="button" @click=${() => this.request?.abort()}>Cancel</button>` : nothing}
      <span class="muted">${note}</span></div>`;
  }

  /** The progress of a pending request, by time. @param {string} label */
  progress(label) {
    if (!this.request) return nothing;
    const limit = Number(this.fields.limit) || LIMITS[1];
    const passed = (Date.now() - this.since) / 1000;
    return html`<div class="whole"><progress max=${limit} value=${Math.min(passed, limit)} aria-label=${label}></progress>
      <p class="help">${passed < limit ? `${passed.toFixed(0)} s of at most ${limit} s; it ends as soon as the result is proven.` : `${passed.toFixed(0)} s: waiting for the answer.`}</p></div>`;
  }

  /** @param {(name: string) => string} linkTo */
  notice(linkTo) {
    return this.problem ? html`<div class="whole" role="alert">${problemNotice(this.problem.problem, linkTo)}</div>` : nothing;
  }
}

/** A number field's value; null if it is empty. @param {string} text */
export function number(text) {
  return text === "" ? null : Number(text);
}
