// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of TCP in a scenario: a preset, and the settings that differ from it.
//!
//! docs/reference/simulator.md has a table of them; `stack.rs` has the values of each preset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The source of all settings that are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Preset {
    /// A host of today: RFC 5681, 6298 and 3042, window scaling (RFC 7323), SACK (RFC 6675).
    #[default]
    #[serde(rename = "modern")]
    Modern,
    /// ns-2's one-way agents with the defaults of mid-2001.
    #[serde(rename = "ns2-2001")]
    Ns2,
    /// Linux under `quench-host enable --paper` (docs/hosts.md).
    #[serde(rename = "linux-paper")]
    LinuxPaper,
}

/// Loss recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Fast recovery ends with the first new ACK (RFC 2581 section 3.2).
    Reno,
    /// Partial ACKs keep fast recovery going (RFC 6582).
    Newreno,
    /// Selective acknowledgments (RFC 6675).
    Sack,
}

/// The ECN variant that an end offers or accepts in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EcnMode {
    Off,
    Rfc3168,
    /// Multilevel ECN; RFC 3168 with a peer that does not know it.
    Mecn,
    /// The handshake of RFC 3168; the receiver echoes each packet's mark (RFC 8257 section 3.2).
    Accurate,
    /// Accurate ECN (RFC 9768); RFC 3168 with a peer that does not know it.
    #[serde(rename = "accecn")]
    AccEcn,
}

/// The packets that are sent as ECN-capable (ECT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ect {
    /// New data only (RFC 3168 section 6.1.5).
    NewData,
    /// All data, retransmissions included (ns-2).
    Data,
    /// All packets after the handshake, ACKs included.
    All,
}

/// The time at which an accepted ISQ takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuenchTiming {
    AtOnce,
    /// With the next ACK, as in `host_stack/bpf`. A second ISQ before that ACK counts as suppressed.
    NextAck,
}

/// The estimator of the retransmission timeout (RTO).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timer {
    /// `min_rto_s` bounds the sum of the smoothed RTT and the variation (RFC 6298 section 2.4).
    #[serde(rename = "rfc6298")]
    Rfc6298,
    /// `min_rto_s` bounds the variation, before it is added to the smoothed RTT.
    #[serde(rename = "linux")]
    Linux,
    /// Integer arithmetic in clock ticks; `min_rto_s` bounds the RTO after the back-off.
    #[serde(rename = "ns2-2001")]
    Ns2,
}

/// The rules of the sender where ns-2 and the RFCs differ, beyond `recovery`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SenderRules {
    #[serde(rename = "rfc")]
    Rfc,
    #[serde(rename = "ns2-2001")]
    Ns2,
}

/// The growth of the window for one ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// For each packet that it acknowledges (RFC 3465).
    Packet,
    /// For one packet, however many it acknowledges.
    Ack,
}

/// A parameter of the window algorithm: a number, a text, or on and off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    Switch(bool),
    Whole(u64),
    Real(f64),
    Text(String),
}

impl ParameterValue {
    /// The value as `quench-host --set` takes it.
    pub fn text(&self) -> String {
        match self {
            Self::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Settings of the TCP of a host. An absent one has the preset's value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TcpConfig {
    pub preset: Preset,

    // The window algorithm and the signals of congestion.
    /// "plain" (the default), or a window algorithm of `host_stack/cc`.
    pub algorithm: Option<String>,
    /// Parameters of the window algorithm, by name (docs/hosts.md).
    pub parameters: BTreeMap<String, ParameterValue>,
    pub recovery: Option<Recovery>,
    /// If absent, the variant that the algorithm needs.
    pub ecn: Option<EcnMode>,
    pub ect: Option<Ect>,
    pub quench: Option<QuenchTiming>,
    pub sender: Option<SenderRules>,
    pub growth: Option<Growth>,

    // Packets and connections.
    /// DSCP of all packets.
    pub dscp: Option<u8>,
    /// Payload of a full segment.
    pub segment_bytes: Option<u32>,
    /// Whether a connection opens with SYN, SYN-ACK and ACK. If not, the first data segment opens it, and each end
    /// assumes that the peer has the same settings.
    pub handshake: Option<bool>,
    /// Whether an end that closes sends a FIN. If not, it is finished when all its data is acknowledged, and the peer
    /// gets no event.
    pub fin: Option<bool>,
    /// Whether one ACK covers two segments, or waits for `delayed_ack_s` (RFC 5681 section 4.2).
    pub delayed_ack: Option<bool>,
    pub delayed_ack_s: Option<f64>,
    /// Largest congestion window, and receive window, in full segments.
    pub max_window_pkts: Option<u32>,
    pub initial_window_pkts: Option<u32>,

    // The retransmission timer.
    pub timer: Option<Timer>,
    /// Granularity of the clock that measures round trips.
    pub clock_s: Option<f64>,
    pub initial_rto_s: Option<f64>,
    pub min_rto_s: Option<f64>,
    pub max_rto_s: Option<f64>,
    /// Timeouts of one segment after which the connection fails; 0: never.
    pub max_timeouts: Option<u32>,

    // Single rules of the sender.
    /// Duplicate ACKs that show a loss.
    pub dupack_threshold: Option<u32>,
    /// Whether the first duplicate ACKs each let one new segment be sent (RFC 3042).
    pub limited_transmit: Option<bool>,
    /// Whether the window grows while the application, not the window, limits what is sent (RFC 7661).
    pub grow_when_idle: Option<bool>,
    /// Whether a pause of one RTO sets the window back to the initial one (RFC 5681 section 4.1).
    pub restart_after_idle: Option<bool>,
    /// Whether CWR may be set in retransmissions.
    pub cwr_on_retransmissions: Option<bool>,
    /// Whether a reduction at a window of one packet closes the window until the retransmission timer fires (RFC 3168
    /// section 6.1.2). If not, one packet is left. Has precedence over the parameter `min_cwnd_pkts`.
    pub window_may_close: Option<bool>,
    /// NewReno: whether a partial ACK deflates the window by what it acknowledges (RFC 6582 section 3.2 step 3),
    /// instead of by the whole inflation.
    pub partial_deflation: Option<bool>,
    /// NewReno: whether only the first partial ACK restarts the retransmission timer (RFC 6582's "impatient"
    /// variant).
    pub impatient: Option<bool>,
    /// NewReno: whether the window after recovery is at most one segment more than the flight (RFC 6582 section 3.2
    /// step 3).
    pub bounded_exit: Option<bool>,
}
