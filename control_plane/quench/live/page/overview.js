// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// All queues of all switches: a row each, which opens the queue's panel.

import { colour } from "./theme.js";
import { delay_ms, figure, reason } from "./units.js";

const SPARK_PX = [150, 22];
const COLUMNS = [
  ["switch", "name"], ["port", ""], ["queue", ""], ["scheme", "name"], ["average", "spark"], ["delay, ms", ""],
  ["util., %", ""], ["marks/s", ""], ["ISQs/s", ""], ["drops/s", ""],
];

export class Overview {
  #rows = new Map();

  /** `open(key)` is called for the queue that somebody chose. */
  constructor(element, { history, time_axis }, open) {
    this.element = element;
    this.history = history;
    this.time_axis = time_axis;
    this.open = open;
    this.body = element.querySelector("tbody");
    const heads = COLUMNS.map(([title, kind]) => {
      const head = document.createElement("th");
      head.scope = "col";
      head.textContent = title;
      head.className = kind;
      return head;
    });
    element.querySelector("thead tr").replaceChildren(...heads);
  }

  /** The rows: a Map of `{place, queue_layout, port_layout, switch_layout}` by key; `opened` has the open keys. */
  show(queues, opened) {
    for (const [key, { row }] of this.#rows) {
      if (!queues.has(key)) {
        row.remove();
        this.#rows.delete(key);
      }
    }
    for (const [key, queue] of queues) {
      if (!this.#rows.has(key)) {
        this.#rows.set(key, this.#made(key));
      }
      const made = this.#rows.get(key);
      made.queue = queue;
      const { place, queue_layout: { profile, program }, switch_layout } = queue;
      made.row.classList.toggle("gone", !switch_layout.connected);
      made.row.ariaExpanded = String(opened.has(key));
      made.row.title = reason(queue.queue_layout);
      const scheme = profile === null ? (program?.title ?? "no profile") : (profile.settings.scheme ?? "not known");
      [place.switch, place.port, place.queue, scheme].forEach((text, index) => write(made.row.cells[index], text));
      this.body.append(made.row);
    }
  }

  #made(key) {
    const row = this.body.insertRow();
    for (const [title, kind] of COLUMNS) {
      const cell = row.insertCell();
      cell.className = kind;
      cell.dataset.label = title;
    }
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = SPARK_PX.map((length) => length * devicePixelRatio);
    row.cells[4].append(canvas);
    row.tabIndex = 0;
    row.addEventListener("click", () => this.open(key));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.open(key);
      }
    });
    return { row, canvas };
  }

  refresh() {
    for (const { row, canvas, queue } of this.#rows.values()) {
      const { place, queue_layout: { profile, program }, port_layout: { rate_bps } } = queue;
      const series = this.history.queue(place);
      const port = this.history.port(place);
      const share = port.last("utilisation");
      const [early, forced] = [port.last("dropped_early_pps"), port.last("dropped_forced_pps")];
      const figures = [
        delay_ms(series.last("depth_pkts"), profile ?? program, rate_bps),
        share === null ? null : share * 100,
        port.last("marked_pps"),
        port.last("isqs_pps"),
        early === null && forced === null ? null : (early ?? 0) + (forced ?? 0),
      ];
      figures.forEach((value, index) => write(row.cells[5 + index], figure(value)));
      this.#spark(canvas, series, profile);
    }
  }

  /** The average over the time that is shown, and the thresholds behind it. */
  #spark(canvas, series, profile) {
    const context = canvas.getContext("2d");
    const { width, height } = canvas;
    const { start_s, end_s } = this.time_axis;
    const [times, averages] = series.between(start_s, end_s, ["average_pkts"]);
    const thresholds = (profile?.thresholds ?? []).filter(({ editable }) => editable).map(({ pkts }) => pkts);
    const top = Math.max(1, ...thresholds, averages.reduce((most, value) => Math.max(most, value ?? 0), 0)) * 1.1;
    const y = (pkts) => height - (pkts / top) * height;
    context.clearRect(0, 0, width, height);
    context.fillStyle = colour("grid");
    for (const pkts of thresholds) {
      context.fillRect(0, Math.round(y(pkts)), width, devicePixelRatio);
    }
    context.strokeStyle = colour("average");
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    averages.forEach((value, row) => {
      if (value !== null) {
        const place = [((times[row] - start_s) / (end_s - start_s)) * width, y(value)];
        context[row === 0 || averages[row - 1] === null ? "moveTo" : "lineTo"](...place);
      }
    });
    context.stroke();
  }
}

function write(cell, value) {
  const text = String(value);
  if (cell.textContent !== text) {
    cell.textContent = text;
  }
}
