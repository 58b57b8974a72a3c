// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The page: updates come in, panels show them.

import { request, set_token, token } from "./api.js";
import { ChangesPanel } from "./changes.js";
import { watch } from "./connection.js";
import { FlowsPanel } from "./flows.js";
import { Player } from "./player.js";
import { PortPanel } from "./port_panel.js";
import { History } from "./series.js";
import { set_up_theme } from "./theme.js";
import { TimeAxis } from "./time_axis.js";

const FIGURES_MS = 500;
const OPEN_QUEUES = 2;
const element = (id) => document.getElementById(id);

const history_ = new History();
const time_axis = new TimeAxis();
const context = { history: history_, time_axis, forms: null };
const ports = new Map();
let layout = null;
let is_new = false;
let is_token_refused = false;
let figures_at_ms = 0;

set_up_theme(element("theme"));
token();
const flows = new FlowsPanel(element("flows"), context);
const changes = new ChangesPanel(element("changes"), history_);
const player = new Player(element("player"));

function say_lost(sentence) {
  element("lost").hidden = sentence === null;
  element("lost").textContent = sentence ?? "";
}

function show_state() {
  const recorded = (layout?.playing?.duration_s ?? null) !== null;
  const now = layout?.playing === null ? "Live" : recorded ? "Recording" : "Simulation";
  element("state").textContent = layout === null ? "Connecting" : time_axis.paused ? "Charts stand still" : now;
  element("pause").ariaPressed = String(time_axis.paused);
  element("pause").textContent = time_axis.paused ? "Go on" : "Pause";
}

function show_layout() {
  element("title").textContent = layout.title;
  time_axis.clock = layout.clock;
  player.show(layout.playing);
  const wanted = new Set();
  for (const switch_layout of layout.switches) {
    for (const port of switch_layout.ports) {
      const key = JSON.stringify([layout.clock, switch_layout.switch, port.port]);
      wanted.add(key);
      if (!ports.has(key)) {
        ports.set(key, new PortPanel(context, switch_layout.switch, port.port));
      }
      const panel = ports.get(key);
      panel.show(port, switch_layout, layout);
      if (!panel.element.isConnected) {
        element("ports").append(panel.element);
      }
    }
  }
  for (const [key, panel] of ports) {
    if (!wanted.has(key)) {
      panel.remove();
      ports.delete(key);
    }
  }
  element("empty").hidden = ports.size > 0;
  const gone = layout.switches.filter(({ connected }) => !connected).map((each) => each.switch);
  element("empty").textContent = gone.length > 0 ? `Not connected: ${gone.join(", ")}.` : "No port with a queue yet.";
  open_some();
  show_rights();
}

/** The first queues with thresholds are open, until somebody opens others. */
function open_some() {
  const queues = [...ports.values()].flatMap((panel) => panel.queues);
  if (queues.some(({ element: { open } }) => open)) {
    return;
  }
  const marking = queues.filter(({ form }) => form.thresholds().length > 0);
  for (const queue of (marking.length > 0 ? marking : queues).slice(0, OPEN_QUEUES)) {
    queue.element.open = true;
  }
}

function show_rights() {
  const may_not = !layout.can_change ? "This source can be watched, and not changed." : null;
  const lacks_token = "Changes need the token of the address that the command printed.";
  element("read-only").hidden = may_not === null && token() !== "" && !is_token_refused;
  const reason = is_token_refused ? `The token was refused. ${lacks_token}` : lacks_token;
  element("read-only-reason").textContent = may_not ?? reason;
  for (const part of element("read-only").querySelectorAll("label, button")) {
    part.hidden = may_not !== null;
  }
}

function update(news) {
  if (news.restarted) {
    history_.forget();
  }
  say_lost(news.lost);
  history_.add_events(news.events);
  for (const sample of news.samples) {
    history_.add_sample(sample);
  }
  if (news.layout !== null) {
    layout = news.layout;
    show_layout();
    show_state();
  }
  if (!is_new) {
    is_new = true;
    requestAnimationFrame(refresh);
  }
}

function refresh(now_ms) {
  is_new = false;
  player.follow(history_.latest_s);
  changes.refresh(time_axis.clock);
  if (now_ms - figures_at_ms > FIGURES_MS) {
    figures_at_ms = now_ms;
    for (const panel of [...ports.values(), flows]) {
      panel.refresh_figures();
    }
  }
  if (!time_axis.paused) {
    time_axis.follow(history_.latest_s);
    refresh_charts();
  }
}

function refresh_charts() {
  for (const panel of [...ports.values(), flows]) {
    panel.refresh_charts();
  }
}

function set_up_tools() {
  element("pause").addEventListener("click", () => time_axis.set_paused(!time_axis.paused));
  element("zoom-in").addEventListener("click", () => time_axis.zoom(0.5));
  element("zoom-out").addEventListener("click", () => time_axis.zoom(2));
  element("window").addEventListener("change", ({ target }) => time_axis.set_window(Number(target.value)));
  element("read-only").addEventListener("submit", (event) => {
    event.preventDefault();
    set_token(element("token").value);
    is_token_refused = false;
    show_rights();
  });
  document.addEventListener("refused", () => {
    is_token_refused = true;
    show_rights();
  });
  time_axis.on_change(() => {
    show_state();
    refresh_charts();
  });
}

async function start() {
  set_up_tools();
  const { ok, value } = await request("forms");
  if (!ok) {
    say_lost(`${value.error}. Load the page again.`);
    return;
  }
  context.forms = value;
  watch({
    opened() {
      history_.forget();
    },
    update,
    closed(reason) {
      say_lost(`The page has lost its server${reason ? ` (${reason})` : ""} and tries again.`);
    },
  });
}

await start();
