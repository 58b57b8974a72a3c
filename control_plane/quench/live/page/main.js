// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The page: updates come in, panels show them.

import { request, set_token, token } from "./api.js";
import { ChangesPanel } from "./changes.js";
import { watch } from "./connection.js";
import { FlowsPanel } from "./flows.js";
import { Network } from "./network.js";
import { Overview } from "./overview.js";
import { Player } from "./player.js";
import { QueuePanel } from "./queue_panel.js";
import { History } from "./series.js";
import { on_theme, set_up_theme } from "./theme.js";
import { TimeAxis } from "./time_axis.js";

/** Time between two pictures: of who moves a pointer over the page, and of who only looks. */
const WATCHED_MS = 400;
const LEFT_OPEN_MS = 1000;
/** A pointer that rests so long has left the page. */
const RESTS_MS = 10_000;
/** Time between two tables. */
const FIGURES_MS = 950;
const NO_THRESHOLDS = [];
const element = (id) => document.getElementById(id);

const history_ = new History();
const time_axis = new TimeAxis();
const context = { history: history_, time_axis, forms: null };
/** What the layout says of each queue, and the open panels, by the queue's key. */
let queues = new Map();
const panels = new Map();
let layout = null;
let redraw = null;
let is_token_refused = false;
let is_first = true;
let figures_at_ms = -Infinity;
let moved_ms = -Infinity;

set_up_theme(element("theme"));
token();
const overview = new Overview(element("overview"), context, toggle);
const network = new Network(element("network"), context, open);
const flows = new FlowsPanel(element("flows"), context);
const changes = new ChangesPanel(element("changes"), history_);
const player = new Player(element("player"));

let said = null;

function say_lost(sentence) {
  // An element that is written is laid out anew, and this is called ten times a second.
  if (sentence !== said) {
    said = sentence;
    element("lost").hidden = sentence === null;
    element("lost").textContent = sentence ?? "";
  }
}

function show_state() {
  const recorded = (layout?.playing?.duration_s ?? null) !== null;
  const now = layout?.playing === null ? "Live" : recorded ? "Recording" : "Simulation";
  element("state").textContent = layout === null ? "Connecting" : time_axis.paused ? "Charts stand still" : now;
  element("pause").ariaPressed = String(time_axis.paused);
  element("pause").textContent = time_axis.paused ? "Go on" : "Pause";
}

function key_of({ switch: name, port, queue }) {
  return JSON.stringify([layout.clock, name, port, queue]);
}

function show_layout() {
  element("title").textContent = layout.title;
  time_axis.clock = layout.clock;
  player.show(layout.playing);
  queues = new Map();
  for (const switch_layout of layout.switches) {
    for (const port_layout of switch_layout.ports) {
      for (const queue_layout of port_layout.queues) {
        const place = { switch: switch_layout.switch, port: port_layout.port, queue: queue_layout.queue };
        queues.set(key_of(place), { place, queue_layout, port_layout, switch_layout, layout });
      }
    }
  }
  for (const [key, panel] of panels) {
    if (queues.has(key)) {
      panel.show(queues.get(key));
    } else {
      close(key);
    }
  }
  element("empty").hidden = queues.size > 0;
  const gone = layout.switches.filter(({ connected }) => !connected).map((each) => each.switch);
  element("empty").textContent = gone.length > 0 ? `Not connected: ${gone.join(", ")}.` : "No port with a queue yet.";
  element("overview").hidden = queues.size === 0;
  // A lone queue is what there is to see.
  if (is_first && queues.size === 1) {
    open([...queues.keys()][0]);
  }
  is_first = is_first && queues.size === 0;
  show_queues();
  show_rights();
}

function show_queues() {
  overview.show(queues, panels);
  network.show(layout.network, queues);
}

function toggle(key) {
  if (panels.has(key)) {
    close(key);
    show_queues();
  } else {
    open(key);
  }
}

function open(key) {
  if (!panels.has(key)) {
    const panel = new QueuePanel(context, queues.get(key).place, () => toggle(key));
    panels.set(key, panel);
    element("queues").append(panel.element);
    panel.show(queues.get(key));
    panel.refresh_figures();
    show_queues();
  }
  if (!is_first) {
    panels.get(key).element.scrollIntoView({ block: "nearest" });
  }
}

function close(key) {
  panels.get(key).remove();
  panels.delete(key);
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
  time_axis.follow(history_.latest_s);
  if (news.layout !== null) {
    layout = news.layout;
    show_layout();
    show_state();
    figures_at_ms = -Infinity;
  }
  for (const { place, queue_layout: { profile } } of queues.values()) {
    history_.learn(place, profile?.thresholds ?? NO_THRESHOLDS);
  }
  redraw ??= setTimeout(refresh, performance.now() - moved_ms < RESTS_MS ? WATCHED_MS : LEFT_OPEN_MS);
}

/** Show what has come; nothing of it while nobody can see the page. */
function refresh() {
  redraw = null;
  if (document.hidden || layout === null) {
    return;
  }
  player.follow(history_.latest_s);
  if (performance.now() - figures_at_ms > FIGURES_MS) {
    figures_at_ms = performance.now();
    changes.refresh(time_axis.clock);
    for (const panel of [...panels.values(), flows]) {
      panel.refresh_figures();
    }
    network.refresh();
    if (!time_axis.paused) {
      overview.refresh();
    }
  }
  if (!time_axis.paused) {
    for (const panel of [...panels.values(), flows]) {
      panel.follow();
    }
  }
}

function refresh_all() {
  show_state();
  figures_at_ms = -Infinity;
  refresh();
  if (layout !== null) {
    overview.refresh();
  }
  for (const panel of [...panels.values(), flows]) {
    panel.refresh();
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
  document.addEventListener("pointermove", () => {
    moved_ms = performance.now();
  });
  document.addEventListener("visibilitychange", refresh_all);
  time_axis.on_change(refresh_all);
  on_theme(() => layout !== null && overview.refresh());
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
