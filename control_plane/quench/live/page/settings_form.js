// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a queue as a form. What it says but the switch does not have yet is a draft, with its own curve.

import { request } from "./api.js";
import { control, read, write } from "./fields.js";
import { delay_ms, depth_text, pkts_of, rate_text } from "./units.js";

const FIRST = new Set(["mark_at"]);
const ELSEWHERE = "It was changed elsewhere meanwhile; Undo shows what holds now.";

export class SettingsForm {
  #running = null;
  #draft = null;
  /** Thresholds that were moved, and whose curve has not come yet, by name. */
  #moved = new Map();
  is_held = false;
  /** The settings behind the fields, and what the fields said then, as JSON. */
  #base = {};
  #filled = "";
  #fields = new Map();
  #fields_of = null;
  #can_change = false;
  /** The most that the queue holds, as text; undefined: the source does not know it. */
  #buffer;
  #applying = false;
  #apply_again = false;
  /** The answer to this form's last change. */
  #own = null;
  #previewing = false;
  #preview_again = false;
  /** Why the last change was refused, and why there is no curve of the draft. */
  #refusal = "";
  #invalid = "";

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
      this.undo();
    });
  }

  /** Thresholds of the draft; those that are settings can be moved where changes are possible. */
  thresholds() {
    const { thresholds = [] } = this.#draft ?? this.#running?.profile ?? {};
    return thresholds.map((threshold) => ({
      ...threshold, draggable: threshold.editable && this.#can_change, ...this.#moved.get(threshold.name),
    }));
  }

  /** The curve of the draft. */
  curve() {
    return (this.#draft ?? this.#running?.profile)?.curve ?? NO_CURVE;
  }

  /** The time that so many packets take to leave the link. */
  delay_ms(pkts) {
    return delay_ms(pkts, this.#running?.profile ?? null, this.#running?.rate_bps ?? null);
  }

  /** Somebody holds a threshold's line, or no longer: axes stand still meanwhile. */
  hold(is_held) {
    this.is_held = is_held;
  }

  /** A threshold's line was moved. */
  move(name, pkts, steps = 0) {
    const field = this.#fields.get(name);
    const { mean_packet_bytes } = this.#draft ?? this.#running.profile;
    const text = depth_text(pkts, mean_packet_bytes, field?.input.value ?? "", steps);
    if (field !== undefined && field.input.value !== text) {
      field.input.value = text;
      // The line is where the hand is; the curve follows when the server has answered.
      this.#moved.set(name, { pkts: pkts_of(text, mean_packet_bytes), text });
      this.#edited();
      this.changed();
    }
  }

  /** The same by so many packets or kilobytes. */
  step(name, steps) {
    this.move(name, this.thresholds().find((each) => each.name === name).pkts, steps);
  }

  /** A line that was let go is applied, unless other edits wait. */
  let_go() {
    if (this.#is_edited() && this.#only_depths_differ()) {
      this.apply();
    }
  }

  /** Forget the edits. */
  undo() {
    this.done.textContent = "";
    this.#fill();
  }

  /** What holds now. */
  show({ profile, buffer, rate_bps, isq_mode, can_change, changes_isq }) {
    const before = this.#running;
    this.#running = { profile, rate_bps, isq_mode };
    this.#can_change = can_change;
    this.#buffer = buffer;
    this.isq_mode.label.hidden = !changes_isq;
    this.#enable();
    if (before === null) {
      this.#fill();
    } else if (!this.#applying && !same(before, this.#running)) {
      // While a change is on its way this may be its news: the answer tells.
      if (!this.#is_edited()) {
        this.#fill();
      } else if (!holds(this.#running, this.#own)) {
        this.done.textContent = ELSEWHERE;
      }
    }
  }

  /** Apply what the fields say; one request at a time, so that the last one wins. */
  async apply() {
    this.#apply_again = this.#applying;
    if (this.#applying) {
      return;
    }
    this.#applying = true;
    this.#enable();
    do {
      this.#apply_again = false;
      await this.#apply_once();
    } while (this.#apply_again && this.#is_edited());
    this.#applying = false;
    this.#enable();
  }

  async #apply_once() {
    const held = this.#running;
    const values = this.#values();
    const { settings, rate, isq_mode } = values;
    const before = JSON.parse(this.#filled);
    const change = { ...this.place };
    if (!same(settings, before.settings)) {
      change.settings = settings;
    }
    if (rate !== before.rate) {
      change.rate = rate;
    }
    if (isq_mode !== before.isq_mode) {
      change.isq_mode = isq_mode;
    }
    this.done.textContent = "Applying";
    this.#say({ refusal: "" });
    const { ok, status, value } = await request("change", change);
    const is_foreign = !same(held, this.#running) && !holds(this.#running, this.#own);
    if (!ok) {
      this.done.textContent = is_foreign ? ELSEWHERE : "";
      this.#say({ refusal: value.error });
      if (status === 403) {
        this.element.dispatchEvent(new CustomEvent("refused", { bubbles: true }));
      }
      return;
    }
    this.#own = value;
    this.#filled = JSON.stringify(values);
    const is_edited = this.#is_edited();
    this.element.classList.toggle("edited", is_edited);
    this.done.textContent = is_edited ? "Not applied yet" : "Applied";
    // The news of the change may have come before the answer, or come later and fill the fields then.
    if (!is_edited && (is_foreign || holds(this.#running, value))) {
      this.#fill();
    }
  }

  #enable() {
    for (const button of this.element.querySelectorAll("button")) {
      button.disabled = !this.#can_change || (this.#applying && button.type === "reset");
    }
  }

  #fill() {
    const { profile, rate_bps, isq_mode } = this.#running;
    this.#base = profile?.settings ?? {};
    write(this.rate, rate_text(rate_bps));
    write(this.isq_mode, isq_mode ?? "");
    this.#offer_schemes(profile);
    this.#show_fields(this.#base);
    this.#draft = null;
    this.#moved.clear();
    this.#filled = JSON.stringify(this.#values());
    this.#say({ refusal: "", invalid: "" });
    this.element.classList.remove("edited");
    this.changed();
  }

  #offer_schemes(profile) {
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
  }

  #form(scheme) {
    return this.forms.schemes.find((form) => form.scheme === scheme) ?? NO_SCHEME;
  }

  /** Fields of the chosen scheme with these settings. They stay the same inputs, one of which may have the focus. */
  #show_fields(settings) {
    const scheme = this.scheme.input.value;
    const { fields } = this.#form(scheme);
    if (this.#fields_of !== scheme) {
      this.#fields_of = scheme;
      this.#make_fields(fields);
    }
    for (const field of fields) {
      write(this.#fields.get(field.name), settings[field.name] ?? field.default ?? "");
    }
  }

  #make_fields(fields) {
    const [first, more] = this.element.querySelectorAll(".fields");
    this.#fields = new Map(fields.map((field) => [field.name, control(field)]));
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
    this.#show_fields(settings);
    this.#edited();
  }

  #values() {
    const scheme = this.scheme.input.value;
    const { names } = this.#form(scheme);
    const kept = Object.entries(this.#base).filter(
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

  #say({ refusal = this.#refusal, invalid = this.#invalid }) {
    this.#refusal = refusal;
    this.#invalid = invalid;
    // Both may be the same sentence.
    this.error.textContent = [...new Set([refusal, invalid])].filter((reason) => reason !== "").join("; ");
  }

  #edited() {
    this.element.classList.toggle("edited", this.#is_edited());
    this.done.textContent = this.#is_edited() ? "Not applied yet" : "";
    this.#say({ refusal: "" });
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
      const values = this.#values();
      const { settings, rate } = values;
      const { ok, value } = await request("preview", rate === "" ? { settings } : { settings, rate, buffer: this.#buffer });
      this.#say({ invalid: ok || !same(values, this.#values()) ? "" : value.error });
      if (ok && this.#is_edited()) {
        this.#draft = value;
        if (!this.#preview_again) {
          this.#moved.clear();
          this.changed();
        }
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

/** Whether what runs is what the answer to a change said. */
function holds({ profile, rate_bps, isq_mode }, own) {
  return own !== null && same(profile?.settings, own.settings) && rate_bps === own.rate_bps
    && (own.isq_mode === null || isq_mode === own.isq_mode);
}
