// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The page: what is edited is run, and shown beside it.

import { request, token } from "./api.js";
import { octets_of, TEMPLATES, with_field, with_ipv4_checksum } from "./packets.js";
import { set_up_theme } from "./theme.js";

const IDLE_MS = 700;
/** The beginning of the last line of a trace. */
const DROPPED = "dropped";
const element = (id) => document.getElementById(id);
const source = element("source");
const gutter = document.querySelector(".gutter");
let name = "";
let timer = 0;
let newest = 0;

/** An element with a class and a text. */
function made(tag, { class: class_ = "", text = "" } = {}) {
  const node = document.createElement(tag);
  node.className = class_;
  node.textContent = text;
  return node;
}

function say(problem) {
  element("problem").hidden = problem === null;
  element("problem").textContent = problem ?? "";
}

// ---- The program

function number_lines() {
  const lines = source.value.split("\n").length;
  while (gutter.children.length > lines) {
    gutter.lastChild.remove();
  }
  while (gutter.children.length < lines) {
    gutter.append(made("div", { text: String(gutter.children.length + 1) }));
  }
}

function mark_lines(lines, class_) {
  for (const line of gutter.children) {
    line.classList.remove(class_);
  }
  for (const line of lines) {
    gutter.children[line - 1]?.classList.add(class_);
  }
}

function go_to(line) {
  const before = source.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = source.value.indexOf("\n", before);
  source.focus();
  source.setSelectionRange(before, end < 0 ? source.value.length : end);
  source.scrollTop = (line - 1) * Number.parseFloat(getComputedStyle(source).lineHeight) - source.clientHeight / 3;
}

/** The line of the edited file that a message begins with; null: it is about another file. */
function line_of(message) {
  return message.startsWith(`${name}:`) ? Number.parseInt(message.slice(name.length + 1), 10) || null : null;
}

function show_diagnostics(messages) {
  element("diagnostics").hidden = messages.length === 0;
  element("diagnostics").replaceChildren();
  const faulty = [];
  for (const message of messages) {
    const line = line_of(message);
    const item = made("li", { text: line === null ? message : "" });
    if (line !== null) {
      faulty.push(line);
      const button = made("button", { class: "link", text: message });
      button.type = "button";
      button.addEventListener("click", () => go_to(line));
      item.append(button);
    }
    element("diagnostics").append(item);
  }
  mark_lines(faulty, "faulty");
}

// ---- The packets

function add_packet({ port, octets, after_ms = 1 }) {
  const item = element("packet").content.firstElementChild.cloneNode(true);
  item.querySelector("[name=port]").value = port;
  item.querySelector("[name=after]").value = after_ms;
  item.querySelector("[name=octets]").value = octets;
  item.querySelector("[name=remove]").addEventListener("click", () => {
    item.remove();
    edited();
  });
  item.querySelector("[name=checksum]").addEventListener("click", () => {
    const found = octets_of(item.querySelector("[name=octets]").value);
    if (found !== null) {
      item.querySelector("[name=octets]").value = with_ipv4_checksum(found);
      edited();
    }
  });
  element("packets").append(item);
}

/** The packets; null: one of them is wrong, which stands below it. */
function packets() {
  let all_right = true;
  const found = [...element("packets").children].map((item) => {
    const octets = octets_of(item.querySelector("[name=octets]").value);
    const port = item.querySelector("[name=port]");
    const after = item.querySelector("[name=after]");
    const wrong = (input) => input.value === "" || !input.validity.valid;
    const fault = octets === null ? "Whole bytes in hexadecimal, two digits each."
      : wrong(port) ? "A port is a number from 0 to 511." : wrong(after) ? "A time is a number of ms from 0 to 60 000." : "";
    item.querySelector(".error").textContent = fault;
    all_right &&= fault === "";
    return { port: Number(port.value), octets, after_ms: Number(after.value) };
  });
  return all_right ? found : null;
}

function show_taken(item, fields) {
  const place = item.querySelector(".taken");
  if (place.contains(document.activeElement)) {
    return;
  }
  place.replaceChildren();
  let header = null;
  for (const field of fields) {
    if (field.header !== header) {
      header = field.header;
      place.append(made("h4", { text: header }));
    }
    const label = made("label", { text: `${field.field} ` });
    const input = made("input");
    input.value = field.value;
    input.title = `${field.bits} bits`;
    input.addEventListener("change", () => set_field(item, field, input));
    label.append(input);
    place.append(label);
  }
  if (fields.length === 0) {
    place.append(made("p", { text: "The parser took no header of known widths." }));
  }
}

function set_field(item, field, input) {
  const text = input.value.trim();
  const octets = octets_of(item.querySelector("[name=octets]").value);
  const value = /^(?:0x[0-9a-f]+|[0-9]+)$/i.test(text) ? BigInt(text) : -1n;
  const changed = octets === null ? null : with_field(octets, field, value);
  item.querySelector(".error").textContent = changed === null ? `${field.field} takes a number of ${field.bits} bits.` : "";
  if (changed !== null) {
    item.querySelector("[name=octets]").value = changed;
    input.blur();
    edited();
  }
}

// ---- The outcome

function shown(node, reached, is_open = true) {
  const line = made("span", { class: node.style, text: node.text });
  const parts = [line];
  if (node.source !== "") {
    const own = node.file === name;
    const place = made(own ? "button" : "span", { class: own ? "link place" : "place", text: node.source });
    if (own) {
      reached.add(node.line);
      place.type = "button";
      place.addEventListener("click", () => go_to(node.line));
    }
    parts.push(place);
  }
  if (node.nodes.length === 0) {
    const leaf = made("div", { class: "leaf" });
    leaf.append(...parts);
    return leaf;
  }
  const details = made("details");
  details.open = is_open;
  const summary = made("summary");
  summary.append(...parts);
  details.append(summary, ...node.nodes.map((each) => shown(each, reached)));
  return details;
}

const is_dropped = (tree) => tree.nodes.at(-1)?.text.startsWith(DROPPED) ?? false;

/** The tree, whose first line also says what became of the packet. */
function with_outcome(tree) {
  return { ...tree, text: `${tree.text}: ${tree.nodes.at(-1)?.text ?? ""}`, style: is_dropped(tree) ? "bold dropped" : "bold" };
}

function show_outcome(outcome) {
  show_diagnostics(outcome.diagnostics);
  const is_entries = outcome.error?.startsWith("entries.stf:") ?? false;
  say(is_entries ? null : outcome.error);
  element("entries-error").textContent = is_entries ? outcome.error : "";
  element("omitted").hidden = outcome.omitted === null;
  element("omitted").textContent = outcome.omitted ?? "";
  const reached = new Set();
  // Of many packets each is a line, until somebody opens it; those that are open stay open.
  const open = [...element("trace").children].map((each) => each.open);
  const trees = outcome.trees.map((tree, place) => shown(with_outcome(tree), reached, open[place] ?? place === 0));
  element("trace").replaceChildren(...trees);
  const total = outcome.packets.length;
  const dropped = outcome.packets.filter(({ outcome: text }) => text.startsWith(DROPPED)).length;
  element("total").textContent = total === 0 ? "" : `${total} in, ${dropped} dropped, ${outcome.sent.length} left`;
  mark_lines(reached, "reached");
  const items = [...element("packets").children];
  for (const [place, item] of items.entries()) {
    const { outcome: text, fields } = outcome.packets[place] ?? { outcome: "", fields: [] };
    show_taken(item, fields);
    item.querySelector(".outcome").textContent = text;
    item.querySelector(".outcome").classList.toggle("dropped", text.startsWith(DROPPED));
  }
  const sent = outcome.sent.map(([port, octets]) => {
    const item = made("li", { text: `Port ${port}, ${octets.length / 2} bytes` });
    item.append(made("code", { text: octets.match(/.{1,4}/g)?.join(" ") ?? "" }));
    return item;
  });
  const none = made("li", { text: outcome.trees.length > 0 ? "No packet." : "" });
  element("sent").replaceChildren(...(sent.length > 0 ? sent : [none]));
}

async function run() {
  clearTimeout(timer);
  const sent = packets();
  if (sent === null) {
    return;
  }
  const number = (newest += 1);
  element("state").textContent = "Running";
  const body = { source: source.value, entries: element("entries").value, packets: sent };
  const { ok, value } = await request("run", body);
  if (number !== newest) {
    return;
  }
  element("state").textContent = "";
  if (!ok) {
    say(value.error);
  } else {
    show_outcome(value);
    const compiled = value.trees.length > 0 || value.diagnostics.length === 0;
    element("state").textContent = compiled && value.error === null ? "Done" : "The program does not run";
  }
}

function edited() {
  clearTimeout(timer);
  timer = setTimeout(run, IDLE_MS);
}

function save() {
  const link = made("a");
  link.href = URL.createObjectURL(new Blob([source.value], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function start() {
  set_up_theme(element("theme"));
  token();
  for (const template of TEMPLATES.keys()) {
    element("template").append(new Option(template));
  }
  const { ok, value } = await request("start", {});
  if (!ok) {
    say(`${value.error}.`);
    return;
  }
  name = value.name;
  element("name").textContent = name;
  source.value = value.source;
  element("entries").value = value.entries;
  value.packets.forEach(add_packet);
  number_lines();
  source.addEventListener("input", () => {
    number_lines();
    edited();
  });
  source.addEventListener("scroll", () => gutter.scrollTo(0, source.scrollTop));
  element("entries").addEventListener("input", edited);
  element("packets").addEventListener("input", ({ target }) => target.closest(".taken") ?? edited());
  element("template").addEventListener("change", ({ target }) => {
    add_packet({ port: 1, octets: TEMPLATES.get(target.value) });
    target.value = "";
    edited();
  });
  element("run").addEventListener("click", run);
  element("save").addEventListener("click", save);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.key === "Enter") {
      run();
    }
  });
  if (value.packets.length === 0) {
    add_packet({ port: 1, octets: TEMPLATES.values().next().value });
  }
  await run();
}

await start();
