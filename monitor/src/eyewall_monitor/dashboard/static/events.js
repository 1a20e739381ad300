// The stream of changes from the server (Server-Sent Events) and the state of its connection.
//
// It uses fetch, not EventSource: EventSource hides heartbeats, and without them a dead connection
// looks like a quiet one.

const SILENCE = 12_000;
const HIDDEN = 20_000;
const PAUSES = [500, 1_000, 2_000, 4_000];

/** @typedef {import("../api.d.ts").ViewChange} ViewChange */
/** @typedef {"connecting"|"live"|"lost"} State */

/**
 * Dispatches `change` (detail: ViewChange) and `state` (detail: State) while the page is open.
 * A hidden tab closes its connection and reconnects when it is shown.
 */
export class ChangeEvents extends EventTarget {
  /** @param {string} url */
  constructor(url) {
    super();
    this.url = url;
    /** @type {State} */
    this.state = "connecting";
    /** When the connection was lost, in ms; null while there is one. */
    this.lostAt = /** @type {number|null} */ (null);
    this.failures = 0;
    this.attempt = new AbortController();
    this.timer = 0;
  }

  start() {
    void this.listen();
    addEventListener("online", () => this.reconnect());
    addEventListener("offline", () => this.attempt.abort());
    addEventListener("pagehide", () => this.attempt.abort());
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.timer);
      if (document.hidden) this.timer = window.setTimeout(() => this.attempt.abort(), HIDDEN);
      else if (this.attempt.signal.aborted || this.state === "lost") this.reconnect();
    });
  }

  /** Connect now instead of waiting for the next attempt. */
  reconnect() {
    clearTimeout(this.timer);
    this.attempt.abort();
    this.attempt = new AbortController();
    void this.listen();
  }

  async listen() {
    const attempt = this.attempt;
    const watchdog = new Watchdog(() => attempt.abort());
    try {
      const response = await fetch(this.url, {
        headers: { Accept: "text/event-stream" },
        cache: "no-store",
        signal: attempt.signal,
      });
      if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
      this.failures = 0;
      this.setState("live");
      await this.receive(response.body, watchdog);
    } catch {
      // Every failure ends the connection; what follows is the same for all of them.
    }
    watchdog.stop();
    if (attempt !== this.attempt) return;
    if (document.hidden) {
      this.setState("connecting");
      return;
    }
    this.setState("lost");
    const pause = PAUSES[Math.min(this.failures++, PAUSES.length - 1)];
    this.timer = window.setTimeout(() => this.reconnect(), pause);
  }

  /** @param {ReadableStream<Uint8Array<ArrayBuffer>>} body @param {Watchdog} watchdog */
  async receive(body, watchdog) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.reset();
      const blocks = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
      waiting = blocks.pop() ?? "";
      for (const block of blocks) this.dispatch(block);
    }
  }

  /** @param {string} block  One event, or a heartbeat. */
  dispatch(block) {
    const lines = block.split("\n");
    const data = lines.filter((it) => it.startsWith("data:")).map((it) => it.slice(5).trim());
    if (!lines.includes("event: change") || !data.length) return;
    this.dispatchEvent(new CustomEvent("change", { detail: JSON.parse(data.join("\n")) }));
  }

  /** @param {State} state */
  setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.lostAt = state === "lost" ? Date.now() : null;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }
}

/** Calls `expired` unless it is reset in time. */
class Watchdog {
  /** @param {() => void} expired */
  constructor(expired) {
    this.expired = expired;
    this.timer = setTimeout(expired, SILENCE);
  }

  reset() {
    this.stop();
    this.timer = setTimeout(this.expired, SILENCE);
  }

  stop() {
    clearTimeout(this.timer);
  }
}
