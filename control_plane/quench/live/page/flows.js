// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The senders: the congestion window of each connection, and the hosts' own counters.

/* global Bokeh */
import { greatest } from "./chart.js";
import { save_csv, save_png } from "./download.js";
import { FLOW_COLUMNS } from "./series.js";
import { TimeChart } from "./time_chart.js";
import { figure } from "./units.js";

const MOST_POINTS = 150;
/** A connection without a sample for so long has ended. */
const ENDED_S = 3;

class WindowsChart extends TimeChart {
  least_y = 10;
  chosen = null;

  constructor(holder, context) {
    super(holder, "Congestion windows, packets", { ...context, concerns: () => true });
  }

  build(palette) {
    this.palette = palette;
    this.source = new Bokeh.ColumnDataSource({ data: { xs: [], ys: [], colour: [], width: [] } });
    this.figure.multi_line({ field: "xs" }, { field: "ys" }, {
      source: this.source, line_color: { field: "colour" }, line_width: { field: "width" },
    });
    this.build_marks(palette);
  }

  draw() {
    const [start_s, end_s] = this.time_axis.shown_s();
    const data = { xs: [], ys: [], colour: [], width: [] };
    const hosts = [...new Set([...this.history.flows.values()].map(({ last }) => last.host))].sort();
    const colours = this.palette.flows;
    for (const [name, { series, last }] of this.history.flows) {
      const part = series.between(start_s, end_s, ["cwnd_pkts"], this.time_axis.to_x, MOST_POINTS);
      data.xs.push(part.time);
      data.ys.push(part.cwnd_pkts);
      data.colour.push(colours[hosts.indexOf(last.host) % colours.length]);
      data.width.push(name === this.chosen ? 4 : 1);
    }
    this.source.data = data;
    this.fit(greatest(...data.ys));
    this.draw_marks();
    const legend = hosts.map((host, index) => [host, colours[index % colours.length], "solid"]);
    if (JSON.stringify(legend) !== JSON.stringify(this.entries)) {
      this.legend(legend);
    }
  }
}

export class FlowsPanel {
  constructor(element, context) {
    this.element = element;
    this.history = context.history;
    this.chart = new WindowsChart(element.querySelector("[data-chart=windows]"), context);
    this.rows = element.querySelector("tbody");
    this.hosts = element.querySelector(".hosts");
    element.querySelector("[data-download=csv]").addEventListener("click", () => this.#save_csv());
    element.querySelector("[data-download=png]").addEventListener("click", () => {
      save_png("quench-flows", "Flows", [this.chart]);
    });
    for (const kind of ["pointerover", "focusin"]) {
      this.rows.addEventListener(kind, ({ target }) => this.#choose(target.closest("tr")?.dataset.flow ?? null));
    }
    this.rows.addEventListener("pointerleave", () => this.#choose(null));
  }

  refresh_charts() {
    this.chart.refresh();
  }

  refresh_figures() {
    const { flows, hosts, latest_s } = this.history;
    this.element.hidden = flows.size === 0 && hosts.size === 0;
    const current = [...flows.values()].filter(({ series }) => series.times.at(-1) > latest_s - ENDED_S);
    current.forEach(({ last }, index) => show_row(this.rows.rows[index] ?? new_row(this.rows), last));
    while (this.rows.rows.length > current.length) {
      this.rows.deleteRow(-1);
    }
    this.hosts.replaceChildren(...[...hosts.values()].map(host_row));
  }

  #choose(flow) {
    this.chart.chosen = flow;
    this.chart.refresh();
  }

  #save_csv() {
    const columns = [["time_s", []], ["flow", []], ...FLOW_COLUMNS.map((name) => [name, []])];
    for (const [flow, { series }] of this.history.flows) {
      series.times.forEach((time_s, row) => {
        columns[0][1].push(time_s);
        columns[1][1].push(flow);
        FLOW_COLUMNS.forEach((name, index) => columns[index + 2][1].push(series.columns.get(name)[row]));
      });
    }
    save_csv("quench-flows", columns);
  }
}

function new_row(rows) {
  const row = rows.insertRow();
  const name = document.createElement("th");
  name.scope = "row";
  row.append(name);
  for (let cell = 0; cell < FLOW_COLUMNS.length; cell += 1) {
    row.insertCell();
  }
  row.tabIndex = 0;
  return row;
}

function show_row(row, flow) {
  row.dataset.flow = flow.flow;
  const counts = new Set(["retransmitted_pkts", "reductions"]);
  const values = FLOW_COLUMNS.map((name) => (counts.has(name) ? (flow[name] ?? "–") : figure(flow[name])));
  [flow.flow, ...values].forEach((text, index) => {
    if (row.cells[index].textContent !== String(text)) {
      row.cells[index].textContent = text;
    }
  });
}

function host_row({ host, algorithm, counters }) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = `${host} (${algorithm})`;
  description.textContent = Object.entries(counters)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ") || "no reaction yet";
  row.append(term, description);
  return row;
}
