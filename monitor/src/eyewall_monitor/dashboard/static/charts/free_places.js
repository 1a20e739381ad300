// Where labels go so that none hides another.

const CHARACTER = 6.4;
const LINE = 15;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** Remembers what is taken. */
export class FreePlaces {
  constructor() {
    /** @type {Box[]} */
    this.taken = [];
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  take(x, y, width, height) {
    this.taken.push(box(x, y, width, height));
  }

  /**
   * The first of some places at which a text fits; taken from then on.
   * @param {string} text @param {{x: number, y: number}[]} places  Of its middle.
   */
  first(text, places) {
    const width = widthOf(text) + 6;
    const found = places.find((it) => !this.taken.some((other) => overlap(box(it.x, it.y, width, LINE), other)));
    if (found) this.take(found.x, found.y, width, LINE);
    return found;
  }
}

/** About how wide a text is, in px of the pictures' type. @param {string} text */
export function widthOf(text) {
  return text.length * CHARACTER;
}

/** @param {string} text @param {number} width */
export function shortened(text, width) {
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
