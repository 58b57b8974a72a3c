// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// What the page shows, as files.

import { KEY_PX, PICTURE_SCALE, dashes_of } from "./chart.js";
import { colour } from "./theme.js";

const TITLE_PX = 30;
const HEADING_PX = 22;
const GAP_PX = 12;

/** Columns `[name, values]` of the same length as a table; what nobody knows is empty. */
export function save_csv(name, columns) {
  const rows = columns[0][1].map((_, row) => columns.map(([, column]) => cell(column[row])).join(","));
  const text = [columns.map(([title]) => cell(title)).join(","), ...rows, ""].join("\r\n");
  save(`${name}.csv`, new Blob([text], { type: "text/csv" }));
}

function cell(value) {
  if (typeof value !== "string") {
    return value === null || value === undefined ? "" : String(value);
  }
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Charts below each other with their titles and legends, in the page's colours, at twice the screen's size. */
export async function save_png(name, title, charts) {
  const drawn = await Promise.all(charts.map(async (chart) => [chart, await chart.picture()]));
  const pictures = drawn.filter(([, picture]) => picture !== null);
  const scale = PICTURE_SCALE * devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(...pictures.map(([, { width }]) => width));
  canvas.height = pictures.reduce((sum, [, { height }]) => sum + height + (HEADING_PX + GAP_PX) * scale, TITLE_PX * scale);
  const context = canvas.getContext("2d");
  context.fillStyle = colour("panel");
  context.fillRect(0, 0, canvas.width, canvas.height);
  write(context, title, 16 * scale, GAP_PX * scale, 20 * scale);
  let y = TITLE_PX * scale;
  for (const [chart, picture] of pictures) {
    let x = write(context, chart.title, 13 * scale, GAP_PX * scale, y + 15 * scale);
    for (const line of chart.entries) {
      x = draw_key(context, line, x + 14 * scale, y + 11 * scale, scale);
      x = write(context, line.label, 12 * scale, x, y + 15 * scale);
    }
    context.drawImage(picture, 0, y + HEADING_PX * scale);
    y += picture.height + (HEADING_PX + GAP_PX) * scale;
  }
  canvas.toBlob((blob) => save(`${name}.png`, blob), "image/png");
}

function write(context, text, size_px, x, y) {
  context.fillStyle = colour("text");
  context.font = `${size_px}px system-ui, sans-serif`;
  context.fillText(text, x, y);
  return x + context.measureText(text).width;
}

function draw_key(context, line, x, y, scale) {
  context.strokeStyle = line.colour;
  context.lineWidth = 3 * scale;
  context.setLineDash(dashes_of(line).map((length) => length * scale));
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + KEY_PX * scale, y);
  context.stroke();
  context.setLineDash([]);
  return x + (KEY_PX + 5) * scale;
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
