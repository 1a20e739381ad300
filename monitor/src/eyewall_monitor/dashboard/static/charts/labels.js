// Places labels so that none covers another.

const CHARACTER = 6.4;
const LINE = 15;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** The boxes that are occupied. */
export class LabelPlacement {
  constructor() {
    /** @type {Box[]} */
    this.boxes = [];
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  occupy(x, y, width, height) {
    this.boxes.push(box(x, y, width, height));
  }

  /**
   * Occupy and return the first place at which a text fits.
   * @param {string} text @param {{x: number, y: number}[]} places  Of its middle.
   */
  place(text, places) {
    const width = textWidth(text) + 6;
    const found = places.find((it) => !this.boxes.some((other) => overlap(box(it.x, it.y, width, LINE), other)));
    if (found) this.occupy(found.x, found.y, width, LINE);
    return found;
  }
}

/** The approximate width of a text, in px. @param {string} text */
export function textWidth(text) {
  return text.length * CHARACTER;
}

/** @param {string} text @param {number} width */
export function ellipsize(text, width) {
  const most = Math.floor(width / CHARACTER);
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/** @param {number} x @param {number} y @param {number} width @param {number} height @returns {Box} */
function box(x, y, width, height) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
