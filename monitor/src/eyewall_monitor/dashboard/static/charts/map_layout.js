// Maps positions, in seconds of round-trip time, to pixels.

import { compareNames } from "../sites.js";

/** @typedef {import("../../api.d.ts").SupervisorView} SupervisorView */
/** @typedef {{x: number, y: number}} Point */

const TURNS = 60;
const GAP_OF_GRID = 1.25;

/** A stable layout: it is turned and scaled again only when the set of hosts changes. */
export class MapLayout {
  constructor() {
    this.key = "";
    this.cos = 1;
    this.sin = 0;
    this.scale = 1;
    /** @type {Point} */
    this.middle = { x: 0, y: 0 };
    this.heightKey = "";
    this.height = 0;
  }

  /**
   * The height that the hosts need; it changes only with the set of hosts.
   * @param {SupervisorView[]} supervisors
   * @param {{width: number, margin: number, least: number, most: number}} room
   */
  heightFor(supervisors, room) {
    const located = supervisors.flatMap((it) => (it.position ? [it.position] : []));
    const key = `${room.width} ${supervisors.map((it) => it.host).sort().join(" ")} ${located.length > 1}`;
    if (key === this.heightKey) return this.height;
    this.heightKey = key;
    this.height = room.most;
    if (room.width < room.most || located.length < 2) return this.height;
    this.turnTo(located, false);
    const turned = located.map((it) => this.turn(it));
    const [left, right] = extent(turned.map((it) => it.x));
    const [top, bottom] = extent(turned.map((it) => it.y));
    const wanted = ((bottom - top) / Math.max(right - left, 1e-9)) * (room.width - 2 * room.margin) + 2.6 * room.margin;
    this.height = Math.round(Math.min(room.most, Math.max(room.least, wanted)));
    return this.height;
  }

  /**
   * Return the place of each host.
   * @param {SupervisorView[]} supervisors
   * @param {{width: number, height: number, margin: number, apart: number}} room  `apart`: the minimum distance of two hosts, in px.
   * @returns {Map<string, Point>}
   */
  places(supervisors, room) {
    const located = supervisors.filter((it) => it.position);
    if (located.length < 2 || located.length < supervisors.length / 2) return bySite(supervisors, room);
    this.settle(located, room);
    /** @type {Map<string, Point>} */
    const places = new Map();
    for (const it of located) places.set(it.host, this.place(/** @type {Point} */ (it.position), room));
    const lost = supervisors.filter((it) => !it.position);
    lost.forEach((it, index) => places.set(it.host, { x: room.margin + index * room.apart, y: room.height - room.margin / 2 }));
    if (supervisors.length <= 200) pushApart([...places.values()], room);
    return places;
  }

  /** @param {SupervisorView[]} located @param {{width: number, height: number, margin: number}} room */
  settle(located, room) {
    const points = located.map((it) => /** @type {Point} */ (it.position));
    const key = `${room.width}x${room.height} ${located.map((it) => it.host).sort().join(" ")}`;
    if (key === this.key && points.every((it) => inside(this.place(it, room), room))) return;
    this.key = key;
    this.turnTo(points, room.width < room.height);
    this.scale = 1;
    this.middle = { x: 0, y: 0 };
    const turned = points.map((it) => this.turn(it));
    const [left, right] = extent(turned.map((it) => it.x));
    const [top, bottom] = extent(turned.map((it) => it.y));
    this.middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const across = (room.width - 2 * room.margin) / Math.max(right - left, 1e-9);
    const down = (room.height - 2 * room.margin) / Math.max(bottom - top, 1e-9);
    this.scale = Math.min(across, down);
  }

  /** @param {Point} position @param {{width: number, height: number}} room */
  place(position, room) {
    const turned = this.turn(position);
    return {
      x: room.width / 2 + (turned.x - this.middle.x) * this.scale,
      y: room.height / 2 + (turned.y - this.middle.y) * this.scale,
    };
  }

  /** Turn the longest axis across, or down. @param {Point[]} points @param {boolean} down */
  turnTo(points, down) {
    const mean = { x: average(points.map((it) => it.x)), y: average(points.map((it) => it.y)) };
    const angle = mainAxis(points, mean) - (down ? Math.PI / 2 : 0);
    this.cos = Math.cos(-angle);
    this.sin = Math.sin(-angle);
  }

  /** @param {Point} point */
  turn(point) {
    return { x: point.x * this.cos - point.y * this.sin, y: point.x * this.sin + point.y * this.cos };
  }

  /** Px per second of round-trip time; null if hosts are not drawn by position. */
  get pixelsPerSecond() {
    return this.key ? this.scale : null;
  }
}

/** Sites side by side, their hosts in a grid. @param {SupervisorView[]} supervisors @param {{width: number, height: number, apart: number}} room */
function bySite(supervisors, room) {
  /** @type {Map<string, Point>} */
  const places = new Map();
  const sites = [...new Set(supervisors.map((it) => it.site))].sort(compareNames);
  const columns = Math.max(1, Math.min(sites.length, Math.round(Math.sqrt((sites.length * room.width) / room.height))));
  const rows = Math.ceil(sites.length / columns);
  sites.forEach((site, index) => {
    const hosts = supervisors.filter((it) => it.site === site).sort((one, other) => compareNames(one.host, other.host));
    const middle = {
      x: ((index % columns) + 0.5) * (room.width / columns),
      y: (Math.floor(index / columns) + 0.5) * (room.height / rows),
    };
    const side = Math.ceil(Math.sqrt(hosts.length));
    const gap = Math.min(room.apart * GAP_OF_GRID, (0.8 * Math.min(room.width / columns, room.height / rows)) / side);
    hosts.forEach((it, at) => places.set(it.host, {
      x: middle.x + ((at % side) - (side - 1) / 2) * gap,
      y: middle.y + (Math.floor(at / side) - (Math.ceil(hosts.length / side) - 1) / 2) * gap,
    }));
  });
  return places;
}

/** Move overlapping points apart, a little at a time. @param {Point[]} points @param {{width: number, height: number, margin: number, apart: number}} room */
function pushApart(points, room) {
  for (let turn = 0; turn < TURNS; turn++) {
    let moved = false;
    for (let i = 0; i < points.length; i++) {
      for (let j = i + 1; j < points.length; j++) {
        const [one, other] = [points[i], points[j]];
        const dx = other.x - one.x || 0.01 * (j - i);
        const dy = other.y - one.y || 0.01;
        const distance = Math.hypot(dx, dy);
        if (distance >= room.apart) continue;
        const push = (room.apart - distance) / 2 / distance;
        one.x -= dx * push;
        one.y -= dy * push;
        other.x += dx * push;
        other.y += dy * push;
        moved = true;
      }
    }
    if (!moved) break;
  }
  for (const it of points) {
    it.x = Math.min(Math.max(it.x, room.margin * 0.6), room.width - room.margin * 0.6);
    it.y = Math.min(Math.max(it.y, room.margin * 0.6), room.height - room.margin * 0.95);
  }
}

/** The convex hull, in order. @param {Point[]} points */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

/** @param {Point[]} sorted */
function half(sorted) {
  /** @type {Point[]} */
  const line = [];
  for (const it of sorted) {
    while (line.length > 1 && turnsRight(line[line.length - 2], line[line.length - 1], it)) line.pop();
    line.push(it);
  }
  return line.slice(0, -1);
}

/** @param {Point} a @param {Point} b @param {Point} c */
function turnsRight(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0;
}

/** The direction in which points spread most. @param {Point[]} points @param {Point} mean */
function mainAxis(points, mean) {
  let [xx, xy, yy] = [0, 0, 0];
  for (const it of points) {
    xx += (it.x - mean.x) ** 2;
    xy += (it.x - mean.x) * (it.y - mean.y);
    yy += (it.y - mean.y) ** 2;
  }
  return 0.5 * Math.atan2(2 * xy, xx - yy);
}

/** @param {Point} place @param {{width: number, height: number}} room */
function inside(place, room) {
  return place.x > 0 && place.x < room.width && place.y > 0 && place.y < room.height;
}

/** @param {number[]} values @returns {[number, number]} */
function extent(values) {
  return [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** @param {number[]} values */
function average(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
