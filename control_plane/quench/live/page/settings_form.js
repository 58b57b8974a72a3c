// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a queue as a form. What it says but the switch does not have yet is a draft, with its own curve.

import { request } from "./api.js";
import { control, read, write } from "./fields.js";
import { depth_text, rate_text } from "./units.js";

const FIRST = new Set(["mark_at"]);

export class SettingsForm {
  #running = null;
  #draft = null;
  #filled = "";
  #fields = new Map();
  #can_change = false;
  #applying = false;
  #previewing = false;
  #preview_again = false;
  #refusal = "";

  /** `forms` is the server's list of schemes; `changed()` is called when the draft's curve is another one. */
  constructor(element, place, forms, changed) {
    this.element = element;
    this.place = place;
    this.forms = forms;
    this.changed = changed;
    this.error = element.querySelector(".error");
    this.done = element.querySelector(".done");
    this.scheme = control({ name: "scheme", kind: "choice", help: "Marking scheme" });
    this.rate = control({ name: "rate", label: "link rate", kind: "text", help: "Of the port, such as 10Mbps" });
    this.isq_mode = control({
      name: "isq_mode", label: "quenches by", kind: "choice", choices: forms.isq_modes,
      help: "Sender of the switch's source quenches, for all of its ports",
    });
    this.scheme.input.addEventListener("change", () => this.#choose_scheme());
    element.addEventListener("input", () => this.#edited());
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.apply();
    });
    element.addEventListener("reset", (event) => {
      event.preventDefault();
      this.done.textContent = "";
      this.#fill();
    });
  }

  /** Thresholds of the draft; those that are settings can be dragged where changes are possible. */
  thresholds = () => {
    const { thresholds = [] } = this.#draft ?? this.#running?.profile ?? {};
    return thresholds.map((threshold) => ({ ...threshold, draggable: threshold.editable && this.#can_change }));
  };

  /** The curve of the draft. */
  curve = () => (this.#draft ?? this.#running?.profile)?.curve ?? NO_CURVE;

  /** A threshold's line was moved; letting it go applies it, unless other edits wait. */
  drag = (name, pkts, is_done) => {
    const field = this.#fields.get(name);
    if (field === undefined) {
      return;
    }
    field.input.value = depth_text(pkts, (this.#draft ?? this.#running.profile).mean_packet_bytes, field.input.value);
    this.#edited();
    if (is_done && this.#only_depths_differ()) {
      this.apply();
    }
  };

  /** What holds now. */
  show({ profile, rate_bps, isq_mode, can_change, changes_isq }) {
    const before = this.#running;
    this.#running = { profile, rate_bps, isq_mode };
    this.#can_change = can_change;
    this.isq_mode.label.hidden = !changes_isq;
    for (const button of this.element.querySelectorAll("button")) {
      button.disabled = !can_change;
    }
    if (before !== null && same(before, this.#running)) {
      return;
    }
    if (before === null || !this.#is_edited()) {
      this.#fill();
    } else if (!this.#applying) {
      this.done.textContent = "It was changed elsewhere meanwhile; Undo shows what holds now.";
    }
  }

  async apply() {
    const change = { ...this.place };
    const { settings, rate, isq_mode } = this.#values();
    const before = JSON.parse(this.#filled);
    if (!same(settings, before.settings)) {
      change.settings = settings;
    }
    if (rate !== before.rate) {
      change.rate = rate;
    }
    if (isq_mode !== before.isq_mode) {
      change.isq_mode = isq_mode;
    }
    const sent = JSON.stringify(this.#values());
    this.done.textContent = "Applying";
    this.#refused("");
    this.#applying = true;
    const { ok, status, value } = await request("change", change);
    this.#applying = false;
    this.done.textContent = ok ? "Applied" : "";
    if (ok) {
      this.#filled = sent;
      this.element.classList.toggle("edited", this.#is_edited());
      // The news of the change may have come before the answer, or come later.
      if (!this.#is_edited() && same(this.#running.profile?.settings, value.settings)) {
        this.#fill();
      }
    } else {
      this.#refused(value.error);
      if (status === 403) {
        this.element.dispatchEvent(new CustomEvent("refused", { bubbles: true }));
      }
    }
  }

  #fill() {
    const { profile, rate_bps, isq_mode } = this.#running;
    write(this.rate, rate_text(rate_bps));
    write(this.isq_mode, isq_mode ?? "");
    const schemes = this.forms.schemes.map(({ scheme, needs_file }) => {
      const option = new Option(scheme, scheme);
      option.disabled = needs_file && profile?.settings.scheme !== scheme;
      return option;
    });
    if (profile?.settings.scheme === undefined) {
      schemes.unshift(new Option(profile === null ? "none" : "not known", ""));
    }
    this.scheme.input.replaceChildren(...schemes);
    write(this.scheme, profile?.settings.scheme ?? "");
    this.#make_fields(profile?.settings ?? {});
    this.#draft = null;
    this.#filled = JSON.stringify(this.#values());
    this.#refused("");
    this.element.classList.remove("edited");
    this.changed();
  }

  #form(scheme) {
    return this.forms.schemes.find((form) => form.scheme === scheme) ?? NO_SCHEME;
  }

  #make_fields(settings) {
    const [first, more] = this.element.querySelectorAll(".fields");
    const { fields } = this.#form(this.scheme.input.value);
    this.#fields = new Map(fields.map((field) => [field.name, control(field)]));
    for (const field of fields) {
      write(this.#fields.get(field.name), settings[field.name] ?? field.default ?? "");
    }
    const is_first = ({ name, kind }) => kind === "depth" || FIRST.has(name);
    const labels = (chosen) => fields.filter(chosen).map(({ name }) => this.#fields.get(name).label);
    first.replaceChildren(this.scheme.label, ...labels(is_first), this.rate.label, this.isq_mode.label);
    more.replaceChildren(...labels((field) => !is_first(field)));
  }

  /** A new scheme takes what it shares with the scheme before; a threshold of its own begins between the others. */
  #choose_scheme() {
    const before = this.#values().settings;
    const depths = this.thresholds().filter(({ editable }) => editable).map(({ pkts }) => pkts);
    const { fields } = this.#form(this.scheme.input.value);
    const settings = { ...before };
    for (const { name, kind } of fields) {
      if (kind === "depth" && settings[name] === undefined && depths.length > 0) {
        const middle = (Math.min(...depths) + Math.max(...depths)) / 2;
        settings[name] = depth_text(middle, before.mean_packet_bytes, String(before.minth ?? before.maxth ?? "0pkts"));
      }
    }
    this.#make_fields(settings);
    this.#edited();
  }

  #values() {
    const scheme = this.scheme.input.value;
    const { names } = this.#form(scheme);
    const kept = Object.entries(this.#running?.profile?.settings ?? {}).filter(
      ([name]) => names.includes(name) && !this.#fields.has(name),
    );
    const settings = { ...Object.fromEntries(kept), scheme };
    for (const [name, field] of this.#fields) {
      const value = read(field);
      if (value !== "") {
        settings[name] = value;
      }
    }
    return { settings, rate: this.rate.input.value.trim(), isq_mode: this.isq_mode.input.value };
  }

  #is_edited() {
    return JSON.stringify(this.#values()) !== this.#filled;
  }

  #only_depths_differ() {
    const without_depths = ({ settings, ...rest }) => {
      const others = Object.entries(settings).filter(([name]) => this.#fields.get(name)?.kind !== "depth");
      return JSON.stringify([rest, others]);
    };
    return without_depths(this.#values()) === without_depths(JSON.parse(this.#filled));
  }

  /** Say why a change was refused; "" when there is no such reason any more. */
  #refused(reason) {
    this.#refusal = reason;
    this.error.textContent = reason;
  }

  #edited() {
    this.element.classList.toggle("edited", this.#is_edited());
    this.done.textContent = this.#is_edited() ? "Not applied yet" : "";
    this.#refusal = "";
    if (this.scheme.input.value !== "") {
      this.#preview();
    }
  }

  /** The draft's curve, by the server; one request at a time. */
  async #preview() {
    if (this.#previewing) {
      this.#preview_again = true;
      return;
    }
    this.#previewing = true;
    do {
      this.#preview_again = false;
      const { settings, rate } = this.#values();
      const { ok, value } = await request("preview", rate === "" ? { settings } : { settings, rate });
      const is_edited = this.#is_edited();
      // A preview may be answered after the change, whose refusal stays until the next edit, or after an Undo.
      this.error.textContent = this.#refusal || (ok || !is_edited ? "" : value.error);
      if (ok && is_edited) {
        this.#draft = value;
        this.changed();
      }
    } while (this.#preview_again);
    this.#previewing = false;
  }
}

const NO_CURVE = [];
/** Of a queue without a profile, or with one that the source cannot read. */
const NO_SCHEME = { fields: [], names: [] };

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
