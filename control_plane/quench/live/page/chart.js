// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// What all charts have in common: title, legend, axes, colours; and they are drawn only while somebody sees them.

/* global Bokeh */
import { colours, on_theme } from "./theme.js";

const HEIGHT = 220;
const SVG = "http://www.w3.org/2000/svg";
export const KEY_PX = 26;
/** Lines and gaps of the dashes in legends, as Bokeh draws them. */
export const DASHES = { solid: [], dashed: [6, 3], dotted: [2, 3], dotdash: [2, 3, 7, 3] };
const charts = new Map();
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      charts.get(target)?.set_seen(isIntersecting);
    }
  },
  { rootMargin: "100px" },
);

export class Chart {
  #seen = false;
  #view = null;
  #building = false;
  figure = null;

  /** A chart in an element. A subclass has `build(colours)`, which makes glyphs, and `draw()`, which fills them. */
  constructor(holder, title) {
    this.holder = holder;
    this.title = title;
    this.heading = document.createElement("h4");
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", title);
    holder.replaceChildren(this.heading, this.canvas);
    charts.set(holder, this);
    seen.observe(holder);
    this.forget_theme = on_theme(() => this.#rebuild());
  }

  remove() {
    charts.delete(this.holder);
    seen.unobserve(this.holder);
    this.forget_theme();
    this.#forget();
  }

  #forget() {
    if (this.#view !== null) {
      Bokeh.documents.splice(Bokeh.documents.indexOf(this.figure.document), 1);
      this.#view.remove();
      this.#view = null;
    }
  }

  set_seen(is_seen) {
    this.#seen = is_seen;
    this.refresh();
  }

  /** Draw what is new, where somebody looks. */
  refresh() {
    if (!this.#seen) {
      return;
    }
    if (this.#view === null) {
      this.#build();
    } else if (this.is_outdated()) {
      this.#rebuild();
    } else {
      this.draw();
    }
  }

  /** Whether the chart has to be built anew. */
  is_outdated() {
    return false;
  }

  async #build() {
    if (this.#building) {
      return;
    }
    this.#building = true;
    const palette = colours();
    this.legend([]);
    this.figure = this.#empty(palette);
    this.build(palette);
    this.draw();
    const view = await Bokeh.Plotting.show(this.figure, this.canvas);
    this.#building = false;
    this.#view = view;
    if (!charts.has(this.holder)) {
      this.#forget();
    } else if (palette !== colours()) {
      this.#rebuild();
    }
  }

  #rebuild() {
    this.#forget();
    this.refresh();
  }

  #empty(palette) {
    const { x_range, y_range, x_axis_type = "linear", tools = [], x_label = null } = this.axes();
    const figure = Bokeh.Plotting.figure({
      x_range,
      y_range,
      x_axis_type,
      tools,
      toolbar_location: null,
      sizing_mode: "stretch_width",
      height: this.height ?? HEIGHT,
      min_border: 6,
      background_fill_color: palette.background,
      border_fill_color: palette.background,
      outline_line_color: palette.grid,
    });
    for (const axis of [...figure.xaxis, ...figure.yaxis]) {
      axis.setv({
        axis_line_color: palette.muted,
        major_tick_line_color: palette.muted,
        minor_tick_line_color: null,
        major_label_text_color: palette.muted,
        major_label_text_font_size: "11px",
        axis_label_text_color: palette.muted,
        axis_label_text_font_size: "11px",
        axis_label_text_font_style: "normal",
      });
    }
    for (const axis of figure.xaxis) {
      axis.axis_label = x_label;
    }
    for (const grid of [...figure.xgrid, ...figure.ygrid]) {
      grid.grid_line_color = palette.grid;
    }
    return figure;
  }

  /** Title and legend: `[name, colour, dash]` for each line. */
  legend(entries) {
    this.entries = entries;
    this.heading.textContent = this.title;
    for (const [name, colour, dash] of entries) {
      const key = document.createElement("span");
      key.append(key_line(colour, dash), name);
      this.heading.append(key);
    }
  }

  /** The chart as a canvas for a picture; null: it was never drawn. */
  picture() {
    return this.#view === null ? null : this.#view.export("png").canvas;
  }
}

/** A piece of a line for a legend. */
function key_line(colour, dash) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "line");
  const place = { x2: KEY_PX, y1: 3, y2: 3 };
  const attributes = { ...place, stroke: colour, "stroke-width": 3, "stroke-dasharray": DASHES[dash].join(" ") };
  svg.setAttribute("width", KEY_PX);
  svg.setAttribute("height", 6);
  for (const [name, value] of Object.entries(attributes)) {
    line.setAttribute(name, value);
  }
  svg.append(line);
  return svg;
}

/** The end of an axis from 0 on: it grows at once, and shrinks when much of it is empty. */
export function fitted(end, needed, least) {
  const wanted = Math.max(least, needed * 1.1);
  return needed > end || wanted < end * 0.6 || !Number.isFinite(end) ? wanted : end;
}

/** The greatest number of some columns. */
export function greatest(...columns) {
  let found = 0;
  for (const column of columns) {
    for (const value of column) {
      if (value > found) {
        found = value;
      }
    }
  }
  return found;
}
