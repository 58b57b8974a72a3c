// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The network at one moment, for those who watch it while it runs: queues, counters and windows. Nothing is kept.

use serde::Serialize;

use crate::cells::Cells;
use crate::collect::{program_counters, transport_totals};
use crate::measure::ProgramCounter;
use crate::network::Node;
use crate::sampling::newest_sender;
use crate::time::to_s;
use crate::transport::Counters;

/// Counts begin when the warm-up ends, but the program's, which begin with the simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Snapshot {
    pub now_s: f64,
    /// The directions out of routers, `ab` and `ba` of each link in turn.
    pub ports: Vec<PortNow>,
    pub sources: Vec<SourceNow>,
}

/// A direction out of a router.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PortNow {
    /// The name, such as "bottleneck.ab".
    pub direction: String,
    pub queues: Vec<QueueNow>,
    pub tx_bytes: u64,
    /// Packets that found the queue full.
    pub dropped_full_pkts: u64,
    /// All counters of the program that begin with `port_`, of this port.
    pub program: Vec<ProgramCounter>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueNow {
    pub pkts: u64,
    pub bytes: u64,
    /// RED's average; none if the program has none.
    pub average_pkts: Option<f64>,
}

/// A source of traffic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceNow {
    pub name: String,
    /// The connection that was opened last; none before the first, and of a source without connections.
    pub window: Option<WindowNow>,
    pub acked_bytes: u64,
    pub retransmitted_pkts: u64,
    /// Reactions to marks, source quenches and losses, timeouts too.
    pub reactions: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowNow {
    pub cwnd_pkts: f64,
    /// None: not set yet, or a transport without one.
    pub ssthresh_pkts: Option<f64>,
    pub srtt_s: Option<f64>,
}

pub fn take(cells: &mut Cells) -> Snapshot {
    Snapshot {
        now_s: to_s(cells.now()),
        ports: ports(cells),
        sources: sources(cells),
    }
}

fn ports(cells: &mut Cells) -> Vec<PortNow> {
    let mut ports = Vec::new();
    for index in 0..cells.directions() {
        let (network, place) = cells.beginning(index);
        let direction = &network.directions[place];
        let Node::Router(router, port) = direction.from else {
            continue;
        };
        let switch = &network.routers[router as usize].switch;
        let state = switch
            .port_get(port, network.now)
            .expect("the port was set up when the scenario was loaded");
        let queues = (0..).zip(&state.per_queue).map(|(number, queue)| QueueNow {
            pkts: queue.depth.pkts,
            bytes: queue.depth.bytes,
            average_pkts: network.average.pkts(switch, port, number),
        });
        ports.push(PortNow {
            direction: direction.name.clone(),
            queues: queues.collect(),
            tx_bytes: state.stats.tx_bytes,
            dropped_full_pkts: state.stats.dropped_full_pkts,
            program: program_counters(switch, port, &network.counters),
        });
    }
    ports
}

fn sources(cells: &mut Cells) -> Vec<SourceNow> {
    let totals = transport_totals(cells).into_iter().enumerate();
    let now = totals.map(|(index, totals)| {
        let (network, place) = cells.source(index);
        let network = &*network;
        let source = &network.sources[place];
        let newest = source.newest.and_then(|id| newest_sender(network, id));
        SourceNow {
            name: source.name.clone(),
            window: newest.map(|socket| WindowNow {
                cwnd_pkts: socket.cwnd_pkts(),
                ssthresh_pkts: Some(socket.ssthresh_pkts()).filter(|pkts| pkts.is_finite()),
                srtt_s: socket.srtt_ns().map(to_s),
            }),
            acked_bytes: totals.acked_bytes,
            retransmitted_pkts: totals.retransmitted_pkts,
            reactions: reactions(&totals),
        }
    });
    now.collect()
}

fn reactions(counts: &Counters) -> u64 {
    counts.reactions_isq_marked
        + counts.reactions_isq_dropped
        + counts.reactions_ece
        + counts.reactions_loss
        + counts.reactions_rto
        + counts.reactions_incipient
        + counts.reactions_moderate
        + counts.reactions_signal
        + counts.reactions_ack
}
