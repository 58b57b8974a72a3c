// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Inputs of a form, one for each kind of setting.

import { stepped } from "./units.js";

const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** An input in its label. The arrow keys change the number of a quantity. */
export function control({ name, label = name, kind, choices = [], help }) {
  const holder = document.createElement("label");
  const input = document.createElement(kind === "choice" ? "select" : "input");
  input.name = name;
  holder.title = help;
  holder.append(label, " ", input);
  if (kind === "choice") {
    input.append(...choices.map((choice) => new Option(choice, choice)));
  } else if (kind === "flag") {
    input.type = "checkbox";
  } else {
    input.type = "text";
    input.spellcheck = false;
    input.addEventListener("keydown", (event) => step(input, event));
  }
  return { name, kind, input, label: holder };
}

/** The value as JSON; a text that is no number is sent as it is, for the server's error says more. */
export function read({ kind, input }) {
  if (kind === "flag") {
    return input.checked;
  }
  const text = input.value.trim();
  return kind === "number" && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

export function write({ kind, input }, value) {
  if (kind === "flag") {
    input.checked = value === true;
  } else {
    input.value = String(value);
  }
}

function step(input, event) {
  const text = event.key in STEPS ? stepped(input.value, STEPS[event.key]) : null;
  if (text !== null) {
    event.preventDefault();
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
