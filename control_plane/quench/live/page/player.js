// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Pause and speed of a recording or a simulation, and the moment of a recording.

import { request } from "./api.js";
import { moment } from "./units.js";

export class Player {
  #moved = false;
  #wish = null;
  #asking = false;

  constructor(element) {
    this.element = element;
    this.error = element.querySelector(".error");
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

  /** How the source is played; null: it is live. */
  show(playing) {
    this.element.hidden = playing === null;
    if (playing !== null) {
      // A simulation has no end, and does not go back.
      const recorded = playing.duration_s !== null;
      this.time.closest("label").hidden = !recorded;
      this.shown.hidden = !recorded;
      this.time.max = playing.duration_s ?? 0;
      this.#state(playing, recorded ? "recording" : "simulation");
    }
  }

  follow(latest_s) {
    if (!this.element.hidden && !this.#moved && latest_s !== null) {
      this.time.value = latest_s;
      this.#show_time(latest_s);
    }
  }

  /** One request at a time, so that the last wish wins; the layout says what became of it. */
  async #play(wish) {
    this.#wish = { ...this.#wish, ...wish };
    if (this.#asking) {
      return;
    }
    this.#asking = true;
    while (this.#wish !== null) {
      const asked = this.#wish;
      this.#wish = null;
      const { ok, value } = await request("play", asked);
      this.error.textContent = ok ? "" : value.error;
    }
    this.#asking = false;
  }

  #state({ paused, speed }, what) {
    this.button.ariaPressed = String(paused);
    this.button.textContent = paused ? `Go on with the ${what}` : `Pause the ${what}`;
    if (![...this.speed.options].some(({ value }) => Number(value) === speed)) {
      this.speed.add(new Option(String(speed)));
    }
    this.speed.value = String(speed);
  }

  #show_time(time_s) {
    this.shown.textContent = `${moment(time_s, "run")} of ${moment(Number(this.time.max), "run")}`;
  }
}
