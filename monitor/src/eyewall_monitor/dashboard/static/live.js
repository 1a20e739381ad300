// What has changed, as the server tells it (Server-Sent Events), and whether it still does.
//
// Read by fetch and not by EventSource, which hides the heartbeats: a connection that has died
// without a word is only told from a quiet one by their absence.

const SILENCE = 12_000;
const HIDDEN = 20_000;
const PAUSES = [500, 1_000, 2_000, 4_000];

/** @typedef {import("../views.d.ts").Change} Change */
/** @typedef {"connecting"|"live"|"lost"} State */

/**
 * Tells `change` (detail: Change) and `state` (detail: State), for as long as the page is open.
 * A tab that nobody sees lets its connection go, and takes it up again when it is looked at.
 */
export class Live extends EventTarget {
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
    addEventListener("online", () => this.again());
    addEventListener("offline", () => this.attempt.abort());
    addEventListener("pagehide", () => this.attempt.abort());
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.timer);
      if (document.hidden) this.timer = window.setTimeout(() => this.attempt.abort(), HIDDEN);
      else if (this.attempt.signal.aborted || this.state === "lost") this.again();
    });
  }

  /** Try at once, whatever was waited for. */
  again() {
    clearTimeout(this.timer);
    this.attempt.abort();
    this.attempt = new AbortController();
    void this.listen();
  }

  async listen() {
    const attempt = this.attempt;
    const silent = new Silence(() => attempt.abort());
    try {
      const response = await fetch(this.url, {
        headers: { Accept: "text/event-stream" },
        cache: "no-store",
        signal: attempt.signal,
      });
      if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
      this.failures = 0;
      this.become("live");
      await this.follow(response.body, silent);
    } catch {
      // Whatever ended it, it is over: that is said below.
    }
    silent.end();
    if (attempt !== this.attempt) return;
    if (document.hidden) {
      this.become("connecting");
      return;
    }
    this.become("lost");
    const pause = PAUSES[Math.min(this.failures++, PAUSES.length - 1)];
    this.timer = window.setTimeout(() => this.again(), pause);
  }

  /** @param {ReadableStream<Uint8Array>} body @param {Silence} silent */
  async follow(body, silent) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silent.broken();
      const blocks = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
      waiting = blocks.pop() ?? "";
      for (const block of blocks) this.tell(block);
    }
  }

  /** @param {string} block  One event, or a heartbeat. */
  tell(block) {
    const lines = block.split("\n");
    const data = lines.filter((it) => it.startsWith("data:")).map((it) => it.slice(5).trim());
    if (!lines.includes("event: change") || !data.length) return;
    this.dispatchEvent(new CustomEvent("change", { detail: JSON.parse(data.join("\n")) }));
  }

  /** @param {State} state */
  become(state) {
    if (state === this.state) return;
    this.state = state;
    this.lostAt = state === "lost" ? Date.now() : null;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }
}

/** Calls when nothing has been heard for too long. */
class Silence {
  /** @param {() => void} tooLong */
  constructor(tooLong) {
    this.tooLong = tooLong;
    this.timer = setTimeout(tooLong, SILENCE);
  }

  broken() {
    this.end();
    this.timer = setTimeout(this.tooLong, SILENCE);
  }

  end() {
    clearTimeout(this.timer);
  }
}
