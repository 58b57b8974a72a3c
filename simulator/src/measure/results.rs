// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The results of a simulation.

use quench_dataplane::tm::{Depths, PortStats};
use serde::Serialize;

use super::crossing::Crossing;
use super::messages::Messages;
use super::series::Series;
use crate::packet::QuenchCounters;
use crate::traffic::Record;
use crate::transport::Counters;

/// All counts begin when the warm-up ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// The time at which the results were taken.
    pub now_s: f64,
    /// Time since the warm-up.
    pub measured_s: f64,
    /// `ab` and `ba` of each link in turn.
    pub directions: Vec<DirectionResults>,
    pub sources: Vec<SourceResults>,
    /// Index of the source, and its record.
    pub records: Vec<(usize, Record)>,
    pub messages: Messages,
    pub series: Vec<Series>,
    pub routers: Vec<RouterResults>,
    pub hosts: Vec<HostResults>,
    /// Events scheduled since the beginning of the simulation.
    pub events: u64,
}

/// A direction of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionResults {
    /// The name, such as "bottleneck.ab".
    pub name: String,
    /// Bits that the rate allowed; none if it was not always limited.
    pub capacity_bits: Option<f64>,
    /// Bits that left: of a packet in transmission those that have left by now, or that left since statistics began.
    pub sent_bits: f64,
    /// Packets that were queued or dropped (full queue, early, forced), as far as they are counted.
    pub offered_pkts: u64,
    pub offered_bytes: u64,
    /// Drops of all kinds: full queues, and what the P4 program dropped by its own count, or in egress if it counts
    /// nothing.
    pub dropped_pkts: u64,
    pub dropped_full_pkts: u64,
    /// Drops by the P4 program; none if it does not count them.
    pub dropped_early_pkts: Option<u64>,
    pub dropped_forced_pkts: Option<u64>,
    pub marked_pkts: Option<u64>,
    /// Packets whose transmission began.
    pub tx_pkts: u64,
    pub tx_bytes: u64,
    /// Lost on the wire.
    pub lost_pkts: u64,
    /// `sent_bits` over `capacity_bits`.
    pub utilisation: Option<f64>,
    /// Drops over offered packets; none if nothing was offered.
    pub loss: Option<f64>,
    /// All queues together.
    #[serde(flatten)]
    pub queue: Occupancy,
    /// Packets that arrived at the far end.
    pub crossing: Crossing,
    /// The queues of a router's port, if it has more than one.
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

/// The length of a queue over time.
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
    /// None if it is not kept.
    #[serde(skip)]
    pub depths: Option<Depths>,
    /// Moments of RED's average over the samples; none if it is not sampled.
    pub average_mean_pkts: Option<f64>,
    pub average_sd_pkts: Option<f64>,
}

impl Occupancy {
    pub(crate) fn new(
        stats: &PortStats,
        average: Option<(f64, f64)>,
        depths: Option<Depths>,
    ) -> Self {
        Self {
            depths,
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
    pub(crate) fn new(
        stats: &PortStats,
        average: Option<(f64, f64)>,
        depths: Option<Depths>,
    ) -> Self {
        Self {
            offered_pkts: stats.enqueued_pkts + stats.dropped_full_pkts,
            dropped_full_pkts: stats.dropped_full_pkts,
            tx_pkts: stats.tx_pkts,
            tx_bytes: stats.tx_bytes,
            queue: Occupancy::new(stats, average, depths),
        }
    }
}

/// One cell of a counter array. Its bytes include Ethernet headers, as the P4 program counts.
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
    /// Connections opened.
    pub connections: u64,
    /// Both ends of all its connections together.
    #[serde(rename = "tcp")]
    pub transport: Counters,
    /// Payload of a full segment, and the headers before it from IP on; 0 before it has opened a connection.
    pub segment_bytes: u32,
    pub header_bytes: u32,
    /// Full segments' worth of data acknowledged; 0 without connections.
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
    /// Packets to the controller and from it.
    pub packet_ins: u64,
    pub packet_outs: u64,
    /// The switch's counts by name.
    pub switch: Vec<(&'static str, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostResults {
    pub name: String,
    /// Packets that no connection or source of the host expected.
    pub stray_pkts: u64,
    /// Source quenches that name no connection of the host. The others are counted with the sources.
    pub quench: QuenchCounters,
}
