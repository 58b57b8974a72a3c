// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A queue's depth and average over time, with the thresholds as lines that can be dragged.

import { concerns_port } from "./port_charts.js";
import { ThresholdLines } from "./threshold_lines.js";
import { TimeChart } from "./time_chart.js";

const COLUMNS = ["depth_pkts", "average_pkts"];

export class DepthChart extends TimeChart {
  least_y = 5;

  /** `draft` has the thresholds; `place` is `{switch, port, queue}`. */
  constructor(holder, context, place, draft) {
    super(holder, "Queue, packets", {
      ...context,
      concerns: (event) =>
        concerns_port(event, place.switch, place.port) && (event.queue === null || event.queue === place.queue),
    });
    this.place = place;
    this.draft = draft;
  }

  data() {
    const [start_s, end_s] = this.time_axis.shown_s();
    const series = this.history.queue(this.place.switch, this.place.port, this.place.queue);
    return series.between(start_s, end_s, COLUMNS, this.time_axis.to_x);
  }

  lines(palette) {
    return [
      { name: "depth_pkts", label: "depth", colour: palette.depth, width: 1 },
      { name: "average_pkts", label: "average", colour: palette.average, width: 2.5 },
    ];
  }

  build(palette) {
    super.build(palette);
    this.thresholds = new ThresholdLines(this, "width", palette, this.draft.thresholds(), this.draft.drag);
  }

  is_outdated() {
    return !this.thresholds.knows(this.draft.thresholds());
  }

  draw() {
    super.draw();
    this.thresholds.show(this.draft.thresholds());
  }

  fit(needed) {
    // The axis stands still under a line that is being dragged.
    if (!(this.thresholds?.is_dragged ?? false)) {
      const settings = this.draft.thresholds().filter(({ editable }) => editable);
      super.fit(Math.max(needed, ...settings.map(({ pkts }) => pkts * 1.1)));
    }
  }
}
