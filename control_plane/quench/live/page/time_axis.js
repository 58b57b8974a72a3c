// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The time axis of all charts: it follows the newest sample, or stands still.

const SHORTEST_S = 2;
export const LONGEST_S = 900;

export class TimeAxis {
  start_s = 0;
  end_s = 60;
  clock = "unix";
  paused = false;
  window_s = 60;
  #latest_s = null;
  #listeners = [];

  /** Call when the axis was paused or zoomed by hand. */
  on_change(listener) {
    this.#listeners.push(listener);
  }

  /** The newest sample's time. */
  follow(latest_s) {
    this.#latest_s = latest_s;
    if (!this.paused && latest_s !== null) {
      [this.start_s, this.end_s] = [latest_s - this.window_s, latest_s];
    }
  }

  set_paused(paused) {
    this.paused = paused;
    this.#tell();
  }

  set_window(window_s) {
    this.zoom(window_s / this.window_s, window_s);
  }

  /** Stand still and show a part of the time, which a drag over a chart chose. */
  show(start_s, end_s) {
    [this.start_s, this.end_s] = [start_s, Math.max(end_s, start_s + SHORTEST_S)];
    this.set_paused(true);
  }

  /** Show so many times as long a time, about its middle where the axis stands still. */
  zoom(factor, window_s = this.window_s * factor) {
    this.window_s = within(window_s);
    if (this.paused) {
      const middle_s = (this.start_s + this.end_s) / 2;
      const half_s = within((this.end_s - this.start_s) * factor) / 2;
      [this.start_s, this.end_s] = [middle_s - half_s, middle_s + half_s];
    }
    this.#tell();
  }

  #tell() {
    this.follow(this.#latest_s);
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function within(span_s) {
  return Math.min(LONGEST_S, Math.max(SHORTEST_S, span_s));
}
