// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Everything that a simulation found out.

use quench_dataplane::tm::PortStats;
use serde::Serialize;

use super::{Crossing, Series, Totals};
use crate::packet::QuenchCounters;
use crate::traffic::Record;

/// All counts are from the warm-up's end on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// When the results were taken.
    pub now_s: f64,
    /// For how long was measured.
    pub measured_s: f64,
    /// `ab` and `ba` of each link in turn.
    pub directions: Vec<DirectionResults>,
    pub sources: Vec<SourceResults>,
    /// The source's place, and what it recorded.
    pub records: Vec<(usize, Record)>,
    pub series: Vec<Series>,
    pub routers: Vec<RouterResults>,
    pub hosts: Vec<HostResults>,
    /// Events that the simulation went through, from its beginning.
    pub events: u64,
}

/// A direction of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionResults {
    /// As "bottleneck.ab".
    pub name: String,
    /// Bits that the rate allowed; none where it was not limited.
    pub capacity_bits: Option<f64>,
    /// Packets that came to be sent: queued, or dropped in one of the three ways, as far as they are counted.
    pub offered_pkts: u64,
    pub offered_bytes: u64,
    pub dropped_full_pkts: u64,
    /// By the P4 program; none where it does not count them.
    pub dropped_early_pkts: Option<u64>,
    pub dropped_forced_pkts: Option<u64>,
    pub marked_pkts: Option<u64>,
    pub tx_pkts: u64,
    pub tx_bytes: u64,
    /// Lost on the wire.
    pub lost_pkts: u64,
    /// Sent bits over `capacity_bits`.
    pub utilisation: Option<f64>,
    /// Drops over offered packets; none if nothing was offered.
    pub loss: Option<f64>,
    /// All queues together.
    #[serde(flatten)]
    pub queue: Occupancy,
    /// What arrived at the far end.
    pub crossing: Crossing,
    /// Of a router's port with more than one.
    pub queues: Vec<QueueResults>,
    /// All counters of the program that begin with `port_`, of this port.
    pub program: Vec<ProgramCounter>,
}

/// One queue of a router's port.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueResults {
    pub offered_pkts: u64,
    pub dropped_full_pkts: u64,
    pub tx_pkts: u64,
    pub tx_bytes: u64,
    #[serde(flatten)]
    pub queue: Occupancy,
}

/// What waited, over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occupancy {
    #[serde(rename = "queue_mean_pkts")]
    pub mean_pkts: f64,
    #[serde(rename = "queue_sd_pkts")]
    pub sd_pkts: f64,
    #[serde(rename = "queue_max_pkts")]
    pub max_pkts: u64,
    #[serde(rename = "queue_mean_bytes")]
    pub mean_bytes: f64,
    #[serde(rename = "queue_sd_bytes")]
    pub sd_bytes: f64,
    #[serde(rename = "queue_max_bytes")]
    pub max_bytes: u64,
    /// Of RED's average, over the samples; none where it is not sampled.
    pub average_mean_pkts: Option<f64>,
    pub average_sd_pkts: Option<f64>,
}

impl Occupancy {
    pub(crate) fn new(stats: &PortStats, average: Option<(f64, f64)>) -> Self {
        Self {
            mean_pkts: stats.queue_pkts.mean,
            sd_pkts: stats.queue_pkts.sd,
            max_pkts: stats.max_depth.pkts,
            mean_bytes: stats.queue_bytes.mean,
            sd_bytes: stats.queue_bytes.sd,
            max_bytes: stats.max_depth.bytes,
            average_mean_pkts: average.map(|(mean, _)| mean),
            average_sd_pkts: average.map(|(_, sd)| sd),
        }
    }
}

impl QueueResults {
    pub(crate) fn new(stats: &PortStats, average: Option<(f64, f64)>) -> Self {
        Self {
            offered_pkts: stats.enqueued_pkts + stats.dropped_full_pkts,
            dropped_full_pkts: stats.dropped_full_pkts,
            tx_pkts: stats.tx_pkts,
            tx_bytes: stats.tx_bytes,
            queue: Occupancy::new(stats, average),
        }
    }
}

/// One cell of a counter array. Bytes are those that the program counts: with Ethernet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramCounter {
    pub name: String,
    pub packets: u64,
    pub bytes: u64,
}

/// A source of traffic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceResults {
    pub name: String,
    pub group: Option<String>,
    /// TCP connections opened.
    pub connections: u64,
    /// Both ends of all its connections together.
    pub tcp: Totals,
    /// Full segments' worth of data acknowledged; 0 without TCP.
    pub acked_pkts: f64,
    pub datagrams_sent: u64,
    pub datagrams_received: u64,
    /// Payload of datagrams received.
    pub datagram_bytes_received: u64,
    /// One way, of packets with data, from the sender's transport to the receiver's.
    pub delay_mean_s: Option<f64>,
    pub jitter_s: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouterResults {
    pub name: String,
    /// What went to the controller and came back from it.
    pub packet_ins: u64,
    pub packet_outs: u64,
    /// The switch's own counts.
    pub switch: Vec<(&'static str, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostResults {
    pub name: String,
    /// Packets that arrived and belonged to nothing.
    pub stray_pkts: u64,
    /// Source quenches that no connection could be asked about; the others are with the sources.
    pub quench: QuenchCounters,
}
