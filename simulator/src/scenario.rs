// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The scenario: a network, its traffic, and its measurements.
//!
//! The JSON form is the interface to Python; docs/reference/simulator.md describes it.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::aqm::{CounterNames, FilterName};
use crate::error::{read, Error};
use crate::stacks::StackConfig;
use crate::traffic::SourceConfig;

/// The port of packet-ins and packet-outs in `quench.p4`.
pub const CPU_PORT: u32 = 510;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Seed of all random numbers.
    #[serde(default = "one")]
    pub seed: u64,
    pub duration_s: f64,
    /// The time at which statistics begin.
    #[serde(default)]
    pub warmup_s: f64,
    pub hosts: Vec<Host>,
    #[serde(default)]
    pub routers: Vec<Router>,
    pub links: Vec<Link>,
    #[serde(default)]
    pub stacks: BTreeMap<String, StackConfig>,
    #[serde(default)]
    pub sources: Vec<SourceConfig>,
    #[serde(default)]
    pub changes: Vec<Change>,
    #[serde(default)]
    pub measure: Measure,
    /// The counters of another program than `quench.p4`.
    pub counters: Option<CounterNames>,
    /// The filter of Tofino that has RED's average; none: the register of `quench.p4`, if there is one.
    pub average: Option<FilterName>,
}

fn one() -> u64 {
    1
}

/// An end host; exactly one link ends at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    pub name: String,
    pub address: Ipv4Addr,
    /// The router that is its network card; none: the link out of the host has a queue without a program.
    #[serde(default)]
    pub nic: Option<String>,
}

/// A router, which runs the P4 program. Its ports are numbered from 1 in the order of the links that end at it. No link
/// ends at a network card: port 1 leads out of its host, and port 2 to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Router {
    pub name: String,
    /// Time from a packet-in to the packet-out that answers it.
    #[serde(default)]
    pub controller_latency_s: f64,
    /// The port of packet-ins and packet-outs; 510, as `quench.p4` has it.
    #[serde(default = "cpu_port")]
    pub cpu_port: u32,
    /// Queues of each port, 1 to 8.
    #[serde(default = "one_queue")]
    pub queues: u8,
    /// Limit of the bytes that wait at all ports together; none: no limit.
    #[serde(default)]
    pub shared_buffer_bytes: Option<u64>,
    /// The number of times that the clock of the chip runs slower than time.
    #[serde(default = "full_speed")]
    pub slowdown: u32,
}

fn cpu_port() -> u32 {
    CPU_PORT
}

fn full_speed() -> u32 {
    1
}

fn one_queue() -> u8 {
    1
}

/// A link between two nodes, in both directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub name: String,
    pub a: String,
    pub b: String,
    /// Propagation delay of each direction.
    pub delay_s: f64,
    #[serde(default)]
    pub ab: Direction,
    #[serde(default)]
    pub ba: Direction,
}

/// One direction of a link: a queue and a wire. Sizes of packets are those of their IP packets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// None: a transmission takes no time.
    #[serde(default)]
    pub rate_bps: Option<f64>,
    /// Probability that a packet gets lost on the wire.
    #[serde(default)]
    pub loss: f64,
    /// Limit of each queue, without the packet in transmission; none: no limit.
    #[serde(default)]
    pub buffer_pkts: Option<u64>,
    #[serde(default)]
    pub buffer_bytes: Option<u64>,
    /// Scheduler of a router's port: "strict", "drr" or "scfq".
    #[serde(default)]
    pub scheduler: Option<String>,
    /// Weights of the queues from 0 on, for "drr" and "scfq".
    #[serde(default)]
    pub weights: Vec<f64>,
    /// Limits of the queues from 0 on, in place of `buffer_pkts`.
    #[serde(default)]
    pub queue_buffer_pkts: Vec<u64>,
    #[serde(default)]
    pub queue_buffer_bytes: Vec<u64>,
    /// Packets with this DSCP leave a host before all others that wait there.
    #[serde(default)]
    pub urgent_dscp: Option<u8>,
    /// The connections of a host send in turn, a packet each, when its link is free.
    #[serde(default)]
    pub turns: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    Ab,
    Ba,
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ab => "ab",
            Self::Ba => "ba",
        }
    }
}

/// A change of one direction of a link. A setting that is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub at_s: f64,
    pub link: String,
    pub direction: Way,
    #[serde(default)]
    pub rate_bps: Option<f64>,
    #[serde(default)]
    pub loss: Option<f64>,
    /// Delay of packets sent from then on. Packets never overtake one another.
    #[serde(default)]
    pub delay_s: Option<f64>,
    #[serde(default)]
    pub buffer_pkts: Option<u64>,
    #[serde(default)]
    pub buffer_bytes: Option<u64>,
}

/// Measurements besides the totals, which are always taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Interval of the samples of time series and of RED's average.
    pub series_interval_s: f64,
    /// Directions that get a time series, as "bottleneck.ab".
    pub series: Vec<String>,
    /// Directions of which the distribution of the queue is kept.
    pub queues: Vec<String>,
    /// Whether the first sources with connections get a time series of their windows.
    pub cwnd: bool,
    /// Most points of a time series; a longer one keeps every second point.
    pub max_points: usize,
    pub pcap: Vec<Pcap>,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            series_interval_s: 0.1,
            series: Vec::new(),
            queues: Vec::new(),
            cwnd: false,
            max_points: 20_000,
            pcap: Vec::new(),
        }
    }
}

/// A capture of what crosses a link, both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pcap {
    pub link: String,
    pub path: PathBuf,
}

impl Scenario {
    /// From its JSON form. The error says which field is wrong, and why.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let mut text = serde_json::Deserializer::from_str(json);
        let scenario = read(&mut text).map_err(|error| match error.place.as_str() {
            "" => Error::at("scenario", error.problem),
            _ => error,
        })?;
        text.end().map_err(|error| Error::at("scenario", error))?;
        Ok(scenario)
    }
}
