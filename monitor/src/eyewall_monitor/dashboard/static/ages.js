// Ages that count by themselves: <eye-age since="ms"> says how long ago that was.

/** @type {Set<Age>} */
const shown = new Set();

class Age extends HTMLElement {
  static observedAttributes = ["since"];

  connectedCallback() {
    shown.add(this);
    this.show();
  }

  disconnectedCallback() {
    shown.delete(this);
  }

  attributeChangedCallback() {
    this.show();
  }

  show() {
    const said = inWords((Date.now() - Number(this.getAttribute("since"))) / 1000);
    if (this.textContent !== said) this.textContent = said;
  }
}

/**
 * A duration as people say it: `3 s`, `2 min`, `5 h 10 min`.
 * @param {number} seconds
 */
export function inWords(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return minutes < 10 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** Let all ages on the page count, once a second. */
export function countAges() {
  customElements.define("eye-age", Age);
  setInterval(() => shown.forEach((it) => it.show()), 1000);
}
