// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A chart over time, with the changes as numbered marks.

import { Chart, fitted, greatest } from "./chart.js";
import { colour } from "./theme.js";
import { figure, moment } from "./units.js";

/** Pixels within which two marks have one label. */
const NEAR_PX = 22;

export class TimeChart extends Chart {
  least_y = 1;
  y_end = 1;
  #drawn_s = -Infinity;

  /** `concerns(event)` says which changes are marked. */
  constructor(holder, title, { time_axis, history, concerns }) {
    super(holder, title);
    this.time_axis = time_axis;
    this.history = history;
    this.concerns = concerns;
  }

  /** What is new is drawn when it moves the lines by a pixel. */
  follow() {
    const pixel_s = (this.time_axis.end_s - this.time_axis.start_s) / (this.plot?.width ?? 1);
    if (Math.abs(this.time_axis.end_s - this.#drawn_s) >= pixel_s) {
      this.#drawn_s = this.time_axis.end_s;
      this.refresh();
    }
  }

  cursor() {
    const is_own = (kind) => kind !== "mousedown" && kind !== "mouseup";
    return {
      sync: { key: "quench", filters: { pub: is_own } }, drag: { x: true, y: false, setScale: false, dist: 5 },
    };
  }

  selected(plot) {
    if (plot === this.plot && plot.select.width > 0) {
      const [left, right] = [plot.select.left, plot.select.left + plot.select.width];
      plot.setSelect({ left: 0, width: 0 }, false);
      this.time_axis.show(plot.posToVal(left, "x"), plot.posToVal(right, "x"));
    }
  }

  scales() {
    const { time_axis } = this;
    return {
      x: { time: time_axis.clock === "unix", range: () => [time_axis.start_s, time_axis.end_s] },
      y: { range: () => [0, this.y_end] },
    };
  }

  axes(axis) {
    const times = (_, splits) => splits.map((time_s) => moment(time_s, this.time_axis.clock));
    return [
      axis({ values: times, size: 26, space: 80 }),
      axis({ values: (_, splits) => splits.map(tick), size: 46, space: 30 }),
      ...this.right_axes(axis),
    ];
  }

  right_axes() {
    return [];
  }

  /** The columns of a series in the time that is shown. A chart without a row is drawn too. */
  data() {
    const { start_s, end_s } = this.time_axis;
    const data = this.part(start_s, end_s);
    this.fit(greatest(data.slice(1)));
    return data[0].length > 0 ? data : [[end_s], ...data.slice(1).map(() => [null])];
  }

  fit(needed) {
    this.y_end = fitted(this.y_end, needed, this.least_y);
  }

  paint(plot, labels, unit) {
    const { start_s, end_s } = this.time_axis;
    const events = this.history.events.filter(
      (event) => event.number !== null && event.time_s >= start_s && event.time_s <= end_s && this.concerns(event),
    );
    const { ctx, bbox } = plot;
    const marks = events.map(({ time_s, number }) => ({ x: plot.valToPos(time_s, "x", true), number }));
    ctx.strokeStyle = colour("change");
    ctx.lineWidth = unit;
    ctx.setLineDash([6 * unit, 3 * unit]);
    ctx.beginPath();
    for (const { x } of marks) {
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    for (const { x, text } of together(marks, NEAR_PX * unit)) {
      const align = x > bbox.left + bbox.width - 40 * unit ? "right" : "left";
      labels.add(text, x, bbox.top, colour("change"), { align });
    }
  }
}

/** A number on an axis. */
export function tick(value) {
  return value === 0 ? "0" : value >= 10_000 ? `${figure(value / 1000)}k` : String(Number(value.toPrecision(3)));
}

/** The numbers of marks; of those that are near each other the first has the label, such as `2-4`. */
function together(marks, near) {
  const found = [];
  for (const { x, number } of marks) {
    const last = found.at(-1);
    if (last !== undefined && x - last.x <= near) {
      last.text = `${last.first}–${number}`;
    } else {
      found.push({ x, first: number, text: String(number) });
    }
  }
  return found;
}
