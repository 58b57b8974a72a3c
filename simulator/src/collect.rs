// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Results from the counts of the network.

use quench_dataplane::tm::PortStats;
use quench_dataplane::Switch;

use crate::aqm::CounterNames;
use crate::measure::{
    Crossing, DirectionResults, HostResults, Occupancy, ProgramCounter, QueueResults, Results,
    RouterResults, SourceResults,
};
use crate::network::{add_counts, Direction, Network, Node, Router, SourceCounts};
use crate::packet::layout::ETHERNET_BYTES;
use crate::packet::QuenchCounters;
use crate::sampling::Sampling;
use crate::time::{to_s, NS_PER_S};
use crate::transport::Counters;

/// More than changes of rate, each rounded to a nanosecond, add to the used share of a capacity.
const ROUNDED_SHARE: f64 = 1e-6;

/// Counts that cannot be reset, as they were when statistics began.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The program's counters of each direction.
    program: Vec<Vec<ProgramCounter>>,
    switch: Vec<Vec<(&'static str, u64)>>,
    /// The part of the packet in transmission that had not left each direction's beginning, in bits times the
    /// nanoseconds of a second.
    unsent_bit_ns: Vec<u128>,
}

impl Baseline {
    pub fn new(directions: &[Direction], routers: &[Router], names: &CounterNames) -> Self {
        let program = |direction: &Direction| match direction.from {
            Node::Router(router, port) => {
                program_counters(&routers[router as usize].switch, port, names)
            }
            Node::Host(_) => Vec::new(),
        };
        Self {
            program: directions.iter().map(program).collect(),
            switch: routers.iter().map(|router| router.switch.stats()).collect(),
            unsent_bit_ns: vec![0; directions.len()],
        }
    }
}

/// Statistics begin now: resets all counts, and returns those that cannot be reset.
pub fn begin(network: &mut Network, sampling: &mut Sampling) -> Baseline {
    let now = network.now;
    sampling.keep_counts(network);
    for wire in &mut network.wires {
        wire.reset_stats(now);
    }
    for router in &mut network.routers {
        for port in 1..=router.directions.len() as u32 {
            let reset = router.switch.port_reset_stats(port, now);
            reset.expect("the port was set up when the scenario was loaded");
        }
        router.packet_ins = 0;
        router.packet_outs = 0;
    }
    for direction in &mut network.directions {
        direction.crossing = Crossing::default();
        direction.capacity.reset(now);
    }
    for host in &mut network.hosts {
        host.stray_pkts = 0;
        host.quench = QuenchCounters::default();
    }
    for source in &mut network.sources {
        source.counts = SourceCounts::default();
    }
    for pair in network.connections.all_mut() {
        for end in &mut pair.ends {
            if let Some(socket) = &end.socket {
                end.before = *socket.counters();
            }
            end.last_delay_ns = None;
        }
    }
    let counters = Baseline::new(&network.directions, &network.routers, &network.counters);
    Baseline {
        unsent_bit_ns: (0..network.directions.len())
            .map(|direction| network.unsent_bit_ns(direction))
            .collect(),
        ..counters
    }
}

pub fn results(
    network: &mut Network,
    sampling: &Sampling,
    baseline: &Baseline,
    host_names: &[String],
) -> Results {
    let now = network.now;
    let directions = (0..network.directions.len())
        .map(|index| direction(network, sampling, baseline, index))
        .collect();
    Results {
        now_s: to_s(now),
        measured_s: to_s(now.saturating_sub(network.warmup_ns)),
        directions,
        sources: sources(network),
        records: network.records.clone(),
        series: sampling.series().cloned().collect(),
        routers: routers(network, baseline),
        hosts: hosts(network, host_names),
        events: network.events.scheduled(),
    }
}

fn direction(
    network: &mut Network,
    sampling: &Sampling,
    baseline: &Baseline,
    index: usize,
) -> DirectionResults {
    let now = network.now;
    let unsent_bit_ns = network.unsent_bit_ns(index);
    let this = &network.directions[index];
    let mut watched = sampling.watched.iter();
    let watched = watched.find(|watched| watched.direction == index);
    let (stats, lost_pkts, queues, program) = match this.from {
        Node::Host(host) => {
            let (stats, lost_pkts) = network.wires[host as usize].stats(now);
            (stats, lost_pkts, Vec::new(), Vec::new())
        }
        Node::Router(router, port) => {
            let switch = &network.routers[router as usize].switch;
            let state = switch
                .port_get(port, now)
                .expect("the port was set up when the scenario was loaded");
            let mut queues = Vec::new();
            if state.per_queue.len() > 1 {
                for (number, queue) in state.per_queue.iter().enumerate() {
                    let average = watched.and_then(|watched| watched.queues.get(number));
                    let average = average.and_then(|average| average.moments());
                    queues.push(QueueResults::new(&queue.stats, average));
                }
            }
            let mut program = program_counters(switch, port, &network.counters);
            for (counter, before) in program.iter_mut().zip(&baseline.program[index]) {
                counter.packets -= before.packets;
                counter.bytes -= before.bytes;
            }
            (state.stats, state.lost_on_link_pkts, queues, program)
        }
    };
    let average = watched.and_then(|watched| watched.average.moments());
    let counter = |names: &[String]| {
        // A packet that leaves a host has met no P4 program, so its count is 0 and not unknown.
        let nothing = matches!(this.from, Node::Host(_)).then_some((0, 0));
        let found = program.iter().filter(|each| names.contains(&each.name));
        let counted = found.map(|counter| {
            let ethernet = counter.packets * ETHERNET_BYTES as u64;
            (counter.packets, counter.bytes.saturating_sub(ethernet))
        });
        let sum = counted.reduce(|sum, each| (sum.0 + each.0, sum.1 + each.1));
        sum.or(nothing)
    };
    let pkts = |counted: Option<(u64, u64)>| counted.map(|(pkts, _)| pkts);
    let names = &network.counters;
    let (early, forced) = (
        counter(&names.dropped_early),
        counter(&names.dropped_forced),
    );
    let (early_pkts, early_bytes) = early.unwrap_or_default();
    let (forced_pkts, forced_bytes) = forced.unwrap_or_default();
    let capacity_bit_ns = this.capacity.bit_ns(now).filter(|bit_ns| *bit_ns > 0);
    let PortStats {
        enqueued_pkts,
        enqueued_bytes,
        dropped_full_pkts,
        dropped_full_bytes,
        dropped_egress_pkts,
        dropped_egress_bytes,
        given_up_pkts,
        tx_pkts,
        tx_bytes,
        ..
    } = stats;
    // A program that counts its drops counts those of its egress, too.
    let counts_drops = early.is_some() || forced.is_some();
    let (by_program_pkts, by_program_bytes) = if counts_drops {
        (early_pkts + forced_pkts, early_bytes + forced_bytes)
    } else {
        (dropped_egress_pkts, dropped_egress_bytes)
    };
    // A packet that egress dropped was enqueued before.
    let before_queue_pkts = by_program_pkts.saturating_sub(dropped_egress_pkts);
    let before_queue_bytes = by_program_bytes.saturating_sub(dropped_egress_bytes);
    let dropped_pkts = dropped_full_pkts + by_program_pkts + given_up_pkts;
    let offered_pkts = enqueued_pkts + dropped_full_pkts + before_queue_pkts;
    let begun_bit_ns = u128::from(tx_bytes) * 8 * u128::from(NS_PER_S);
    let sent_bit_ns = (begun_bit_ns + baseline.unsent_bit_ns[index]).saturating_sub(unsent_bit_ns);
    DirectionResults {
        name: this.name.clone(),
        capacity_bits: capacity_bit_ns.map(bits),
        sent_bits: bits(sent_bit_ns),
        offered_pkts,
        offered_bytes: enqueued_bytes + dropped_full_bytes + before_queue_bytes,
        dropped_pkts,
        dropped_full_pkts,
        dropped_early_pkts: pkts(early),
        dropped_forced_pkts: pkts(forced),
        marked_pkts: pkts(counter(&names.marked)),
        tx_pkts,
        tx_bytes,
        lost_pkts,
        utilisation: capacity_bit_ns.map(|most| utilisation(sent_bit_ns, most)),
        loss: (offered_pkts > 0).then(|| dropped_pkts as f64 / offered_pkts as f64),
        queue: Occupancy::new(&stats, average),
        crossing: this.crossing,
        queues,
        program,
    }
}

/// The used share of a capacity. More than all is shown as it is, but for what a change of rate makes: it is rounded
/// to a nanosecond.
fn utilisation(sent_bit_ns: u128, capacity_bit_ns: u128) -> f64 {
    let share = sent_bit_ns as f64 / capacity_bit_ns as f64;
    if share < 1.0 + ROUNDED_SHARE {
        share.min(1.0)
    } else {
        share
    }
}

fn bits(bit_ns: u128) -> f64 {
    bit_ns as f64 / NS_PER_S as f64
}

/// The cells of a port in the counter arrays whose names begin with `port_`.
/// Counters that are named, and those of `quench.p4`, whose names say that they count by port.
pub fn program_counters(switch: &Switch, port: u32, names: &CounterNames) -> Vec<ProgramCounter> {
    let arrays = switch
        .program()
        .map_or(&[][..], |program| &program.counters);
    let of_ports = arrays.iter().filter(|array| {
        array.direct_table.is_none()
            && (by_port(&array.name) || names.all().any(|name| name == array.name))
            && array.size > u64::from(port)
    });
    let read = of_ports.filter_map(|array| {
        let value = switch.counter_read(&array.name, u64::from(port)).ok()?;
        Some(ProgramCounter {
            name: array.name.clone(),
            packets: value.packets,
            bytes: value.bytes,
        })
    });
    read.collect()
}

/// Whether the last part of a counter's name says that it counts by port.
fn by_port(name: &str) -> bool {
    let last = name.rsplit('.').next();
    last.is_some_and(|last| last.starts_with("port_"))
}

/// The counts of each source's transport, both ends of all its connections together.
pub fn transport_totals(network: &Network) -> Vec<Counters> {
    let mut totals: Vec<Counters> = network
        .sources
        .iter()
        .map(|source| source.counts.transport)
        .collect();
    for pair in network.connections.all() {
        add_counts(&mut totals[pair.source as usize], pair);
    }
    totals
}

fn sources(network: &Network) -> Vec<SourceResults> {
    let totals = transport_totals(network);
    let sources = network.sources.iter().zip(totals);
    let result = sources.map(|(source, transport)| SourceResults {
        name: source.name.clone(),
        group: source.group.clone(),
        connections: source.counts.connections,
        transport,
        acked_pkts: match source.segment_bytes {
            0 => 0.0,
            bytes => transport.acked_bytes as f64 / f64::from(bytes),
        },
        datagrams_sent: source.counts.datagrams_sent,
        datagrams_received: source.counts.datagrams_received,
        datagram_bytes_received: source.counts.datagram_bytes_received,
        delay_mean_s: source.counts.delays.mean_s(),
        jitter_s: source.counts.delays.jitter_s(),
    });
    result.collect()
}

fn routers(network: &Network, baseline: &Baseline) -> Vec<RouterResults> {
    let routers = network.routers.iter();
    let results = routers.zip(&baseline.switch);
    results
        .map(|(router, before)| {
            let counts = router.switch.stats().into_iter().zip(before);
            RouterResults {
                name: router.name.clone(),
                packet_ins: router.packet_ins,
                packet_outs: router.packet_outs,
                switch: counts
                    .map(|((name, now), (_, before))| (name, now - before))
                    .collect(),
            }
        })
        .collect()
}

fn hosts(network: &Network, names: &[String]) -> Vec<HostResults> {
    let hosts = network.hosts.iter().zip(names);
    hosts
        .map(|(host, name)| HostResults {
            name: name.clone(),
            stray_pkts: host.stray_pkts,
            quench: host.quench,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::utilisation;

    #[test]
    fn only_what_rounding_adds_to_a_full_link_is_left_out() {
        let second = u128::from(crate::time::NS_PER_S);
        let most = 10_000_000 * second;
        assert_eq!(utilisation(most / 2, most), 0.5);
        assert_eq!(utilisation(most + 10_000_000, most), 1.0);
        assert_eq!(utilisation(most + most / 100, most), 1.01);
    }
}
