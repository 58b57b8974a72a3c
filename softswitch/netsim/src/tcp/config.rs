// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Settings of TCP as a scenario gives them: a preset, and what differs from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where settings that are not given come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Preset {
    /// A host of today: RFC 5681, 6298, 3042, 7323's window scaling; SACK.
    #[default]
    #[serde(rename = "modern")]
    Modern,
    /// ns-2's one-way agents with the defaults of mid-2001.
    #[serde(rename = "ns2-2001")]
    Ns2,
    /// What `quench-host --paper` makes of Linux (docs/hosts.md).
    #[serde(rename = "linux-paper")]
    LinuxPaper,
}

/// How lost data is found and sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Fast recovery ends with the first new ACK (RFC 2581).
    Reno,
    /// RFC 6582.
    Newreno,
    /// RFC 6675.
    Sack,
}

/// What the two ends agree on about congestion marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EcnMode {
    Off,
    Rfc3168,
    /// Multilevel ECN, else RFC 3168.
    Mecn,
    /// RFC 3168 on the handshake; the receiver echoes each packet's mark (RFC 8257 section 3.2).
    Accurate,
}

/// Which packets are ECN-capable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ect {
    /// New data (RFC 3168).
    NewData,
    /// Data, retransmissions too (ns-2).
    Data,
    /// All packets after the handshake, ACKs too.
    All,
}

/// When an ISQ that is believed takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuenchTiming {
    AtOnce,
    /// With the next ACK, as in `host_stack/bpf`; a second one that comes until then counts as suppressed.
    NextAck,
}

/// The estimator of the retransmission timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timer {
    /// The least RTO bounds the sum.
    #[serde(rename = "rfc6298")]
    Rfc6298,
    /// The least RTO bounds what is added to the smoothed RTT.
    #[serde(rename = "linux")]
    Linux,
    /// Integer arithmetic in clock ticks; the RTO is bounded after the back-off.
    #[serde(rename = "ns2-2001")]
    Ns2,
}

/// Which rules beyond `recovery` the sender follows where ns-2 and the RFCs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sender {
    #[serde(rename = "rfc")]
    Rfc,
    #[serde(rename = "ns2-2001")]
    Ns2,
}

/// By what an ACK opens the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// By each packet that it acknowledges (RFC 3465).
    Packet,
    /// As if it acknowledged one packet.
    Ack,
}

/// A parameter of the window algorithm, as a number, as text or as a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    Switch(bool),
    Whole(u64),
    Real(f64),
    Text(String),
}

impl ParameterValue {
    /// As `quench-host --set` takes it.
    pub fn text(&self) -> String {
        match self {
            Self::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Settings of TCP; what is absent is the preset's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackConfig {
    #[serde(default)]
    pub preset: Preset,
    /// "plain" or a window algorithm of `host_stack/cc`; "plain" if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Parameters of the window algorithm, by name (docs/hosts.md).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, ParameterValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// If absent, what the algorithm needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ect: Option<Ect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quench: Option<QuenchTiming>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Sender>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// DSCP of all packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dscp: Option<u8>,
    /// Data of a full segment, without headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_bytes: Option<u32>,
    /// SYN, SYN-ACK, ACK. Without, the first data segment opens and both ends use their own settings as if agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<bool>,
    /// Whether closing is told to the other end. Without, the end that closes is done when all is acknowledged, and
    /// the other end hears nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fin: Option<bool>,
    /// One ACK for two segments, or after `delayed_ack_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ack: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ack_s: Option<f64>,
    /// Largest window of the sender and of the receiver, in segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_window_pkts: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_window_pkts: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<Timer>,
    /// Granularity of the clock that measures round trips, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_rto_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rto_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rto_s: Option<f64>,
    /// Timeouts of one segment after which the connection is given up; 0: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_timeouts: Option<u32>,
    /// Duplicate ACKs that show a loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dupack_threshold: Option<u32>,
    /// RFC 3042.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Whether the window grows where the application limits what is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grow_when_idle: Option<bool>,
    /// Whether a pause of one RTO sends the window back to the initial one (RFC 5681 section 4.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_after_idle: Option<bool>,
    /// Whether CWR is also set in retransmissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwr_on_retransmissions: Option<bool>,
    /// Whether a reduction at a window of one packet closes it until the retransmission timer fires (RFC 3168
    /// section 6.1.2), instead of leaving one packet. Stands above the parameter `min_cwnd_pkts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_may_close: Option<bool>,
    /// NewReno: a partial ACK takes what it acknowledges from the inflated window (RFC 6582), instead of all inflation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_deflation: Option<bool>,
    /// NewReno: only the first partial ACK restarts the retransmission timer (RFC 6582's "impatient").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impatient: Option<bool>,
    /// NewReno: recovery ends with no larger window than one segment more than is in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounded_exit: Option<bool>,
}
