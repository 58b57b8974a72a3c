// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The senders: the congestion window of each connection, or a band of many, and the hosts' own counters.

import { save_csv, save_png } from "./download.js";
import { FLOW_COLUMNS } from "./series.js";
import { colour } from "./theme.js";
import { TimeChart } from "./time_chart.js";
import { figure } from "./units.js";

/** From so many flows on their windows are a band, and single ones are lines on demand; reports do the same. */
const MANY_FLOWS = 12;
/** A connection without a sample for so long has ended. */
const ENDED_S = 3;
const LINES = 6;
const COLUMNS = FLOW_COLUMNS.filter((name) => name !== "acked_bytes");

class WindowsChart extends TimeChart {
  least_y = 10;
  chosen = new Set();
  #shown = "";

  constructor(holder, context) {
    super(holder, "Congestion windows, packets", { ...context, concerns: () => true });
  }

  get #is_band() {
    return this.history.flows.size >= MANY_FLOWS;
  }

  get #singles() {
    const names = [...this.history.flows.keys()];
    return this.#is_band ? names.filter((name) => this.chosen.has(name)) : names;
  }

  /** Other flows are other lines. */
  refresh() {
    const shown = JSON.stringify([this.#is_band, this.#singles]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.plot?.destroy();
      this.plot = null;
    }
    super.refresh();
  }

  lines() {
    const band = this.#is_band
      ? [
        { label: `10 to 90 % of ${this.history.flows.size} flows`, colour: colour("window-band"), width: 1 },
        { colour: colour("window-band"), width: 1 },
        { label: "median", colour: colour("window"), width: 2 },
      ]
      : [];
    return [...band, ...this.#singles.map((name, index) => ({
      label: this.#is_band || this.#singles.length <= 4 ? name.split(" ").slice(0, 2).join(" ") : undefined,
      colour: this.#is_band ? colour(`line-${index % LINES}`) : colour("window"), width: this.chosen.has(name) ? 2.5 : 1.2,
    }))];
  }

  bands() {
    return this.#is_band ? [{ series: [1, 2], fill: colour("window-band") }] : [];
  }

  part(start_s, end_s) {
    const names = ["high", "low", "median"];
    const windows = this.history.windows.between(start_s, end_s, names);
    const columns = this.#is_band ? windows : [windows[0]];
    return [...columns, ...this.#singles.map((name) => beside(windows[0], this.history.flows.get(name).series, "cwnd_pkts"))];
  }
}

/** A column of a series at other times; null before its first time and after its last, undefined between two. */
function beside(times, series, name) {
  const column = series.columns.get(name);
  let row = series.rows(times[0] ?? 0, times.at(-1) ?? 0)[0];
  return times.map((time_s) => {
    while (row < series.times.length && series.times[row] < time_s) {
      row += 1;
    }
    if (series.times[row] === time_s) {
      return column[row];
    }
    return row === 0 || row === series.times.length ? null : undefined;
  });
}

export class FlowsPanel {
  constructor(element, context) {
    this.element = element;
    this.history = context.history;
    this.chart = new WindowsChart(element.querySelector("[data-chart=windows]"), context);
    this.rows = element.querySelector(".flow-table tbody");
    this.hosts = element.querySelector(".hosts");
    element.querySelector("[data-download=csv]").addEventListener("click", () => this.#save_csv());
    element.querySelector("[data-download=png]").addEventListener("click", () => {
      save_png("quench-flows", "Flows", [this.chart]);
    });
    this.rows.addEventListener("click", ({ target }) => this.#choose(target.closest("tr")));
    this.rows.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.#choose(event.target.closest("tr"));
      }
    });
  }

  follow() {
    this.chart.follow();
  }

  refresh() {
    this.chart.refresh();
  }

  refresh_figures() {
    const { flows, hosts, latest_s } = this.history;
    this.element.hidden = flows.size === 0 && hosts.size === 0;
    const current = [...flows.values()].filter(({ series }) => series.times.at(-1) > latest_s - ENDED_S);
    current.forEach(({ last }, index) => this.#show_row(this.rows.rows[index] ?? new_row(this.rows), last));
    while (this.rows.rows.length > current.length) {
      this.rows.deleteRow(-1);
    }
    this.#show_hosts([...hosts.values()]);
  }

  #choose(row) {
    const { chosen } = this.chart;
    if (row !== null && !chosen.delete(row.dataset.flow)) {
      chosen.add(row.dataset.flow);
    }
    this.refresh_figures();
    this.chart.rebuild();
  }

  #show_row(row, flow) {
    row.dataset.flow = flow.flow;
    row.ariaSelected = String(this.chart.chosen.has(flow.flow));
    const counts = new Set(["retransmitted_pkts", "reductions"]);
    const values = COLUMNS.map((name) => (counts.has(name) ? (flow[name] ?? "–") : figure(flow[name])));
    show_cells(row, [flow.flow, ...values]);
  }

  /** A column for each counter that any host has counted. */
  #show_hosts(hosts) {
    const table = this.hosts;
    table.hidden = hosts.length === 0;
    const names = [...new Set(hosts.flatMap(({ counters }) => Object.keys(counters).filter((name) => counters[name] !== 0)))];
    const titles = ["host", "reacts by", ...names.map((name) => name.replaceAll("_", " "))];
    const head = table.tHead.rows[0];
    if (head.cells.length !== titles.length) {
      head.replaceChildren(...titles.map(() => Object.assign(document.createElement("th"), { scope: "col" })));
      table.tBodies[0].replaceChildren();
    }
    show_cells(head, titles);
    hosts.forEach(({ host, algorithm, counters }, index) => {
      const row = table.tBodies[0].rows[index] ?? table.tBodies[0].insertRow();
      while (row.cells.length < titles.length) {
        row.insertCell();
      }
      show_cells(row, [host, algorithm, ...names.map((name) => counters[name] ?? 0)]);
    });
    while (table.tBodies[0].rows.length > hosts.length) {
      table.tBodies[0].deleteRow(-1);
    }
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
  for (let cell = 0; cell < COLUMNS.length; cell += 1) {
    row.insertCell();
  }
  row.tabIndex = 0;
  return row;
}

function show_cells(row, values) {
  values.forEach((value, index) => {
    const text = String(value);
    if (row.cells[index].textContent !== text) {
      row.cells[index].textContent = text;
    }
  });
}
