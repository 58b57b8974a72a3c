// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Colours of the charts. Those of lines are Okabe and Ito's, which colour-blind people can tell apart.

const LIGHT = {
  text: "#1f2933",
  muted: "#5c6873",
  grid: "#e4e8ec",
  background: "#ffffff",
  depth: "#9aa5b1",
  average: "#0072b2",
  threshold: "#b34700",
  marked: "#0072b2",
  early: "#d55e00",
  forced: "#1f2933",
  isq: "#008561",
  second: "#a64d86",
  change: "#7b61c4",
  flows: ["#0072b2", "#d55e00", "#008561", "#a64d86", "#8a6d00", "#2f8fbd", "#1f2933"],
};
const DARK = {
  text: "#e4e9ee",
  muted: "#9fb0c0",
  grid: "#2e3a46",
  background: "#18212b",
  depth: "#71808f",
  average: "#56b4e9",
  threshold: "#f0a24a",
  marked: "#56b4e9",
  early: "#ff8c42",
  forced: "#e4e9ee",
  isq: "#2fc49a",
  second: "#dd8fc0",
  change: "#b39df3",
  flows: ["#56b4e9", "#ff8c42", "#2fc49a", "#dd8fc0", "#f0e442", "#8fd0f5", "#e4e9ee"],
};
const KEY = "quench-theme";
const by_system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

/** Whether the page is dark: as chosen, else as the system. */
export function is_dark() {
  const chosen = localStorage.getItem(KEY);
  return chosen === null ? by_system.matches : chosen === "dark";
}

/** The colours now. */
export function colours() {
  return is_dark() ? DARK : LIGHT;
}

/** Call when the colours change, until the function that is returned is called. */
export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show() {
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
}

/** The button that changes between light and dark. */
export function set_up_theme(button) {
  const changed = () => {
    show();
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
