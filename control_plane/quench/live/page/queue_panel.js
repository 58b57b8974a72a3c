// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A queue: its depth, its curve and its settings.

import { CurveChart } from "./curve_chart.js";
import { DepthChart } from "./depth_chart.js";
import { SettingsForm } from "./settings_form.js";
import { figure } from "./units.js";

export class QueuePanel {
  /** `place` is `{switch, port, queue}`. */
  constructor(context, place) {
    const template = document.getElementById("queue-template").content.cloneNode(true);
    this.element = template.querySelector(".queue");
    this.place = place;
    this.history = context.history;
    this.figures = this.element.querySelector(".figures");
    this.element.querySelector(".name").textContent = `Queue ${place.queue}`;
    const holder = (name) => this.element.querySelector(`[data-chart=${name}]`);
    const form = this.element.querySelector("form");
    this.form = new SettingsForm(form, place, context.forms, () => this.refresh_charts());
    this.charts = [
      new DepthChart(holder("depth"), context, place, this.form),
      new CurveChart(holder("curve"), context, place, this.form),
    ];
    form.setAttribute("aria-label", `Settings of ${place.switch} port ${place.port} queue ${place.queue}`);
  }

  get series() {
    return this.history.queue(this.place.switch, this.place.port, this.place.queue);
  }

  /** What holds now. */
  show({ profile, buffer }, port, switch_layout, { can_change, changes_isq }) {
    this.scheme = scheme_name(profile);
    const { isq_mode } = switch_layout;
    this.form.show({ profile, buffer, rate_bps: port.rate_bps, isq_mode, can_change, changes_isq });
  }

  refresh_charts() {
    for (const chart of this.charts ?? []) {
      chart.refresh();
    }
  }

  refresh_figures() {
    const { series } = this;
    const [depth, average] = [series.last("depth_pkts"), series.last("average_pkts")];
    this.figures.textContent = Number.isNaN(average)
      ? `${this.scheme}, idle`
      : `${this.scheme}, depth ${figure(depth)} pkts, average ${figure(average)} pkts`;
  }

  remove() {
    for (const chart of this.charts) {
      chart.remove();
    }
    this.element.remove();
  }
}

/** A source that can read only the curve does not know the scheme. */
function scheme_name(profile) {
  return profile === null ? "no profile" : (profile.settings.scheme ?? "scheme not known");
}
