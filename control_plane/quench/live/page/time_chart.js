// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A chart over time, with the changes as numbered marks.

/* global Bokeh */
import { Chart, fitted, greatest } from "./chart.js";

/** Share of the axis within which two marks have one label. */
const NEAR = 0.03;

export class TimeChart extends Chart {
  least_y = 1;

  /** `concerns(event)` says which changes are marked. */
  constructor(holder, title, { time_axis, history, concerns }) {
    super(holder, title);
    this.time_axis = time_axis;
    this.history = history;
    this.concerns = concerns;
    this.y_end = 1;
  }

  axes() {
    this.time_axis.forget(this.x_range);
    this.x_range = this.time_axis.range();
    this.y_range = new Bokeh.Range1d({ start: 0, end: this.y_end });
    return {
      x_range: this.x_range,
      y_range: this.y_range,
      x_axis_type: this.time_axis.clock === "unix" ? "datetime" : "linear",
      tools: [new Bokeh.BoxZoomTool({ dimensions: "width" })],
      x_label: this.time_axis.clock === "unix" ? null : "seconds",
    };
  }

  build(palette) {
    this.source = new Bokeh.ColumnDataSource({ data: this.data() });
    const entries = this.lines(palette);
    for (const { name, colour, dash = "solid", width = 1.5 } of entries) {
      this.figure.line({ field: "time" }, { field: name }, {
        source: this.source, line_color: colour, line_dash: dash, line_width: width,
      });
    }
    this.legend(entries.map(({ label, colour, dash = "solid" }) => [label, colour, dash]));
    this.build_marks(palette);
  }

  build_marks(palette) {
    this.marks = new Bokeh.ColumnDataSource({ data: { x: [], y: [], text: [] } });
    this.figure.vspan({ field: "x" }, { source: this.marks, line_color: palette.change, line_dash: "dotdash" });
    this.figure.text({ field: "x" }, { field: "y" }, { field: "text" }, {
      source: this.marks, text_color: palette.change, text_font_size: "11px", text_font_style: "bold",
      text_baseline: "top", x_offset: 3, y_offset: 2,
    });
  }

  draw() {
    const data = this.data();
    this.source.data = data;
    const { time, ...columns } = data;
    this.fit(greatest(...Object.values(columns)));
    this.draw_marks();
  }

  remove() {
    super.remove();
    this.time_axis.forget(this.x_range);
  }

  fit(needed) {
    const end = fitted(this.y_range.end, needed, this.least_y);
    if (end !== this.y_range.end) {
      this.y_end = end;
      this.y_range.end = end;
    }
  }

  draw_marks() {
    const [start_s, end_s] = this.time_axis.shown_s();
    const events = this.history.events.filter(
      (event) => event.time_s >= start_s && event.time_s <= end_s && this.concerns(event),
    );
    if (events.length === 0 && this.marks.data.x.length === 0) {
      return;
    }
    this.marks.data = {
      x: events.map((event) => this.time_axis.to_x(event.time_s)),
      y: events.map(() => this.y_range.end),
      text: labels(events, (end_s - start_s) * NEAR),
    };
  }
}

/** The numbers of events; of those that are near each other the first has the label, such as `2-4`. */
function labels(events, near_s) {
  const texts = events.map(() => "");
  let first = 0;
  events.forEach(({ time_s, number }, index) => {
    if (time_s - events[first].time_s > near_s) {
      first = index;
    }
    texts[first] = first === index ? String(number) : `${events[first].number}-${number}`;
  });
  return texts;
}
