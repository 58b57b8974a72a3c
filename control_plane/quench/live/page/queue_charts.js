// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The charts of a queue: its depth with the thresholds, its marking curve, and what its port does to packets.

import { Chart, fitted } from "./chart.js";
import { Handles } from "./handles.js";
import { colour } from "./theme.js";
import { TimeChart, tick } from "./time_chart.js";

/** Whether a change concerns a port, or one of its queues. */
export function concerns(event, { switch: name, port, queue }) {
  return event.switch === name && (event.port === null || event.port === port)
    && (event.queue === null || event.queue === undefined || event.queue === queue);
}

export class DepthChart extends TimeChart {
  columns = ["depth_pkts", "average_pkts"];
  least_y = 5;

  /** `draft` has the thresholds; `place` is `{switch, port, queue}`. */
  constructor(holder, context, place, draft) {
    super(holder, "Queue, packets", { ...context, concerns: (event) => concerns(event, place) });
    this.place = place;
    this.draft = draft;
    this.handles = new Handles(this, true, draft);
  }

  part(start_s, end_s) {
    return this.history.queue(this.place).between(start_s, end_s, this.columns);
  }

  lines() {
    return [
      { label: "depth", colour: colour("depth"), width: 1 },
      { label: "average", colour: colour("average"), width: 2 },
    ];
  }

  /** The delay of so many packets. */
  right_axes(axis) {
    const values = (_, splits) => splits.map((pkts) => {
      const delay = this.draft.delay_ms(pkts);
      return delay === null ? "" : `${tick(delay)} ms`;
    });
    return [axis({ scale: "y", side: 1, values, size: 58, space: 30, grid: { show: false } })];
  }

  fit(needed) {
    // The axis stands still under a line that is being dragged.
    if (!this.draft.is_held) {
      const settings = this.draft.thresholds().filter(({ editable }) => editable);
      super.fit(Math.max(needed, ...settings.map(({ pkts }) => pkts)));
    }
  }

  paint(plot, labels, unit) {
    super.paint(plot, labels, unit);
    this.handles.paint(plot, labels, unit);
  }
}

class PortChart extends TimeChart {
  constructor(holder, title, context, place) {
    super(holder, title, { ...context, concerns: (event) => concerns(event, { ...place, queue: event.queue }) });
    this.place = place;
  }

  part(start_s, end_s) {
    return this.history.port(this.place).between(start_s, end_s, this.columns);
  }
}

export class SignalsChart extends PortChart {
  columns = ["marked_pps", "isqs_pps", "dropped_early_pps", "dropped_forced_pps"];

  constructor(holder, context, place) {
    super(holder, "Signals of the port, /s", context, place);
  }

  lines() {
    return [
      { label: "marked", colour: colour("marked") },
      { label: "ISQs", colour: colour("isqs"), dash: "dashdot" },
      { label: "dropped early", colour: colour("dropped-early"), dash: "dashed" },
      { label: "forced", colour: colour("dropped-forced"), dash: "dotted" },
    ];
  }
}

export class UtilisationChart extends PortChart {
  columns = ["utilisation"];
  y_end = 105;

  constructor(holder, context, place) {
    super(holder, "Utilisation of the port, %", context, place);
  }

  part(start_s, end_s) {
    const [times, shares] = super.part(start_s, end_s);
    return [times, shares.map((share) => (share === null ? null : share * 100))];
  }

  lines() {
    return [{ label: "of its rate", colour: colour("utilisation"), width: 2 }];
  }

  fit() {}
}

/** Kinds of a curve's pieces: their colours and dashes. */
const KINDS = {
  mark: { label: "mark", colour: "marked", dash: "solid", width: 2.5 },
  quench: { label: "+ source quench", colour: "isqs", dash: "dashdot", width: 2.5 },
  drop: { label: "drop", colour: "dropped-early", dash: "dashed", width: 2.5 },
  second: { label: "second level", colour: "second-level", dash: "dotted", width: 2.5 },
};

export class CurveChart extends Chart {
  x_end = 10;
  #shown = null;

  constructor(holder, { history }, place, draft) {
    super(holder, "Probability over average, packets");
    this.history = history;
    this.place = place;
    this.draft = draft;
    this.handles = new Handles(this, false, draft);
  }

  cursor() {
    return { drag: { x: false, y: false } };
  }

  scales() {
    return { x: { time: false, range: () => [0, this.x_end] }, y: { range: () => [0, 1.05] } };
  }

  axes(axis) {
    return [axis({ size: 26, space: 50 }), axis({ size: 46, space: 30 })];
  }

  get kinds() {
    const curve = this.draft.curve();
    return Object.keys(KINDS).filter((kind) => curve.some((piece) => has(piece, kind)));
  }

  lines() {
    return this.kinds.map((kind) => ({ ...KINDS[kind], colour: colour(KINDS[kind].colour) }));
  }

  /** Another scheme's curve has other kinds of pieces, and so another legend. */
  refresh() {
    const kinds = this.kinds.join();
    if (this.plot !== null && kinds !== this.#shown) {
      this.#shown = kinds;
      this.rebuild();
    } else {
      this.#shown = kinds;
      super.refresh();
    }
  }

  data() {
    const curve = this.draft.curve();
    const needed = [this.#average ?? 0, ...this.draft.thresholds().map(({ pkts }) => pkts), ...curve.map((piece) => piece.start_pkts)];
    if (!this.draft.is_held) {
      this.x_end = fitted(this.x_end, Math.max(...needed), 10);
    }
    return lines_of(curve, this.kinds, this.x_end);
  }

  get #average() {
    return this.history.queue(this.place).last("average_pkts");
  }

  /** A dot where the average is now. */
  paint(plot, labels, unit) {
    this.handles.paint(plot, labels, unit);
    const average = this.#average;
    if (average !== null && average <= this.x_end) {
      const { ctx } = plot;
      const place = [plot.valToPos(average, "x", true), plot.valToPos(probability(this.draft.curve(), average), "y", true)];
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.arc(...place, 5.5 * unit, 0, 2 * Math.PI);
      ctx.fillStyle = colour("average");
      ctx.strokeStyle = colour("panel");
      ctx.lineWidth = 2 * unit;
      ctx.fill();
      ctx.stroke();
    }
  }
}

function has(piece, kind) {
  return kind === "second" ? piece.p2_start > 0 || piece.p2_end > 0 : kind === "quench" ? piece.isq
    : piece.drop === (kind === "drop");
}

/** A column for each kind; null parts what does not belong together. */
function lines_of(curve, kinds, end) {
  const rows = [];
  for (const piece of curve) {
    const until = Math.min(piece.end_pkts ?? Infinity, Math.max(end, piece.start_pkts));
    for (const [pkts, p1, p2] of [[piece.start_pkts, piece.p1_start, piece.p2_start], [until, at(piece, until), piece.p2_end]]) {
      rows.push([pkts, ...kinds.map((kind) => (has(piece, kind) ? (kind === "second" ? p2 : p1) : null))]);
    }
  }
  const columns = [0, ...kinds].map((_, index) => rows.map((row) => row[index]));
  return rows.length > 0 ? columns : [[0], ...kinds.map(() => [null])];
}

/** The probability of the first level in a piece of the curve. */
function at({ start_pkts, end_pkts, p1_start, p1_end }, average) {
  if (end_pkts === null || end_pkts === start_pkts) {
    return p1_end;
  }
  return p1_start + (p1_end - p1_start) * Math.min(1, (average - start_pkts) / (end_pkts - start_pkts));
}

/** The probability of the first level at an average; 0 below the curve. */
function probability(curve, average) {
  const piece = curve.findLast(({ start_pkts }) => start_pkts <= average);
  return piece === undefined ? 0 : at(piece, average);
}

