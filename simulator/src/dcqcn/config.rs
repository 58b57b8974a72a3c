// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of a stack with DCQCN, and their checks.

use serde::{Deserialize, Serialize};

use super::presets::Preset;
use super::rate::Rules;
use super::signals::{Signals, SwitchSignals};
use crate::error::Error;
use crate::packet::roce::packet_bytes;
use crate::packet::IpVersion;
use crate::time::{from_s, Ns, NS_PER_S};
use crate::transport::settings::{between, check_segment_bytes, rate, seconds};

/// No window has more.
const MAX_WINDOW_BYTES: u64 = 1 << 30;
/// The least time between two increases, as each is worked out one by one.
const MIN_INCREASE_S: f64 = 1e-6;
/// HPCC's ns-3 code sends no second NAK within this time.
const USUAL_NAK_NS: Ns = 500_000;

/// Settings of a stack with `"transport": "dcqcn"`. Those that are none are the preset's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DcqcnConfig {
    #[serde(default)]
    pub preset: Preset,
    /// The rate of the hosts' links, at which flows begin.
    pub rate_bps: f64,
    /// The round trip without queues.
    pub base_rtt_s: f64,
    /// Payload of a full packet.
    pub segment_bytes: u32,
    /// The version of IP: 4 or 6.
    #[serde(default = "six")]
    pub ip: u8,
    #[serde(default)]
    pub window: Window,
    /// The window at the full rate; none: what the link carries in the base RTT.
    #[serde(default)]
    pub window_bytes: Option<u64>,
    /// Time without progress after which everything in flight is sent again.
    #[serde(default = "timeout_s")]
    pub timeout_s: f64,
    /// The time after which a receiver asks again for a packet that is still missing; none: 500 us, and at least the base RTT.
    #[serde(default)]
    pub nak_interval_s: Option<f64>,
    /// The DSCP of packets with data, of ACKs and NAKs, and of CNPs.
    #[serde(default)]
    pub dscp: u8,
    #[serde(default = "ack_dscp")]
    pub ack_dscp: u8,
    #[serde(default = "cnp_dscp")]
    pub cnp_dscp: u8,
    /// False: the rate stays as it begins, whatever signals come.
    #[serde(default = "yes")]
    pub reacts: bool,
    /// The sender obeys its receiver's CNPs.
    #[serde(default = "yes")]
    pub receiver_cnps: bool,
    /// The sender's reaction to signals of switches.
    #[serde(default)]
    pub switch_signals: SwitchSignals,
    /// The part of the rate that `switch_signals: cut` takes.
    #[serde(default)]
    pub cut_share: Option<f64>,
    #[serde(default)]
    pub alpha_interval_s: Option<f64>,
    #[serde(default)]
    pub decrease_interval_s: Option<f64>,
    #[serde(default)]
    pub increase_interval_s: Option<f64>,
    #[serde(default)]
    pub gain: Option<f64>,
    #[serde(default)]
    pub recovery_stages: Option<u32>,
    #[serde(default)]
    pub increase_bps: Option<f64>,
    #[serde(default)]
    pub hyper_increase_bps: Option<f64>,
    #[serde(default)]
    pub min_rate_bps: Option<f64>,
    /// 0: the timer alone raises the rate.
    #[serde(default)]
    pub byte_counter_bytes: Option<u64>,
    #[serde(default)]
    pub clamp_target: Option<bool>,
    #[serde(default)]
    pub cut_at_once: Option<bool>,
    /// The least time between two CNPs of the receiver; 0: a CNP for each packet with a mark.
    #[serde(default)]
    pub cnp_interval_s: Option<f64>,
}

/// The limit of what is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    #[default]
    None,
    Fixed,
    /// It shrinks and grows with the rate.
    Rate,
}

/// The settings, checked.
#[derive(Debug)]
pub(super) struct Settings {
    pub version: IpVersion,
    pub segment_bytes: u32,
    pub base_rtt_ns: Ns,
    pub window: Window,
    pub window_bytes: u64,
    pub timeout_ns: Ns,
    pub nak_interval_ns: Ns,
    pub dscp: u8,
    pub ack_dscp: u8,
    pub cnp_dscp: u8,
    pub cnp_interval_ns: Ns,
    pub signals: Signals,
    pub rules: Rules,
}

fn six() -> u8 {
    6
}

fn timeout_s() -> f64 {
    0.01
}

/// Expedited forwarding (RFC 3246).
fn ack_dscp() -> u8 {
    46
}

/// The DSCP of common cards' CNPs.
fn cnp_dscp() -> u8 {
    48
}

fn yes() -> bool {
    true
}

impl DcqcnConfig {
    pub(super) fn checked(&self) -> Result<Settings, Error> {
        let version = match self.ip {
            4 => IpVersion::V4,
            6 => IpVersion::V6,
            other => return Err(Error::at("ip", format!("must be 4 or 6, not {other}"))),
        };
        check_segment_bytes(self.segment_bytes)?;
        let base_rtt_ns = seconds("base_rtt_s", self.base_rtt_s, 1.0)?;
        let rules = self.rules()?;
        let values = self.preset.values(self.rate_bps);
        for (field, dscp) in [
            ("dscp", self.dscp),
            ("ack_dscp", self.ack_dscp),
            ("cnp_dscp", self.cnp_dscp),
        ] {
            between(field, dscp.into(), 0, 63)?;
        }
        let nak_interval_ns = match self.nak_interval_s {
            Some(time) => seconds("nak_interval_s", time, 3600.0)?,
            None => USUAL_NAK_NS.max(base_rtt_ns),
        };
        let cnp_interval_s = self.cnp_interval_s.unwrap_or(values.cnp_interval_s);
        Ok(Settings {
            version,
            segment_bytes: self.segment_bytes,
            base_rtt_ns,
            window: self.window,
            window_bytes: self.checked_window(rules.full_bps, base_rtt_ns)?,
            timeout_ns: seconds("timeout_s", self.timeout_s, 3600.0)?,
            nak_interval_ns,
            dscp: self.dscp,
            ack_dscp: self.ack_dscp,
            cnp_dscp: self.cnp_dscp,
            cnp_interval_ns: interval("cnp_interval_s", cnp_interval_s, 0.0)?,
            signals: Signals::new(
                self.reacts,
                self.receiver_cnps,
                self.switch_signals,
                self.cut_share,
            )?,
            rules,
        })
    }

    /// The window at the full rate.
    fn checked_window(&self, full_bps: u64, base_rtt_ns: Ns) -> Result<u64, Error> {
        if self.window == Window::None {
            return match self.window_bytes {
                None => Ok(0),
                Some(_) => Err(Error::at("window_bytes", "is for a window only")),
            };
        }
        let bits = u128::from(full_bps) * u128::from(base_rtt_ns) / u128::from(NS_PER_S);
        let (field, bytes) = match self.window_bytes {
            Some(bytes) => ("window_bytes", bytes),
            None => ("base_rtt_s", u64::try_from(bits / 8).unwrap_or(u64::MAX)),
        };
        let least = u64::from(self.segment_bytes);
        if !(least..=MAX_WINDOW_BYTES).contains(&bytes) {
            let problem = format!(
                "the window must be from segment_bytes ({least}) to {MAX_WINDOW_BYTES} bytes, not {bytes}"
            );
            return Err(Error::at(field, problem));
        }
        Ok(bytes)
    }

    fn rules(&self) -> Result<Rules, Error> {
        let full_bps = rate("rate_bps", self.rate_bps)?;
        let values = self.preset.values(self.rate_bps);
        let min_rate_bps = self.min_rate_bps.unwrap_or(values.min_rate_bps);
        let min_bps = rate("min_rate_bps", min_rate_bps)?;
        if min_bps > full_bps {
            let problem = format!("must be rate_bps ({full_bps}) at most, not {min_bps}");
            return Err(Error::at("min_rate_bps", problem));
        }
        let time = |field, own: Option<f64>, usual: f64, least: f64| {
            interval(field, own.unwrap_or(usual), least)
        };
        let more = |field, own: Option<f64>, usual: f64| rate(field, own.unwrap_or(usual));
        let gain = self.gain.unwrap_or(values.gain);
        if !(1e-6..=1.0).contains(&gain) {
            let problem = format!("must be from 1e-6 to 1, not {gain}");
            return Err(Error::at("gain", problem));
        }
        let recovery_stages = self.recovery_stages.unwrap_or(values.recovery_stages);
        between("recovery_stages", recovery_stages, 0, 1000)?;
        let byte_counter = self.byte_counter_bytes.unwrap_or(values.byte_counter_bytes);
        let packet = u64::from(packet_bytes(IpVersion::V6, self.segment_bytes));
        if byte_counter > 0 && byte_counter < packet {
            let problem = format!("must be 0 or at least a packet ({packet}), not {byte_counter}");
            return Err(Error::at("byte_counter_bytes", problem));
        }
        let usual = values.hyper_increase_bps;
        Ok(Rules {
            full_bps,
            min_bps,
            alpha_ns: time(
                "alpha_interval_s",
                self.alpha_interval_s,
                values.alpha_interval_s,
                1e-9,
            )?,
            decrease_ns: time(
                "decrease_interval_s",
                self.decrease_interval_s,
                values.decrease_interval_s,
                1e-9,
            )?,
            increase_ns: time(
                "increase_interval_s",
                self.increase_interval_s,
                values.increase_interval_s,
                MIN_INCREASE_S,
            )?,
            gain,
            recovery_stages,
            increase_bps: more("increase_bps", self.increase_bps, values.increase_bps)?,
            hyper_increase_bps: more("hyper_increase_bps", self.hyper_increase_bps, usual)?,
            byte_counter,
            clamps_target: self.clamp_target.unwrap_or(values.clamp_target),
            at_once: self.cut_at_once.unwrap_or(values.cut_at_once),
        })
    }
}

/// A time of at least so many seconds, and a second at most.
fn interval(field: &str, value: f64, least: f64) -> Result<Ns, Error> {
    if (least..=1.0).contains(&value) {
        return Ok(from_s(value));
    }
    let problem = format!("must be a time from {least} to 1 seconds, not {value}");
    Err(Error::at(field, problem))
}
