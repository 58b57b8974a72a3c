// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A queue: its depth, its curve and its settings, what its port does to packets, and its downloads.

import { Comparison } from "./compare.js";
import { save_csv, save_png } from "./download.js";
import { CurveChart, DepthChart, SignalsChart, UtilisationChart, concerns } from "./queue_charts.js";
import { SettingsForm } from "./settings_form.js";
import { delay_ms, figure, rate_text, reason } from "./units.js";

export class QueuePanel {
  /** `place` is `{switch, port, queue}`; `closed()` is called when somebody closes the panel. */
  constructor(context, place, closed) {
    const template = document.getElementById("queue-template").content.cloneNode(true);
    this.element = template.querySelector(".queue");
    this.place = place;
    this.context = context;
    const part = (selector) => this.element.querySelector(selector);
    this.figures = part(".figures");
    this.counters = part(".counters");
    const form = part("form.settings");
    this.form = new SettingsForm(form, place, context.forms, () => this.refresh());
    const chart = (name) => part(`[data-chart=${name}]`);
    this.time_charts = [
      new DepthChart(chart("depth"), context, place, this.form),
      new SignalsChart(chart("signals"), context, place),
      new UtilisationChart(chart("utilisation"), context, place),
    ];
    this.curve = new CurveChart(chart("curve"), context, place, this.form);
    this.comparison = new Comparison(part(".compare"), context, place);
    const name = `${place.switch} port ${place.port} queue ${place.queue}`;
    form.setAttribute("aria-label", `Settings of ${name}`);
    this.element.setAttribute("aria-label", name);
    for (const [selector, act] of [
      ["[data-download=csv]", () => this.#save_csv()], ["[data-download=png]", () => this.#save_png()], [".close", closed],
    ]) {
      const button = part(selector);
      button.ariaLabel = `${button.textContent} of ${name}`;
      button.addEventListener("click", act);
    }
  }

  /** What holds now. */
  show({ queue_layout, port_layout, switch_layout, layout }) {
    const { profile, program, buffer } = queue_layout;
    const { rate_bps } = port_layout;
    const { isq_mode, connected } = switch_layout;
    const { can_change, changes_isq } = layout;
    const parts = [this.place.switch, `port ${this.place.port}`, `queue ${this.place.queue}`];
    if (rate_bps !== null) {
      parts.push(rate_text(rate_bps));
    }
    if (!connected) {
      parts.push("not connected");
    }
    this.element.querySelector("h2").textContent = parts.join(" · ");
    this.element.classList.toggle("gone", !connected);
    const said = this.element.querySelector(".reason");
    said.textContent = reason(queue_layout);
    said.hidden = said.textContent === "";
    this.profile = profile;
    this.program = program;
    this.rate_bps = rate_bps;
    this.scheme = profile === null ? (program?.title ?? "no profile") : (profile.settings.scheme ?? "scheme not known");
    this.comparison.show(profile, rate_bps);
    this.form.show({ profile, buffer, rate_bps, isq_mode, can_change, changes_isq });
  }

  /** Draw what is new in the time that is shown. */
  follow() {
    for (const chart of this.time_charts) {
      chart.follow();
    }
  }

  /** Draw all. */
  refresh() {
    for (const chart of [...(this.time_charts ?? []), this.curve]) {
      chart?.refresh();
    }
  }

  refresh_figures() {
    const { history } = this.context;
    const series = history.queue(this.place);
    const [depth, average] = [series.last("depth_pkts"), series.last("average_pkts")];
    const delay = delay_ms(average, this.profile, this.rate_bps);
    this.figures.textContent = average === null
      ? `${this.scheme}, ${this.program === undefined || depth === null ? "idle" : this.#waiting(depth)}`
      : `${this.scheme}, depth ${figure(depth)} pkts, average ${figure(average)} pkts${delay === null ? "" : `, ${figure(delay)} ms`}`;
    const own = Object.entries(history.counters.get(`${this.place.switch} ${this.place.port}`) ?? {});
    this.counters.hidden = own.length === 0;
    this.counters.textContent = own.map(([name, rate_pps]) => `${name} ${figure(rate_pps)} packets/s`).join(" · ");
    this.comparison.refresh();
    this.curve.refresh();
  }

  /** The packets of a program's queue, and how long the last of them waits. */
  #waiting(depth) {
    const delay = delay_ms(depth, this.program, this.rate_bps);
    return `depth ${figure(depth)} pkts${delay === null ? "" : `, ${figure(delay)} ms`}`;
  }

  remove() {
    for (const chart of [...this.time_charts, this.curve]) {
      chart.remove();
    }
    this.element.remove();
  }

  get #file_name() {
    return `quench-${this.place.switch}-port-${this.place.port}-queue-${this.place.queue}`;
  }

  #save_csv() {
    const { history } = this.context;
    const [port, queue] = [history.port(this.place), history.queue(this.place)];
    const thresholds = history.thresholds(this.place);
    const names = [...new Set(thresholds.flatMap((each) => each.map(({ name }) => name)))].filter((name) => name !== "");
    const events = history.events.filter((event) => event.number !== null && concerns(event, this.place));
    const rows = new Map(port.times.map((time_s, row) => [time_s, row]));
    save_csv(this.#file_name, [
      ["time_s", queue.times],
      ["change", queue.times.map((time_s) => events.findLast((event) => event.time_s <= time_s)?.number ?? null)],
      ...queue.columns,
      ...[...port.columns].map(([name, column]) => [name, queue.times.map((time_s) => column[rows.get(time_s)])]),
      ...names.map((name) => [`${name}_pkts`, thresholds.map((each) => each.find((one) => one.name === name)?.pkts)]),
    ]);
  }

  #save_png() {
    const [depth, ...others] = this.time_charts;
    save_png(this.#file_name, this.element.querySelector("h2").textContent, [depth, this.curve, ...others]);
  }
}
