// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Light or dark. The colours are those of colours.css, which the server makes from quench.colours.

const KEY = "quench-theme";
const by_system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();
const found = new Map();

/** Whether the page is dark: as chosen, else as the system. */
export function is_dark() {
  const chosen = localStorage.getItem(KEY);
  return chosen === null ? by_system.matches : chosen === "dark";
}

/** A colour of the style sheets by its name, such as `average`. */
export function colour(name) {
  if (!found.has(name)) {
    found.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return found.get(name);
}

/** Call when the colours change, until the function that is returned is called. */
export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The button that changes between light and dark. */
export function set_up_theme(button) {
  const changed = () => {
    document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
    found.clear();
    button.textContent = is_dark() ? "Light" : "Dark";
    for (const listener of listeners) {
      listener();
    }
  };
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, is_dark() ? "light" : "dark");
    changed();
  });
  by_system.addEventListener("change", changed);
  changed();
}
