// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The list of changes; their numbers are those of the marks in the charts.

import { moment } from "./units.js";

const MOST_SHOWN = 50;

export class ChangesPanel {
  #shown;

  constructor(element, history) {
    this.element = element;
    this.history = history;
    this.list = element.querySelector("ol");
  }

  refresh(clock) {
    const { events } = this.history;
    const newest = events.at(-1) ?? null;
    if (newest === this.#shown) {
      return;
    }
    this.#shown = newest;
    this.element.hidden = events.length === 0;
    const items = events.slice(-MOST_SHOWN).reverse().map(({ number, time_s, text }) => {
      const item = document.createElement("li");
      const time = document.createElement("time");
      if (number === null) {
        item.className = "unnumbered";
      } else {
        item.value = number;
      }
      time.textContent = moment(time_s, clock);
      item.append(time, ` ${text}`);
      return item;
    });
    this.list.replaceChildren(...items);
  }
}
