// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// What a port does to its packets, and how busy it is.

import { TimeChart } from "./time_chart.js";

const SIGNALS = ["marked_pps", "dropped_early_pps", "dropped_forced_pps", "isqs_pps"];

class PortChart extends TimeChart {
  columns = [];

  constructor(holder, title, context, name, port) {
    super(holder, title, { ...context, concerns: (event) => concerns_port(event, name, port) });
    this.name = name;
    this.port = port;
  }

  data() {
    const [start_s, end_s] = this.time_axis.shown_s();
    return this.history.port(this.name, this.port).between(start_s, end_s, this.columns, this.time_axis.to_x);
  }
}

/** Whether a change concerns a port. */
export function concerns_port(event, name, port) {
  return event.switch === name && (event.port === null || event.port === port);
}

export class SignalsChart extends PortChart {
  columns = SIGNALS;

  constructor(holder, context, name, port) {
    super(holder, "Signals, packets/s", context, name, port);
  }

  lines(palette) {
    return [
      { name: "marked_pps", label: "marked", colour: palette.marked, width: 2 },
      { name: "dropped_early_pps", label: "dropped early", colour: palette.early, dash: "dashed", width: 2 },
      { name: "dropped_forced_pps", label: "dropped forced", colour: palette.forced, dash: "dotted", width: 2 },
      { name: "isqs_pps", label: "source quenches", colour: palette.isq, dash: "dotdash", width: 2 },
    ];
  }
}

export class UtilisationChart extends PortChart {
  columns = ["utilisation"];

  constructor(holder, context, name, port) {
    super(holder, "Utilisation, %", context, name, port);
    this.y_end = 105;
  }

  data() {
    const data = super.data();
    return { ...data, utilisation: data.utilisation.map((share) => share * 100) };
  }

  lines(palette) {
    return [{ name: "utilisation", label: "of the port's rate", colour: palette.average, width: 2 }];
  }

  fit() {}
}
