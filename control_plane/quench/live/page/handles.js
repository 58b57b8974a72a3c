// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Thresholds in a chart: their lines, and handles with which a pointer or the keyboard moves those that are settings.

import { colour } from "./theme.js";

/** Steps of a packet or a kilobyte. */
const STEPS = {
  ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10,
};
/** Moved by keys, a threshold is applied so long after the last of them. */
const KEYS_MS = 1000;

export class Handles {
  #handles = new Map();
  /** The element that has the pointer: without it the drag would be lost. */
  #held = null;

  /** `is_level`: the lines are over a scale from below to above, else from the left to the right. */
  constructor(chart, is_level, draft) {
    this.chart = chart;
    this.is_level = is_level;
    this.draft = draft;
  }

  /** Draw the lines. `axis` is the scale's name. */
  paint(plot, labels, unit) {
    const { ctx, bbox } = plot;
    const { x: across, y: down, right, bottom } = {
      x: bbox.left, y: bbox.top, right: bbox.left + bbox.width, bottom: bbox.top + bbox.height,
    };
    const shown = this.draft.thresholds().filter(({ name, pkts }) => name !== "" && pkts <= plot.scales[this.#axis].max);
    for (const { pkts, draggable } of shown) {
      const at = plot.valToPos(pkts, this.#axis, true);
      ctx.strokeStyle = colour("threshold");
      ctx.lineWidth = (draggable ? 2 : 1) * unit;
      ctx.setLineDash([7 * unit, 4 * unit]);
      ctx.beginPath();
      ctx.moveTo(...(this.is_level ? [across, at] : [at, down]));
      ctx.lineTo(...(this.is_level ? [right, at] : [at, bottom]));
      ctx.stroke();
    }
    for (const { name, text, pkts } of [...shown].sort((a, b) => a.pkts - b.pkts)) {
      const at = plot.valToPos(pkts, this.#axis, true);
      if (this.is_level) {
        const above = at - 16 * unit > down;
        labels.add(`${name} ${text}`, across, at, colour("threshold"), { above, step: [1, 0] });
      } else {
        const align = at > right - 90 * unit ? "right" : "left";
        labels.add(`${name} ${text}`, at, down, colour("threshold"), { align });
      }
    }
    if (plot === this.chart.plot) {
      this.#place(plot);
    }
  }

  get #axis() {
    return this.is_level ? "y" : "x";
  }

  /** The handles are elements over the plot. */
  #place(plot) {
    const wanted = this.draft.thresholds().filter(
      ({ name, draggable, pkts }) => draggable && pkts <= plot.scales[this.#axis].max,
    );
    for (const [name, handle] of this.#handles) {
      const is_shown = handle === this.#held || wanted.some((each) => each.name === name);
      if (handle.parentNode !== plot.over || !is_shown) {
        handle.remove();
        this.#handles.delete(name);
      }
    }
    for (const { name, text, pkts } of wanted) {
      const handle = this.#handles.get(name) ?? this.#made(plot, name);
      const at = Math.round(plot.valToPos(pkts, this.#axis));
      handle.style.transform = this.is_level ? `translateY(${at}px)` : `translateX(${at}px)`;
      handle.ariaValueNow = String(pkts);
      handle.ariaValueText = text;
      handle.ariaValueMax = String(plot.scales[this.#axis].max);
    }
  }

  #made(plot, name) {
    const handle = document.createElement("div");
    handle.className = this.is_level ? "handle level" : "handle upright";
    handle.tabIndex = 0;
    handle.setAttribute("role", "slider");
    handle.ariaLabel = `threshold ${name}`;
    handle.ariaOrientation = this.is_level ? "vertical" : "horizontal";
    handle.ariaValueMin = "0";
    handle.dataset.name = name;
    this.#drag(handle);
    this.#listen_to_keys(handle, name);
    // A press on a handle does not begin to choose a part of the time.
    handle.addEventListener("mousedown", (event) => event.stopPropagation());
    plot.over.append(handle);
    this.#handles.set(name, handle);
    return handle;
  }

  #drag(handle) {
    let name = null;
    let offset = null;
    const place = (event) => (this.is_level ? event.clientY : event.clientX);
    handle.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && event.isPrimary) {
        handle.setPointerCapture(event.pointerId);
        this.#held = handle;
        name = this.#nearest(event);
        offset = place(event) - this.chart.plot.valToPos(this.#pkts(name), this.#axis);
        this.draft.hold(true);
      }
    });
    handle.addEventListener("pointermove", (event) => {
      if (offset !== null) {
        const { plot } = this.chart;
        const pkts = plot.posToVal(place(event) - offset, this.#axis);
        this.draft.move(name, Math.min(Math.max(0, pkts), plot.scales[this.#axis].max));
      }
    });
    const end = () => {
      offset = null;
      this.#held = null;
      this.draft.hold(false);
    };
    handle.addEventListener("pointerup", () => {
      if (offset !== null) {
        end();
        this.draft.let_go();
      }
    });
    handle.addEventListener("pointercancel", end);
  }

  #listen_to_keys(handle, name) {
    let timer = null;
    const apply = () => {
      if (timer !== null) {
        clearTimeout(timer);
        timer = null;
        this.draft.let_go();
      }
    };
    handle.addEventListener("keydown", (event) => {
      if (event.key in STEPS) {
        event.preventDefault();
        this.draft.step(name, STEPS[event.key]);
        clearTimeout(timer);
        timer = setTimeout(apply, KEYS_MS);
      } else if (event.key === "Enter") {
        apply();
      } else if (event.key === "Escape") {
        clearTimeout(timer);
        timer = null;
        this.draft.undo();
      }
    });
    handle.addEventListener("blur", apply);
  }

  /** The threshold whose line is nearest to a pointer: handles of lines that are near each other overlap. */
  #nearest({ clientX, clientY }) {
    const { plot } = this.chart;
    const { left, top } = plot.over.getBoundingClientRect();
    const at = this.is_level ? clientY - top : clientX - left;
    const distance = (name) => Math.abs(plot.valToPos(this.#pkts(name), this.#axis) - at);
    return [...this.#handles.keys()].reduce((best, name) => (distance(name) < distance(best) ? name : best));
  }

  #pkts(name) {
    return this.draft.thresholds().find((each) => each.name === name).pkts;
  }
}
