// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Words in a chart's canvas, none of which covers another.

const PADDING_PX = 3;
const HEIGHT_PX = 15;
const MOST_STEPS = 40;

export class Labels {
  #boxes = [];

  /** `unit` is the number of the canvas' pixels in one of the page's. */
  constructor(context, unit, background) {
    this.context = context;
    this.unit = unit;
    this.background = background;
  }

  /**
   * A text in a box whose corner or edge is at a place: `align` is "left" or "right" of it, `above` or below. Where
   * another text is it goes on by its own size in the direction `step`, which is `[-1, 0]` for left.
   */
  add(text, x, y, colour, { align = "left", above = false, step = [0, 1] }) {
    const { context, unit } = this;
    context.font = `600 ${11 * unit}px system-ui, sans-serif`;
    const width = context.measureText(text).width + 2 * PADDING_PX * unit;
    const height = HEIGHT_PX * unit;
    const box = { x: align === "right" ? x - width : x, y: above ? y - height : y, width, height };
    for (let tries = 0; tries < MOST_STEPS && this.#boxes.some((other) => meet(box, other)); tries += 1) {
      const other = this.#boxes.find((each) => meet(box, each));
      box.x = step[0] === 0 ? box.x : other.x + (step[0] < 0 ? -width : other.width);
      box.y = step[1] === 0 ? box.y : other.y + (step[1] < 0 ? -height : other.height);
    }
    this.#boxes.push(box);
    context.globalAlpha = 0.85;
    context.fillStyle = this.background;
    context.fillRect(box.x, box.y, width, height);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(text, box.x + PADDING_PX * unit, box.y + height / 2 + unit / 2);
  }
}

function meet(one, other) {
  return one.x < other.x + other.width && other.x < one.x + one.width
    && one.y < other.y + other.height && other.y < one.y + one.height;
}
