// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Results from the counts of the network.

use quench_dataplane::tm::PortStats;
use quench_dataplane::Switch;

use crate::aqm::CounterNames;
use crate::cells::Cells;
use crate::measure::{
    Crossing, DirectionResults, HostResults, Messages, Occupancy, ProgramCounter, QueueResults,
    Results, RouterResults, SourceResults,
};
use crate::network::{add_counts, Network, Node, Source, SourceCounts};
use crate::packet::layout::ETHERNET_BYTES;
use crate::packet::QuenchCounters;
use crate::sampling::Sampling;
use crate::time::{to_s, NS_PER_S};
use crate::traffic::Record;
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
    pub fn new(cells: &mut Cells) -> Self {
        let directions = 0..cells.directions();
        let mut program = Vec::new();
        let mut unsent_bit_ns = Vec::new();
        for direction in directions {
            let (network, direction) = cells.beginning(direction);
            unsent_bit_ns.push(network.unsent_bit_ns(direction));
            program.push(match network.directions[direction].from {
                Node::Router(router, port) => {
                    let switch = &network.routers[router as usize].switch;
                    program_counters(switch, port, &network.counters)
                }
                Node::Host(_) | Node::Away { .. } => Vec::new(),
            });
        }
        let routers = 0..cells.routers();
        let switch = routers.map(|router| {
            let (network, router) = cells.router(router);
            network.routers[router].switch.stats()
        });
        Self {
            switch: switch.collect(),
            program,
            unsent_bit_ns,
        }
    }
}

/// Statistics begin now: resets all counts, and returns those that cannot be reset.
pub fn begin(cells: &mut Cells, sampling: &mut Sampling) -> Baseline {
    sampling.keep_counts(cells);
    for network in cells.networks() {
        reset(network);
    }
    Baseline::new(cells)
}

fn reset(network: &mut Network) {
    let now = network.now;
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
}

/// `events` were scheduled outside of the cells.
pub fn results(
    cells: &mut Cells,
    sampling: &Sampling,
    baseline: &Baseline,
    events: u64,
) -> Results {
    let network = cells.any();
    let (now, warmup_ns) = (network.now, network.warmup_ns);
    let directions = (0..cells.directions())
        .map(|index| direction(cells, sampling, baseline, index))
        .collect();
    Results {
        now_s: to_s(now),
        measured_s: to_s(now.saturating_sub(warmup_ns)),
        directions,
        sources: sources(cells),
        records: records(cells),
        messages: messages(cells),
        series: sampling.series().cloned().collect(),
        routers: routers(cells, baseline),
        hosts: hosts(cells),
        events: events + cells.scheduled(),
    }
}

/// The records in the order of recording; of several cells, one source's after another's.
fn records(cells: &mut Cells) -> Vec<(usize, Record)> {
    let several = cells.count() > 1;
    let of_cells = cells.networks().flat_map(|network| &network.records);
    let mut records: Vec<_> = of_cells.cloned().collect();
    if several {
        records.sort_by_key(|(source, _)| *source);
    }
    records
}

/// The messages, ordered as [`records`].
fn messages(cells: &mut Cells) -> Messages {
    let numbers = cells.host_numbers();
    let several = cells.count() > 1;
    let mut all = Messages::default();
    for (network, numbers) in cells.networks().zip(&numbers) {
        all.append(&network.messages, numbers);
    }
    if several {
        all.sort_by_source();
    }
    all
}

fn direction(
    cells: &mut Cells,
    sampling: &Sampling,
    baseline: &Baseline,
    index: usize,
) -> DirectionResults {
    let (network, end) = cells.end(index);
    let crossing = network.directions[end].crossing;
    let (network, beginning) = cells.beginning(index);
    let now = network.now;
    let unsent_bit_ns = network.unsent_bit_ns(beginning);
    let this = &network.directions[beginning];
    let mut watched = sampling.watched.iter();
    let watched = watched.find(|watched| watched.direction == index);
    let mut depths = None;
    let (stats, lost_pkts, queues, program) = match this.from {
        Node::Host(host) => {
            let wire = &mut network.wires[host as usize];
            let (stats, lost_pkts) = wire.stats(now);
            depths = wire.depths(now);
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
                    let depths = switch.port_depths(port, Some(number as u8), now);
                    queues.push(QueueResults::new(&queue.stats, average, depths));
                }
            }
            depths = switch.port_depths(port, None, now);
            let mut program = program_counters(switch, port, &network.counters);
            for (counter, before) in program.iter_mut().zip(&baseline.program[index]) {
                counter.packets -= before.packets;
                counter.bytes -= before.bytes;
            }
            (state.stats, state.lost_on_link_pkts, queues, program)
        }
        Node::Away { .. } => (PortStats::default(), 0, Vec::new(), Vec::new()),
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
        queue: Occupancy::new(&stats, average, depths),
        crossing,
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
pub fn transport_totals(cells: &mut Cells) -> Vec<Counters> {
    let mut totals = vec![Counters::default(); cells.sources()];
    for network in cells.networks() {
        for source in &network.sources {
            totals[source.number as usize] = source.counts.transport;
        }
        for pair in network.connections.all() {
            let source = &network.sources[pair.source as usize];
            add_counts(&mut totals[source.number as usize], pair);
        }
    }
    totals
}

fn sources(cells: &mut Cells) -> Vec<SourceResults> {
    let totals = transport_totals(cells);
    let sources = totals.into_iter().enumerate();
    let result = sources.map(|(index, transport)| {
        let (network, place) = cells.source(index);
        source(&network.sources[place], transport)
    });
    result.collect()
}

fn source(source: &Source, transport: Counters) -> SourceResults {
    SourceResults {
        name: source.name.clone(),
        group: source.group.clone(),
        connections: source.counts.connections,
        transport,
        segment_bytes: source.segment_bytes,
        header_bytes: source.header_bytes,
        acked_pkts: match source.segment_bytes {
            0 => 0.0,
            bytes => transport.acked_bytes as f64 / f64::from(bytes),
        },
        datagrams_sent: source.counts.datagrams_sent,
        datagrams_received: source.counts.datagrams_received,
        datagram_bytes_received: source.counts.datagram_bytes_received,
        delay_mean_s: source.counts.delays.mean_s(),
        jitter_s: source.counts.delays.jitter_s(),
    }
}

fn routers(cells: &mut Cells, baseline: &Baseline) -> Vec<RouterResults> {
    let results = baseline.switch.iter().enumerate();
    results
        .map(|(index, before)| {
            let (network, place) = cells.router(index);
            let router = &network.routers[place];
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

fn hosts(cells: &mut Cells) -> Vec<HostResults> {
    let hosts = (0..cells.hosts()).map(|index| {
        let (network, place) = cells.host(index);
        let host = &network.hosts[place];
        HostResults {
            name: host.name.clone(),
            stray_pkts: host.stray_pkts,
            quench: host.quench,
        }
    });
    hosts.collect()
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
