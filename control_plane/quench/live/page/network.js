// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A picture of the network: switches from the left to the right, their hosts about them, and each queue on its link.

import { delay_ms, figure } from "./units.js";

const SVG = "http://www.w3.org/2000/svg";
const [COLUMN_PX, ROW_PX, NODE_PX, MARGIN_PX] = [250, 34, 88, 10];
/** Where several switches are above each other, their links cross. */
const CROSSED_ROW_PX = 76;
/** Size of a queue's words, and shares of its link where they may be. */
const [LABEL_PX, NEAR_PX] = [92, 14];
const SHARES = [0.6, 0.68, 0.52, 0.44, 0.36];
/** More hosts of one switch are one box, but for those behind a queue. */
const MOST_HOSTS = 6;

export class Network {
  #shown = null;
  #queues = [];

  /** `open(key)` is called for the queue that somebody chose. */
  constructor(element, { history }, open) {
    this.element = element;
    this.history = history;
    this.open = open;
    this.holder = element.querySelector(".picture");
  }

  /** The picture of a network; null or undefined: the source does not know it. `queues` as the overview has them. */
  show(network, queues) {
    this.element.hidden = (network ?? null) === null || network.switches.length === 0;
    const said = JSON.stringify([network, [...queues.keys()]]);
    if (!this.element.hidden && said !== this.#shown) {
      this.#shown = said;
      this.#draw(network, queues);
    }
    for (const drawn of this.#queues) {
      drawn.queue = queues.get(drawn.key);
    }
  }

  /** Width by utilisation; colour by where the average is among the thresholds. */
  refresh() {
    for (const { line, label, queue } of this.#queues) {
      const { place, queue_layout: { profile }, port_layout: { rate_bps } } = queue;
      const share = this.history.port(place).last("utilisation");
      const average = this.history.queue(place).last("average_pkts");
      const delay = delay_ms(average, profile, rate_bps);
      const thresholds = (profile?.thresholds ?? []).map(({ pkts }) => pkts);
      const state = average === null || thresholds.length === 0 ? "calm"
        : average >= Math.max(...thresholds) ? "full" : average >= Math.min(...thresholds) ? "busy" : "calm";
      line.setAttribute("class", `queue ${state}`);
      line.setAttribute("stroke-width", 3 + 5 * (share ?? 0));
      const text = `${share === null ? "" : `${figure(share * 100)} % `}${delay === null ? "" : `${figure(delay)} ms`}`.trim();
      if (label.textContent !== text) {
        label.textContent = text;
      }
    }
  }

  #draw({ hosts, switches, links }, queues) {
    const ranks = ranks_of(switches, links);
    const places = new Map();
    const queued = (name, port) => [...queues.values()].some(({ place }) => place.switch === name && place.port === port);
    const last = Math.max(...ranks.values());
    const columns = Array.from({ length: last + 3 }, () => []);
    for (const [name, rank] of ranks) {
      columns[rank + 1].push({ name, kind: "switch", of: [name] });
    }
    const side = (rank, index) => (last === 0 ? (index % 2 === 0 ? 0 : 2) : rank === last ? last + 2 : rank);
    for (const name of switches) {
      const own = hosts.filter((host) => links.some(({ a, b }) => (a === host && b === name) || (b === host && a === name)));
      const has_queue = (host) => links.some(({ a, a_port, b, b_port }) => (a === host && queued(b, b_port)) || (b === host && queued(a, a_port)));
      const others = own.filter((host) => !has_queue(host));
      const boxes = own.filter((host) => others.length <= MOST_HOSTS || has_queue(host)).map((host) => ({ name: host, of: [host] }));
      if (others.length > MOST_HOSTS) {
        boxes.push({ name: `${others.length} hosts`, of: others });
      }
      boxes.forEach((box, index) => columns[side(ranks.get(name), index)].push({ ...box, kind: "host" }));
    }
    const rows = Math.max(...columns.map((column) => column.length));
    const crosses = columns.some((column) => column.filter(({ kind }) => kind === "switch").length > 1);
    const row_px = crosses ? CROSSED_ROW_PX : ROW_PX;
    const used = columns.filter((column) => column.length > 0);
    used.forEach((column, x) => column.forEach((box, index) => {
      const y = ((index + 0.5) * rows * row_px) / column.length;
      for (const name of box.of) {
        places.set(name, { x: MARGIN_PX + x * COLUMN_PX + NODE_PX / 2, y: MARGIN_PX + y, box });
      }
    }));
    const size = [2 * MARGIN_PX + (used.length - 1) * COLUMN_PX + NODE_PX, 2 * MARGIN_PX + rows * row_px];
    const svg = made("svg", { viewBox: `0 0 ${size[0]} ${size[1]}`, role: "group", "aria-label": "The network", width: size[0] });
    this.#queues = [];
    const drawn = new Set();
    for (const link of links) {
      const [from, to] = [places.get(link.a), places.get(link.b)];
      if (from === undefined || to === undefined) {
        continue;
      }
      const key = [from.x, from.y, to.x, to.y].join();
      if (!drawn.has(key)) {
        drawn.add(key);
        svg.append(made("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: "link" }));
      }
      this.#add_queues(svg, queues, link.a, link.a_port, from, to);
      this.#add_queues(svg, queues, link.b, link.b_port, to, from);
    }
    for (const { x, y, box } of new Set([...places.values()].map((place) => place))) {
      if (!drawn.has(box)) {
        drawn.add(box);
        const node = made("g", { class: box.kind });
        const text = made("text", { x, y: y + 4, "text-anchor": "middle" });
        text.textContent = box.name.length > 12 ? `${box.name.slice(0, 11)}…` : box.name;
        node.append(made("rect", { x: x - NODE_PX / 2, y: y - 12, width: NODE_PX, height: 24, rx: box.kind === "switch" ? 4 : 12 }), text);
        svg.append(node);
      }
    }
    this.holder.replaceChildren(svg);
  }

  /** The queues of a switch's port, on its half of the link. */
  #add_queues(svg, queues, name, port, from, to) {
    const [key] = [...queues].find(([, { place }]) => place.switch === name && place.port === port) ?? [];
    if (key === undefined) {
      return;
    }
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const at = (px) => ({ x: from.x + ((to.x - from.x) * px) / length, y: from.y + ((to.y - from.y) * px) / length });
    const [start, end] = [at(Math.min(NODE_PX / 2, length / 4)), at(length * 0.42)];
    // Where no other queue's words are: the links of a switch part from each other on their way.
    const near = ({ x, y }) => this.#queues.some((other) => Math.abs(other.x - x) < LABEL_PX && Math.abs(other.y - y) < NEAR_PX);
    const rise = to.x >= from.x ? -5 : 14;
    const words = SHARES.map((share) => at(length * share)).map(({ x, y }) => ({ x, y: y + rise }));
    const free = words.find((each) => !near(each));
    const { x, y } = free ?? words[0];
    // Words without a place of their own are there for the queue that is pointed at.
    const kind = free === undefined ? "crowded" : "";
    const group = made("g", { tabindex: 0, role: "button", "aria-label": `${name} port ${port}`, class: kind });
    const line = made("line", { x1: start.x, y1: start.y, x2: end.x, y2: end.y, class: "queue calm" });
    const label = made("text", { x, y, "text-anchor": "middle" });
    group.append(line, label);
    group.addEventListener("click", () => this.open(key));
    group.addEventListener("keydown", ({ key: pressed }) => {
      if (pressed === "Enter") {
        this.open(key);
      }
    });
    svg.append(group);
    const place = free ?? { x: Infinity, y: Infinity };
    this.#queues.push({ key, line, label, ...place, queue: queues.get(key) });
  }
}

/** The distance of each switch from one at an end of the network. */
function ranks_of(switches, links) {
  const known = new Set(switches);
  const reached = (start) => {
    const found = new Map([[start, 0]]);
    for (const name of found.keys()) {
      for (const { a, b } of links) {
        const other = a === name ? b : b === name ? a : null;
        if (known.has(other) && !found.has(other)) {
          found.set(other, found.get(name) + 1);
        }
      }
    }
    return found;
  };
  // The farthest from any is at an end; of those that are as far, the one that is named first.
  const far = [...reached(switches[0])].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
  const back = reached(far);
  const most = Math.max(...back.values());
  const start = switches.find((name) => Math.max(...reached(name).values()) === most) ?? far;
  const ranks = reached(start);
  // A part of the network without a link to the rest stands at the left.
  return new Map(switches.map((name) => [name, ranks.get(name) ?? 0]));
}

function made(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}
