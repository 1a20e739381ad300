// Shows one page: fetches its views, draws them, and repeats both when something changes.

import { ApiError, read } from "./api.js";
import { html, nothing, render } from "./lit.js";
import { problemNotice } from "./problem.js";

/**
 * @typedef {object} Source  A view that a page is drawn from.
 * @property {string} path  Below /api/v1.
 * @property {(topic: string) => boolean} changedBy  Whether a change of this topic changes it.
 */
/** @typedef {Record<string, import("./api.js").Answer>} Views  By the names of their sources. */
/**
 * @typedef {object} Page
 * @property {string} title
 * @property {() => Record<string, Source>} sources  Called before each fetch.
 * @property {(views: Views) => unknown} draw  Called when every view that `needs` names is loaded.
 * @property {string[]} needs
 * @property {(root: HTMLElement, views: Views) => void} [drawn]  For charts that draw themselves.
 * @property {(topics: string[]) => void} [changed]
 * @property {() => void} [leave]
 */
/**
 * @typedef {object} Context  What a page may use.
 * @property {() => void} redraw
 * @property {() => void} refetch
 * @property {(url: string, options?: {replace?: boolean}) => void} go
 * @property {(sentence: string) => void} announce  To screen readers.
 * @property {() => URLSearchParams} query
 * @property {AbortSignal} signal  Aborted when the page is left.
 */

export class Screen {
  /**
   * @param {HTMLElement} root
   * @param {(context: Context) => Page} make
   * @param {Omit<Context, "redraw"|"refetch"|"signal">} around
   */
  constructor(root, make, around) {
    this.root = root;
    this.ended = new AbortController();
    /** @type {Views} */
    this.views = {};
    /** @type {Record<string, ApiError>} */
    this.problems = {};
    /** @type {Map<string, {path: string, again: boolean}>} */
    this.pending = new Map();
    this.frame = 0;
    this.page = make({
      ...around,
      redraw: () => this.redraw(),
      refetch: () => this.refetch(),
      signal: this.ended.signal,
    });
  }

  /** Fetch all views again; those that have not changed are answered by 304. */
  refetch() {
    for (const [name, source] of Object.entries(this.page.sources())) void this.fetch(name, source.path);
  }

  /** @param {string[]} topics  What changed. */
  changed(topics) {
    for (const [name, source] of Object.entries(this.page.sources())) {
      if (topics.some(source.changedBy)) void this.fetch(name, source.path);
    }
    this.page.changed?.(topics);
  }

  /** @param {string} name @param {string} path */
  async fetch(name, path) {
    const before = this.pending.get(name);
    if (before && before.path === path) {
      before.again = true;
      return;
    }
    const mine = { path, again: false };
    this.pending.set(name, mine);
    do {
      mine.again = false;
      await this.fetchOnce(name, path, mine);
    } while (mine.again && this.pending.get(name) === mine);
    if (this.pending.get(name) === mine) this.pending.delete(name);
  }

  /** @param {string} name @param {string} path @param {object} mine */
  async fetchOnce(name, path, mine) {
    try {
      const answer = await read(path, this.ended.signal);
      if (this.pending.get(name) !== mine) return;
      if (this.views[name] === answer && !this.problems[name]) return;
      this.views[name] = answer;
      delete this.problems[name];
    } catch (error) {
      if (this.ended.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      if (this.pending.get(name) !== mine) return;
      this.problems[name] = error;
      if (error.problem.status === 404) delete this.views[name];
    }
    this.redraw();
  }

  redraw() {
    if (this.frame || this.ended.signal.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    document.title = `${this.page.title} · Eyewall`;
    const problems = [...new Map(Object.values(this.problems).map((it) => [it.message, it])).values()];
    const complete = this.page.needs.every((name) => this.views[name]);
    const content = complete ? this.page.draw(this.views) : nothing;
    const waiting = complete || problems.length ? nothing : html`<p class="loading">Loading …</p>`;
    const heading = complete ? nothing : html`<h1>${this.page.title}</h1>`;
    render(
      html`${heading}<div class="problems" role="status">${problems.map((it) => problemNotice(it.problem))}</div>${waiting}${content}`,
      this.root,
    );
    if (complete) this.page.drawn?.(this.root, this.views);
  }

  end() {
    this.ended.abort();
    cancelAnimationFrame(this.frame);
    this.page.leave?.();
    render(nothing, this.root);
  }
}
