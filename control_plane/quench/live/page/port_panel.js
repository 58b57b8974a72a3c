// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A port: its queues, what happens to its packets, and its downloads.

import { save_csv, save_png } from "./download.js";
import { SignalsChart, UtilisationChart } from "./port_charts.js";
import { QueuePanel } from "./queue_panel.js";
import { figure, rate_text } from "./units.js";

export class PortPanel {
  queues = [];

  constructor(context, name, port) {
    const template = document.getElementById("port-template").content.cloneNode(true);
    this.element = template.querySelector(".port");
    this.context = context;
    this.name = name;
    this.port = port;
    this.counters = this.element.querySelector(".counters");
    this.element.dataset.place = `${name} ${port}`;
    const holder = (chart) => this.element.querySelector(`[data-chart=${chart}]`);
    this.charts = [
      new SignalsChart(holder("signals"), context, name, port),
      new UtilisationChart(holder("utilisation"), context, name, port),
    ];
    for (const [kind, save] of [["csv", () => this.#save_csv()], ["png", () => this.#save_png()]]) {
      const button = this.element.querySelector(`[data-download=${kind}]`);
      button.ariaLabel = `${button.textContent} of ${name} port ${port}`;
      button.addEventListener("click", save);
    }
  }

  /** What holds now. */
  show(port_layout, switch_layout, layout) {
    const parts = [this.name, `port ${this.port}`];
    if (port_layout.rate_bps !== null) {
      parts.push(rate_text(port_layout.rate_bps));
    }
    if (!switch_layout.connected) {
      parts.push("not connected");
    }
    this.element.querySelector("h2").textContent = parts.join(" · ");
    this.element.classList.toggle("gone", !switch_layout.connected);
    this.#show_queues(port_layout.queues.map(({ queue }) => queue));
    this.queues.forEach((panel, index) => {
      panel.show(port_layout.queues[index], port_layout, switch_layout, layout);
    });
  }

  /** Panels of the queues with these numbers; those that stay keep what somebody types in them. */
  #show_queues(numbers) {
    const before = new Map(this.queues.map((panel) => [panel.place.queue, panel]));
    const made = (queue) => new QueuePanel(this.context, { switch: this.name, port: this.port, queue });
    this.queues = numbers.map((queue) => before.get(queue) ?? made(queue));
    for (const [queue, panel] of before) {
      if (!numbers.includes(queue)) {
        panel.remove();
      }
    }
    const holder = this.element.querySelector(".queues");
    this.queues.forEach(({ element }, index) => {
      if (element.parentNode !== holder) {
        holder.insertBefore(element, holder.children[index] ?? null);
      }
    });
  }

  refresh_charts() {
    for (const queue of this.queues) {
      queue.refresh_charts();
    }
    for (const chart of this.charts) {
      chart.refresh();
    }
  }

  refresh_figures() {
    for (const queue of this.queues) {
      queue.refresh_figures();
    }
    const own = Object.entries(this.context.history.counters.get(`${this.name} ${this.port}`) ?? {});
    this.counters.hidden = own.length === 0;
    const rows = own.map(([name, rate_pps]) => {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name;
      description.textContent = `${figure(rate_pps)} packets/s`;
      row.append(term, description);
      return row;
    });
    this.counters.replaceChildren(...rows);
  }

  remove() {
    for (const part of [...this.queues, ...this.charts]) {
      part.remove();
    }
    this.element.remove();
  }

  get #file_name() {
    return `quench-${this.name}-port-${this.port}`;
  }

  #save_csv() {
    const rates = this.context.history.port(this.name, this.port);
    const columns = [["time_s", rates.times], ...rates.columns];
    for (const { place, series } of this.queues) {
      // A port's sample has a row of each of its queues, so the rows agree.
      columns.push(...[...series.columns].map(([name, column]) => [`queue_${place.queue}_${name}`, column]));
    }
    save_csv(this.#file_name, columns);
  }

  #save_png() {
    const charts = [...this.queues.flatMap((queue) => (queue.element.open ? queue.charts : [])), ...this.charts];
    save_png(this.#file_name, `${this.element.querySelector("h2").textContent}`, charts);
  }
}
