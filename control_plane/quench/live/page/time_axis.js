// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The time axis of all charts: it follows the newest sample, or stands still.

/* global Bokeh */
const SHORTEST_S = 2;
const LONGEST_S = 300;
const MS = 1000;

export class TimeAxis {
  start = 0;
  end = 1;
  clock = "unix";
  paused = false;
  window_s = 60;
  #latest_s = null;
  #ranges = new Set();
  #own_change = false;
  #listeners = [];

  /** The range of one chart; each chart is a Bokeh document, and documents share no models. */
  range() {
    const range = new Bokeh.Range1d({ start: this.start, end: this.end });
    const moved = () => {
      if (!this.#own_change) {
        // A drag over a chart chose a part of the time.
        this.#show(range.start, range.end);
        this.set_paused(true);
      }
    };
    range.properties.start.change.connect(moved);
    range.properties.end.change.connect(moved);
    this.#ranges.add(range);
    return range;
  }

  forget(range) {
    this.#ranges.delete(range);
  }

  /** Call when the axis was paused or zoomed by hand. */
  on_change(listener) {
    this.#listeners.push(listener);
  }

  /** Place of a time on the axis. Charts show times without a zone, so it is moved to that of the browser. */
  to_x = (time_s) =>
    this.clock === "unix" ? time_s * MS - new Date(time_s * MS).getTimezoneOffset() * 60 * MS : time_s;

  #per_second() {
    return this.clock === "unix" ? MS : 1;
  }

  /** What the charts show, in the feed's seconds. */
  shown_s() {
    const scale = this.#per_second();
    const offset = this.to_x(this.#latest_s ?? 0) - (this.#latest_s ?? 0) * scale;
    return [(this.start - offset) / scale, (this.end - offset) / scale];
  }

  /** The newest sample's time. */
  follow(latest_s) {
    this.#latest_s = latest_s;
    if (!this.paused && latest_s !== null) {
      this.#show(this.to_x(latest_s) - this.window_s * this.#per_second(), this.to_x(latest_s));
    }
  }

  set_paused(paused) {
    this.paused = paused;
    this.follow(this.#latest_s);
    this.#tell();
  }

  set_window(window_s) {
    this.zoom(window_s / this.window_s, window_s);
  }

  /** Show so many times as long a time, about its middle where the axis stands still. */
  zoom(factor, window_s = this.window_s * factor) {
    this.window_s = Math.min(LONGEST_S, Math.max(SHORTEST_S, window_s));
    if (this.paused) {
      const scale = this.#per_second();
      const middle = (this.start + this.end) / 2;
      const half = Math.min(LONGEST_S, Math.max(SHORTEST_S, ((this.end - this.start) / scale) * factor)) / 2;
      this.#show(middle - half * scale, middle + half * scale);
    }
    this.follow(this.#latest_s);
    this.#tell();
  }

  #show(start, end) {
    this.start = start;
    this.end = end;
    this.#own_change = true;
    for (const range of this.#ranges) {
      range.setv({ start, end });
    }
    this.#own_change = false;
  }

  #tell() {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
