// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Thresholds as lines in a chart; those that are settings can be dragged.

/* global Bokeh */

const NEAR_PX = 14;
const CHARACTER_PX = 6.6;
/** Height of a chart's frame, and of the first label in it. */
const HEIGHT_PX = 185;
const TOP_PX = 150;

export class ThresholdLines {
  #spans = new Map();
  #labels = new Map();
  #dragged = null;

  /**
   * Lines for these thresholds, in a chart that is being built: a line that is added later is painted by Bokeh
   * before it has its view.
   * `moved(name, pkts, is_done)` is called while a line is dragged, and when it is let go.
   */
  constructor(chart, dimension, palette, thresholds, moved) {
    this.chart = chart;
    this.dimension = dimension;
    this.palette = palette;
    this.moved = moved;
    for (const { name } of thresholds) {
      if (name !== "") {
        this.#add(name);
      }
    }
  }

  /** Whether each of them has a line. */
  knows(thresholds) {
    return thresholds.every(({ name }) => name === "" || this.#spans.has(name));
  }

  /** Show thresholds of a profile. A line that is being dragged stays where it is. */
  show(thresholds) {
    const named = thresholds.filter(({ name }) => this.#spans.has(name));
    const wanted = new Map(named.map((threshold) => [threshold.name, threshold]));
    for (const [name, span] of this.#spans) {
      span.visible = wanted.has(name);
      this.#labels.get(name).visible = wanted.has(name);
    }
    for (const [name, { pkts, draggable }] of wanted) {
      if (this.#dragged !== name) {
        this.#spans.get(name).setv({ location: pkts, editable: draggable, line_width: draggable ? 3 : 1.5 });
      }
    }
    this.#place(named);
  }

  get is_dragged() {
    return this.#dragged !== null;
  }

  #add(name) {
    const { palette, dimension } = this;
    const span = new Bokeh.Span({
      dimension, location: 0, line_color: palette.threshold, line_dash: [8, 4], line_width: 3, editable: true,
      hover_line_color: palette.threshold, hover_line_alpha: 0.5, hover_line_width: 6,
    });
    const label = new Bokeh.Label({
      x: 0, y: 0, text: name, text_color: palette.threshold, text_font_size: "11px",
      background_fill_color: palette.background, background_fill_alpha: 0.8,
      ...(dimension === "width" ? { x_units: "screen", x_offset: 4, y_offset: 2 } : { y_units: "screen", x_offset: 3 }),
    });
    span.pan.connect(([phase]) => {
      this.#dragged = phase === "pan:end" ? null : name;
      if (phase !== "pan:start") {
        if (span.location < 0) {
          span.location = 0;
        }
        this.moved(name, span.location, phase === "pan:end");
      }
    });
    this.chart.figure.add_layout(span);
    this.chart.figure.add_layout(label);
    this.#spans.set(name, span);
    this.#labels.set(name, label);
  }

  #place(thresholds) {
    const sorted = [...thresholds].sort((a, b) => a.pkts - b.pkts);
    if (this.dimension === "width") {
      this.#place_beside(sorted);
    } else {
      this.#place_below(sorted);
    }
  }

  /** Above its line; below it where another line is just above; then beside each other. */
  #place_beside(sorted) {
    const px = (index) => ((sorted[index]?.pkts ?? Infinity) / this.chart.y_range.end) * HEIGHT_PX;
    let x = 0;
    sorted.forEach(({ name, pkts, text }, index) => {
      const is_near = index > 0 && px(index) - px(index - 1) < NEAR_PX;
      const is_below = px(index + 1) - px(index) < NEAR_PX && !is_near;
      const shown = `${name} ${text}`;
      const is_third = is_near && index > 1 && px(index - 1) - px(index - 2) < NEAR_PX;
      x = is_third ? x + sorted[index - 1].name.length * CHARACTER_PX + 60 : 0;
      this.#labels.get(name).setv({
        x, y: pkts, text: shown, text_baseline: is_below ? "top" : "bottom", y_offset: is_below ? -3 : 2,
      });
    });
  }

  /** At the top of its line, without the depth, which the axis has; each below one that would reach it. */
  #place_below(sorted) {
    const length_px = Math.max(100, this.chart.canvas.clientWidth - 60);
    const px = (pkts) => (pkts / this.chart.x_range.end) * length_px;
    let until_px = 0;
    let row = 0;
    for (const { name, pkts } of sorted) {
      const width_px = name.length * CHARACTER_PX + 10;
      const is_left = px(pkts) + width_px > length_px;
      row = px(pkts) - (is_left ? width_px : 0) < until_px ? row + 1 : 0;
      this.#labels.get(name).setv({
        x: pkts, y: TOP_PX - row * NEAR_PX, text: name,
        text_align: is_left ? "right" : "left", x_offset: is_left ? -3 : 3,
      });
      until_px = Math.max(until_px, px(pkts) + (is_left ? 0 : width_px));
    }
  }
}
