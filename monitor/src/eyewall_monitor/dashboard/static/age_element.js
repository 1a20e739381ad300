// <eye-age since="ms">: an age that keeps counting.

import { duration } from "./format.js";

/** @type {Set<Age>} */
const connected = new Set();

class Age extends HTMLElement {
  static observedAttributes = ["since"];

  connectedCallback() {
    connected.add(this);
    this.update();
  }

  disconnectedCallback() {
    connected.delete(this);
  }

  attributeChangedCallback() {
    this.update();
  }

  update() {
    const text = duration((Date.now() - Number(this.getAttribute("since"))) / 1000);
    if (this.textContent !== text) this.textContent = text;
  }
}

/** Define the element, and update all of them once a second. */
export function startAges() {
  customElements.define("eye-age", Age);
  setInterval(() => connected.forEach((it) => it.update()), 1000);
}
