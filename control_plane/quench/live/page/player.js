// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Pause, speed and moment of a recording.

import { request } from "./api.js";
import { moment } from "./units.js";

export class Player {
  #moved = false;

  constructor(element, failed) {
    this.element = element;
    this.failed = failed;
    this.button = element.querySelector("#player-pause");
    this.speed = element.querySelector("#player-speed");
    this.time = element.querySelector("#player-time");
    this.shown = element.querySelector("#player-shown");
    element.addEventListener("submit", (event) => event.preventDefault());
    this.button.addEventListener("click", () => this.#play({ paused: this.button.ariaPressed !== "true" }));
    this.speed.addEventListener("change", () => this.#play({ speed: Number(this.speed.value) }));
    this.time.addEventListener("input", () => {
      this.#moved = true;
      this.#show_time(Number(this.time.value));
    });
    this.time.addEventListener("change", () => {
      this.#moved = false;
      this.#play({ time_s: Number(this.time.value) });
    });
  }

  /** The layout of the source; a live one has no duration. */
  async show({ duration_s }) {
    const first = this.element.hidden;
    this.element.hidden = duration_s === null;
    if (duration_s !== null && first) {
      this.time.max = duration_s;
      this.#state((await request("play")).value);
    }
  }

  follow(latest_s) {
    if (!this.element.hidden && !this.#moved && latest_s !== null) {
      this.time.value = latest_s;
      this.#show_time(latest_s);
    }
  }

  async #play(wish) {
    const { ok, value } = await request("play", wish);
    if (ok) {
      this.#state(value);
    } else {
      this.failed(value.error);
    }
  }

  #state({ paused, speed }) {
    this.button.ariaPressed = String(paused);
    this.button.textContent = paused ? "Go on with the recording" : "Pause the recording";
    if (![...this.speed.options].some(({ value }) => Number(value) === speed)) {
      this.speed.add(new Option(String(speed)));
    }
    this.speed.value = String(speed);
  }

  #show_time(time_s) {
    this.shown.textContent = `${moment(time_s, "run")} of ${moment(Number(this.time.max), "run")}`;
  }
}
