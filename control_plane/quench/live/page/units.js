// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Numbers with their units, as people read and write them.

/** At most three digits that say something; a dash for what nobody knows. */
export function figure(value) {
  if (value === null || value === undefined) {
    return "–";
  }
  const size = Math.abs(value);
  return value.toFixed(size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A rate in bits per second, exact as the controller writes it. */
export function rate_text(rate_bps) {
  if (rate_bps === null) {
    return "";
  }
  for (const [unit, factor] of [["Gbps", 1e9], ["Mbps", 1e6], ["kbps", 1e3]]) {
    if (rate_bps >= factor && Number.isInteger((rate_bps / factor) * 1000)) {
      return `${rate_bps / factor}${unit}`;
    }
  }
  return `${rate_bps}bps`;
}

const KB = 1000;

/** Packets of mean size as the text of a depth: whole packets or kilobytes, as the text before it, some steps more. */
export function depth_text(pkts, mean_packet_bytes, before, steps = 0) {
  if (/p[a-z]*\s*$/i.test(before) || mean_packet_bytes === null) {
    return `${Math.max(0, Math.round(pkts) + steps)}pkts`;
  }
  return `${Math.max(0, Math.round((pkts * mean_packet_bytes) / KB) + steps)}KB`;
}

/** The packets of such a text. */
export function pkts_of(text, mean_packet_bytes) {
  return text.endsWith("KB") ? (parseFloat(text) * KB) / mean_packet_bytes : parseFloat(text);
}

/** The time that a depth takes to leave a link; null: the link's rate or the packets' size is not known. */
export function delay_ms(pkts, profile, rate_bps) {
  const bytes = profile?.mean_packet_bytes ?? null;
  return pkts === null || bytes === null || rate_bps === null ? null : (pkts * bytes * 8 * 1000) / rate_bps;
}

/** The text of a quantity with its number some steps larger; null: it has no number. */
export function stepped(text, steps) {
  const parts = /^\s*([0-9]*\.?[0-9]+)\s*([A-Za-z/%]*)\s*$/.exec(text);
  if (parts === null) {
    return null;
  }
  const [, number, unit] = parts;
  const decimals = (number.split(".")[1] ?? "").length;
  const value = Number(number) + steps * 10 ** -decimals;
  return value < 0 ? null : `${value.toFixed(decimals)}${unit}`;
}

/** A moment as people read it: the time of day, or seconds of a run. */
export function moment(time_s, clock) {
  return clock === "unix" ? new Date(time_s * 1000).toLocaleTimeString("en-GB") : `${time_s.toFixed(1)} s`;
}

/** A sentence about what the page cannot show of a queue; "" where it shows all. */
export function reason({ profile, reason: said = null }) {
  if (said !== null) {
    return said;
  }
  if (profile === null) {
    return "This queue has no profile that the source can read: it has no thresholds and no curve to show.";
  }
  return "";
}
