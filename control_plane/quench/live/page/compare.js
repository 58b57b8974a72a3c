// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// What a change did to a queue: figures of two spans of time between changes, side by side.

import { concerns } from "./queue_charts.js";
import { GAP_S } from "./series.js";
import { delay_ms, figure } from "./units.js";

const P95 = 0.95;
const ROWS = [
  ["mean delay, ms", "mean_ms"], ["p95 delay, ms", "p95_ms"], ["utilisation, %", "utilisation"], ["loss, %", "loss"],
  ["goodput of all flows, Mb/s", "goodput"], ["marks/s", "marks"],
];
const SPANS = [["before", "Before"], ["after", "After"]];

export class Comparison {
  #ends = new Map();
  #profile = null;
  #rate_bps = null;
  #offered = null;

  /** `element` is a `details`; nothing is computed while it is closed. */
  constructor(element, context, place) {
    this.element = element;
    this.history = context.history;
    this.place = place;
    this.form = element.querySelector(".spans");
    this.rows = element.querySelector("tbody");
    for (const [span, title] of SPANS) {
      const label = document.createElement("label");
      const [from, to] = [document.createElement("select"), document.createElement("select")];
      from.ariaLabel = `${title}, from`;
      to.ariaLabel = `${title}, to`;
      this.#ends.set(span, [from, to]);
      label.append(`${title} `, from, " to ", to);
      this.form.append(label);
    }
    for (const [title] of ROWS) {
      const row = this.rows.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = title;
      row.append(head);
      row.insertCell();
      row.insertCell();
      row.insertCell();
    }
    element.addEventListener("toggle", () => this.refresh());
    this.form.addEventListener("change", () => this.refresh());
  }

  /** What holds now: delays are of this link. */
  show(profile, rate_bps) {
    this.#profile = profile;
    this.#rate_bps = rate_bps;
  }

  refresh() {
    const { events, latest_s } = this.history;
    const own = events.filter((event) => event.number !== null && concerns(event, this.place));
    this.element.hidden = own.length === 0;
    if (!this.element.open || this.element.hidden || document.hidden) {
      return;
    }
    this.#offer(own.map(({ number }) => number));
    const times = new Map([["start", -Infinity], ["now", latest_s], ...own.map(({ number, time_s }) => [String(number), time_s])]);
    const found = SPANS.map(([span]) => this.#figures(...this.#ends.get(span).map(({ value }) => times.get(value))));
    ROWS.forEach(([, name], index) => {
      const [, before, after, change] = this.rows.rows[index].cells;
      const values = found.map((each) => each[name]);
      before.textContent = figure(values[0]);
      after.textContent = figure(values[1]);
      const is_known = values.every((value) => value !== null) && values[0] !== 0;
      change.textContent = is_known ? `${values[1] >= values[0] ? "+" : "−"}${figure(Math.abs((values[1] / values[0] - 1) * 100))} %` : "–";
    });
  }

  /** The newest change is between before and after, until somebody chooses. */
  #offer(numbers) {
    const names = ["start", ...numbers.map(String), "now"];
    if (names.join() === this.#offered) {
      return;
    }
    const is_first = this.#offered === null;
    const was_newest = this.#ends.get("after")[1].value === "now"
      && this.#ends.get("after")[0].value === this.#offered?.split(",").at(-2);
    this.#offered = names.join();
    const newest = { before: names.slice(-3, -1), after: names.slice(-2) };
    for (const [span, ends] of this.#ends) {
      ends.forEach((select, index) => {
        const { value } = select;
        select.replaceChildren(...names.map((name) => new Option(/^\d/.test(name) ? `change ${name}` : name, name)));
        select.value = is_first || was_newest || !names.includes(value) ? newest[span][index] : value;
      });
    }
  }

  #figures(from_s, until_s) {
    const queue = this.history.queue(this.place);
    const port = this.history.port(this.place);
    const depths = [...queue.weighted("depth_pkts", from_s, until_s)];
    const mean = (name) => mean_of([...port.weighted(name, from_s, until_s)]);
    const [seen, early, forced, share] = ["seen_pps", "dropped_early_pps", "dropped_forced_pps", "utilisation"].map(mean);
    const ms = (pkts) => delay_ms(pkts, this.#profile, this.#rate_bps);
    return {
      mean_ms: ms(mean_of(depths)),
      p95_ms: ms(weighted_quantile(depths, P95)),
      utilisation: share === null ? null : share * 100,
      loss: seen === null || seen === 0 || early === null ? null : ((early + (forced ?? 0)) / seen) * 100,
      goodput: this.#goodput(from_s, until_s),
      marks: mean("marked_pps"),
    };
  }

  /** What all flows have had acknowledged in the span; null: the source does not say. */
  #goodput(from_s, until_s) {
    let [bytes, first_s, last_s] = [null, Infinity, -Infinity];
    for (const { series } of this.history.flows.values()) {
      const [from, until] = series.rows(from_s, until_s);
      const column = series.columns.get("acked_bytes") ?? [];
      for (let row = Math.max(1, from + 1); row < until; row += 1) {
        const [before, now] = [column[row - 1] ?? null, column[row] ?? null];
        if (before !== null && now !== null && now >= before && series.times[row] - series.times[row - 1] <= GAP_S) {
          bytes = (bytes ?? 0) + now - before;
          first_s = Math.min(first_s, series.times[row - 1]);
          last_s = Math.max(last_s, series.times[row]);
        }
      }
    }
    return bytes === null ? null : (bytes * 8) / (last_s - first_s) / 1e6;
  }
}

function mean_of(weighted) {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  return total === 0 ? null : weighted.reduce((sum, [value, weight]) => sum + value * weight, 0) / total;
}

function weighted_quantile(weighted, share) {
  const sorted = [...weighted].sort(([a], [b]) => a - b);
  let rest = share * sorted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of sorted) {
    rest -= weight;
    if (rest <= 0) {
      return value;
    }
  }
  return null;
}
