// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// What all charts have in common: title, legend, axes, colours; and they are drawn only while somebody sees them.

/* global uPlot */
import { Labels } from "./labels.js";
import { colour, on_theme } from "./theme.js";
import { figure } from "./units.js";

const HEIGHT_PX = 190;
export const KEY_PX = 22;
export const PICTURE_SCALE = 2;
const SVG = "http://www.w3.org/2000/svg";
const DASHES = { solid: [], dashed: [6, 3], dotted: [2, 3], dashdot: [7, 3, 2, 3] };
/** All charts of the page by their holders. */
export const charts = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    charts.get(target)?.set_seen(isIntersecting);
  }
});
const sized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    charts.get(target.parentNode)?.resize();
  }
});

export class Chart {
  #seen = false;
  plot = null;

  /**
   * A chart in an element. A subclass has `data()` as uPlot takes it, `lines()`, `scales()`, `axes(axis)`, and
   * `paint(plot, labels, unit)` for what is over the lines.
   */
  constructor(holder, title) {
    this.holder = holder;
    this.title = title;
    this.heading = document.createElement("h4");
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.canvas.setAttribute("role", "group");
    this.canvas.setAttribute("aria-label", title);
    holder.replaceChildren(this.heading, this.canvas);
    charts.set(holder, this);
    seen.observe(holder);
    sized.observe(this.canvas);
    this.forget_theme = on_theme(() => this.rebuild());
  }

  remove() {
    charts.delete(this.holder);
    seen.unobserve(this.holder);
    sized.unobserve(this.canvas);
    this.forget_theme();
    this.plot?.destroy();
    this.plot = null;
  }

  set_seen(is_seen) {
    this.#seen = is_seen;
    this.refresh();
  }

  resize() {
    const width = this.canvas.clientWidth;
    if (this.plot !== null && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: HEIGHT_PX });
    }
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.refresh();
  }

  /** Draw what is new, where somebody looks. */
  refresh() {
    if (!this.#seen || document.hidden || (this.plot === null && this.canvas.clientWidth === 0)) {
      return;
    }
    const data = this.data();
    if (this.plot === null) {
      this.plot = this.#made(this.canvas, data, 1);
      this.built?.();
    } else {
      this.plot.setData(data);
    }
  }

  /** Bounds of the lines, the axes' words and the lines themselves, so many times as large as on the screen. */
  #made(holder, data, scale) {
    const lines = this.lines();
    const font = `${11 * scale}px system-ui, sans-serif`;
    const thin = { stroke: colour("grid"), width: scale };
    const axis = (more) => ({
      stroke: colour("muted"), font, grid: thin, ticks: { ...thin, size: 4 * scale }, gap: 4 * scale, ...more,
      size: more.size * scale, space: more.space * scale,
    });
    const plot = new uPlot({
      width: Math.round(this.canvas.clientWidth * scale),
      height: HEIGHT_PX * scale,
      padding: [8 * scale, 26 * scale, 0, 0],
      legend: { show: false },
      cursor: { ...this.cursor?.(), show: scale === 1, y: false, points: { show: false } },
      scales: this.scales(),
      axes: this.axes(axis),
      series: [{}, ...lines.map((line) => ({
        stroke: line.colour, width: (line.width ?? 1.5) * scale, points: { show: line.points ?? false, size: 10 * scale },
        dash: DASHES[line.dash ?? "solid"].map((length) => length * scale),
      }))],
      bands: this.bands?.() ?? [],
      hooks: {
        draw: [(made) => {
          const unit = scale * devicePixelRatio;
          made.ctx.save();
          this.paint(made, new Labels(made.ctx, unit, colour("panel")), unit);
          made.ctx.restore();
        }],
        setCursor: [(made) => this.#show_values(made)],
        setSelect: [(made) => this.selected?.(made)],
      },
    }, data, holder);
    if (scale === 1) {
      this.#show_legend(lines);
    }
    return plot;
  }

  /** Nothing over the lines. */
  paint() {}

  /** Title and legend, in which the values under the pointer stand. */
  #show_legend(lines) {
    this.entries = lines.filter(({ label }) => label !== undefined);
    this.heading.textContent = this.title;
    for (const { label, colour: stroke, dash = "solid" } of this.entries) {
      const key = document.createElement("span");
      const value = document.createElement("b");
      key.append(key_line(stroke, dash), label, value);
      this.heading.append(key);
    }
  }

  #show_values(plot) {
    if (plot !== this.plot) {
      return;
    }
    const { idx } = plot.cursor;
    const values = this.heading.querySelectorAll("b");
    this.lines_with_labels.forEach((row, index) => {
      const text = idx === null || idx === undefined ? "" : ` ${figure(plot.data[row][idx])}`;
      if (values[index] !== undefined && values[index].textContent !== text) {
        values[index].textContent = text;
      }
    });
  }

  get lines_with_labels() {
    return this.lines().flatMap(({ label }, index) => (label === undefined ? [] : [index + 1]));
  }

  /** The chart as a canvas at twice the screen's size; null: it was never drawn. */
  async picture() {
    if (this.plot === null) {
      return null;
    }
    const holder = document.createElement("div");
    const plot = this.#made(holder, this.data(), PICTURE_SCALE);
    // uPlot draws in a microtask.
    await new Promise((done) => setTimeout(done));
    const canvas = holder.querySelector("canvas");
    plot.destroy();
    return canvas;
  }
}

/** A piece of a line for a legend. */
function key_line(stroke, dash) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "line");
  const place = { x2: KEY_PX, y1: 3, y2: 3 };
  svg.setAttribute("width", KEY_PX);
  svg.setAttribute("height", 6);
  const looks = { ...place, stroke, "stroke-width": 3, "stroke-dasharray": DASHES[dash].join(" ") };
  for (const [name, value] of Object.entries(looks)) {
    line.setAttribute(name, value);
  }
  svg.append(line);
  return svg;
}

/** Dashes of a legend's line in a picture. */
export function dashes_of({ dash = "solid" }) {
  return DASHES[dash];
}

/** The end of an axis from 0 on: it grows at once, and shrinks when much of it is empty. */
export function fitted(end, needed, least) {
  const wanted = Math.max(least, needed * 1.12);
  return needed > end || wanted < end * 0.6 || !Number.isFinite(end) ? wanted : end;
}

/** The greatest number of some columns. */
export function greatest(columns) {
  return columns.reduce((most, column) => column.reduce((so_far, value) => (value > so_far ? value : so_far), most), 0);
}
