// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The marking curve: the probability over the average, and a dot where the average is.

/* global Bokeh */
import { Chart, fitted } from "./chart.js";
import { ThresholdLines } from "./threshold_lines.js";

/** Where the curve of a profile is, and what happens there. */
const KINDS = ["mark", "quench", "drop", "second"];

export class CurveChart extends Chart {
  constructor(holder, { history }, place, draft) {
    super(holder, "Probability over average, packets");
    this.history = history;
    this.place = place;
    this.draft = draft;
  }

  axes() {
    this.x_range = new Bokeh.Range1d({ start: 0, end: 10 });
    this.y_range = new Bokeh.Range1d({ start: 0, end: 1.05 });
    return { x_range: this.x_range, y_range: this.y_range };
  }

  build(palette) {
    const looks = {
      mark: { colour: palette.marked, dash: "solid", label: "mark" },
      quench: { colour: palette.isq, dash: "solid", label: "+ source quench" },
      drop: { colour: palette.early, dash: "dashed", label: "drop" },
      second: { colour: palette.second, dash: "dotted", label: "second level" },
    };
    this.sources = {};
    for (const kind of KINDS) {
      this.sources[kind] = new Bokeh.ColumnDataSource({ data: { x: [], y: [] } });
      this.figure.line({ field: "x" }, { field: "y" }, {
        source: this.sources[kind], line_color: looks[kind].colour, line_dash: looks[kind].dash,
        line_width: kind === "quench" ? 5 : 2.5, line_alpha: kind === "quench" ? 0.55 : 1,
      });
    }
    this.dot = new Bokeh.ColumnDataSource({ data: { x: [], y: [] } });
    this.figure.scatter({ field: "x" }, { field: "y" }, {
      source: this.dot, size: 12, fill_color: palette.average, line_color: palette.background, line_width: 2,
    });
    this.looks = looks;
    this.shown = null;
    this.thresholds = new ThresholdLines(this, "height", palette, this.draft.thresholds(), this.draft.drag);
  }

  is_outdated() {
    return !this.thresholds.knows(this.draft.thresholds());
  }

  draw() {
    const curve = this.draft.curve();
    const thresholds = this.draft.thresholds();
    const average = this.history.queue(this.place.switch, this.place.port, this.place.queue).last("average_pkts");
    const needed = Math.max(
      Number.isNaN(average) ? 0 : average,
      ...thresholds.map(({ pkts }) => pkts),
      ...curve.map((piece) => piece.start_pkts),
    );
    if (!this.thresholds.is_dragged) {
      const end = fitted(this.x_range.end, needed, 10);
      if (end !== this.x_range.end) {
        this.x_range.end = end;
        this.shown = null;
      }
    }
    if (curve !== this.shown) {
      this.#show(curve);
    }
    this.thresholds.show(thresholds);
    this.dot.data = Number.isNaN(average) ? { x: [], y: [] } : { x: [average], y: [probability(curve, average)] };
  }

  #show(curve) {
    this.shown = curve;
    const end = Math.max(this.x_range.end, ...curve.map((piece) => piece.start_pkts)) * 4;
    const lines = lines_of(curve, end);
    for (const kind of KINDS) {
      this.sources[kind].data = lines[kind];
    }
    const used = KINDS.filter((kind) => lines[kind].x.length > 0);
    this.legend(used.map((kind) => [this.looks[kind].label, this.looks[kind].colour, this.looks[kind].dash]));
  }
}

/** Lines of each kind; NaN parts what does not belong together. */
function lines_of(curve, end) {
  const lines = Object.fromEntries(KINDS.map((kind) => [kind, { x: [], y: [] }]));
  const add = (kind, piece, from, to) => {
    const line = lines[kind];
    const last = line.x.length - 1;
    if (last >= 0 && (line.x[last] !== piece.start_pkts || line.y[last] !== from)) {
      line.x.push(NaN);
      line.y.push(NaN);
    }
    line.x.push(piece.start_pkts, piece.end_pkts ?? end);
    line.y.push(from, to);
  };
  for (const piece of curve) {
    add(piece.drop ? "drop" : "mark", piece, piece.p1_start, piece.p1_end);
    if (piece.isq) {
      add("quench", piece, piece.p1_start, piece.p1_end);
    }
    if (piece.p2_start > 0 || piece.p2_end > 0) {
      add("second", piece, piece.p2_start, piece.p2_end);
    }
  }
  return lines;
}

/** The probability of the first level at an average; 0 below the curve. */
function probability(curve, average) {
  const piece = curve.findLast(({ start_pkts }) => start_pkts <= average);
  if (piece === undefined) {
    return 0;
  }
  const { start_pkts, end_pkts, p1_start, p1_end } = piece;
  if (end_pkts === null || end_pkts === start_pkts) {
    return p1_end;
  }
  return p1_start + (p1_end - p1_start) * Math.min(1, (average - start_pkts) / (end_pkts - start_pkts));
}
