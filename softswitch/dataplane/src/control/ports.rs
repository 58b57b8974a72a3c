// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about ports.

use super::tables::refuse;
use crate::fabric::MAX_PORT;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::CounterValue;
use crate::switch::Switch;
use crate::tm::{
    Capacity, Depth, Depths, PortConfig, PortStats, Rate, SchedulerKind, Weight, MAX_QUEUES,
};

/// A change of a port: fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortOptions {
    /// 0 is unlimited; at most one of the two rates is set.
    pub rate_bps: Option<u64>,
    pub rate_pps: Option<u64>,
    /// The capacity of each queue, also of those that had a capacity of their own; 0 is unlimited.
    pub capacity_pkts: Option<u64>,
    pub capacity_bytes: Option<u64>,
    /// Capacities of single queues: queue and packets or bytes; 0 is unlimited.
    pub queue_capacity_pkts: Vec<(u8, u64)>,
    pub queue_capacity_bytes: Vec<(u8, u64)>,
    /// Rates of single queues in packets per second, beside the port's own; 0 is unlimited. Strict priority only.
    pub queue_rate_pps: Vec<(u8, u64)>,
    /// 1 to 8. Left out, there are as many as before, and enough for the queues that the change names.
    pub queues: Option<u8>,
    pub scheduler: Option<SchedulerKind>,
    /// Queue and weight, 0.001 to 1000, for the fair schedulers; a queue has 1 until it is given another.
    pub weights: Vec<(u8, f64)>,
    /// Propagation delay of the outgoing link.
    pub delay_ns: Option<u64>,
    /// Probability that the outgoing link loses a packet, 0 to 1.
    pub loss: Option<f64>,
    /// While true nothing leaves the queues.
    pub hold: Option<bool>,
    /// Added to the length of each packet where the port's rate, capacity in bytes, fair shares and statistics in bytes
    /// are concerned: -14 counts IP packets. Packets that wait keep what they counted for.
    pub overhead_bytes: Option<i32>,
}

/// A port's settings and what happened on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortState {
    pub rate_bps: u64,
    pub rate_pps: u64,
    pub capacity_pkts: u64,
    pub capacity_bytes: u64,
    pub queues: u8,
    pub scheduler: SchedulerKind,
    pub delay_ns: u64,
    pub loss: f64,
    pub hold: bool,
    pub overhead_bytes: i32,
    pub per_queue: Vec<QueueState>,
    /// All queues together. The moments are time-weighted over `stats_ns`, the time since the statistics were last
    /// reset.
    pub stats: PortStats,
    pub rx_pkts: u64,
    pub rx_bytes: u64,
    pub lost_on_link_pkts: u64,
    /// The part of the packet in transmission that has not left yet, in bits times the nanoseconds of a second.
    pub unsent_bit_ns: u128,
}

/// A queue's settings and what happened in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueState {
    /// The queue's own rate; 0 is unlimited.
    pub rate_pps: u64,
    pub weight: f64,
    pub capacity: Capacity,
    /// Now.
    pub depth: Depth,
    /// Since the statistics of the port were last reset.
    pub stats: PortStats,
}

impl Switch {
    fn check_port(&self, port: u32) -> ControlResult<()> {
        if port > MAX_PORT {
            return refuse(
                ErrorCode::OutOfRange,
                format!("port {port}: the last one is {MAX_PORT}"),
            );
        }
        Ok(())
    }

    fn known_port(&self, port: u32) -> ControlResult<()> {
        if self.fabric.ports.contains(&port) {
            Ok(())
        } else {
            refuse(ErrorCode::NotFound, format!("there is no port {port}"))
        }
    }

    /// Changes the named options of a port, which exists from then on; takes effect for the next packet that starts.
    pub fn port_set(&mut self, port: u32, options: &PortOptions, now_ns: u64) -> ControlResult<()> {
        self.check_port(port)?;
        let mut config = self.fabric.tm.config(port);
        if let Err(message) = set_queues(&mut config, options) {
            return refuse(
                ErrorCode::InvalidArgument,
                format!("port {port}: {message}"),
            );
        }
        let (old_bps, old_pps) = rates(config.rate);
        config.rate = match (options.rate_bps, options.rate_pps) {
            (Some(bps), Some(pps)) if bps > 0 && pps > 0 => {
                let message = format!("port {port}: a rate in bits and one in packets per second");
                return refuse(ErrorCode::InvalidArgument, message);
            }
            (Some(bps), _) if bps > 0 => Rate::bps(bps),
            (_, Some(pps)) if pps > 0 => Rate::pps(pps),
            (Some(_), None) if old_pps > 0 => Rate::pps(old_pps),
            (None, Some(_)) if old_bps > 0 => Rate::bps(old_bps),
            (None, None) => config.rate,
            _ => Rate::Unlimited,
        };
        config.hold = options.hold.unwrap_or(config.hold);
        config.overhead_bytes = options.overhead_bytes.unwrap_or(config.overhead_bytes);
        let old_link = self.fabric.link.config(port);
        let mut link = old_link;
        link.delay_ns = options.delay_ns.unwrap_or(link.delay_ns);
        link.loss = options.loss.unwrap_or(link.loss);
        if let Err(error) = self.fabric.link.set_config(port, link) {
            return refuse(ErrorCode::InvalidArgument, format!("port {port}: {error}"));
        }
        self.settle(now_ns);
        if let Err(error) = self.fabric.tm.set_config(self.fabric.now_ns, port, config) {
            if self.fabric.link.set_config(port, old_link).is_err() {
                unreachable!("the old configuration of a link is valid");
            }
            return refuse(ErrorCode::InvalidArgument, format!("port {port}: {error}"));
        }
        self.fabric.ports.insert(port);
        Ok(())
    }

    /// Limits the bytes that wait at all ports together, by what counts of each packet there; 0 is no limit. A packet that
    /// finds no room is dropped as at a full queue.
    pub fn set_shared_buffer(&mut self, bytes: u64) {
        self.fabric.tm.set_shared_capacity(bytes);
    }

    pub fn port_get(&self, port: u32, now_ns: u64) -> ControlResult<PortState> {
        self.check_port(port)?;
        self.known_port(port)?;
        let config = self.fabric.tm.config(port);
        let link = self.fabric.link.config(port);
        let now_ns = now_ns.max(self.fabric.now_ns);
        let (rate_bps, rate_pps) = rates(config.rate);
        let per_queue = (0..config.queues).map(|queue| QueueState {
            rate_pps: rates(config.queue_rate[usize::from(queue)]).1,
            weight: config.weights[usize::from(queue)].get(),
            capacity: config.capacity(queue),
            depth: self.fabric.tm.depth(port, queue),
            stats: self.fabric.tm.queue_stats(now_ns, port, queue),
        });
        let received = self
            .fabric
            .received
            .get(port as usize)
            .copied()
            .unwrap_or_default();
        Ok(PortState {
            rate_bps,
            rate_pps,
            capacity_pkts: config.capacity_pkts,
            capacity_bytes: config.capacity_bytes,
            queues: config.queues,
            scheduler: config.scheduler,
            delay_ns: link.delay_ns,
            loss: link.loss,
            hold: config.hold,
            overhead_bytes: config.overhead_bytes,
            per_queue: per_queue.collect(),
            stats: self.fabric.tm.stats(now_ns, port),
            rx_pkts: received.packets,
            rx_bytes: received.bytes,
            lost_on_link_pkts: self.fabric.link.lost_pkts(port),
            unsent_bit_ns: self.fabric.tm.unsent_bit_ns(now_ns, port),
        })
    }

    /// Packets that leave this port come out when their transmission begins, with the time at which they arrive at the
    /// far end of its link, for a caller who carries them over the link. They no longer count as memory that the switch
    /// holds.
    pub fn port_hand_over(&mut self, port: u32) -> ControlResult<()> {
        self.known_port(port)?;
        self.fabric.link.hand_over(port);
        Ok(())
    }

    /// The delay of a port's link.
    pub fn port_delay_ns(&self, port: u32) -> u64 {
        self.fabric.link.config(port).delay_ns
    }

    /// From now on the distribution of what waits at a port, and in each of its queues, is kept.
    pub fn port_keep_depths(&mut self, port: u32, now_ns: u64) -> ControlResult<()> {
        self.known_port(port)?;
        self.settle(now_ns);
        self.fabric.tm.keep_depths(self.fabric.now_ns, port);
        Ok(())
    }

    /// The distribution of what waited at a port, or in one of several queues of it, since statistics began; none if it
    /// is not kept.
    pub fn port_depths(&self, port: u32, queue: Option<u8>, now_ns: u64) -> Option<Depths> {
        let now_ns = now_ns.max(self.fabric.now_ns);
        self.fabric.tm.depths(now_ns, port, queue)
    }

    pub fn port_reset_stats(&mut self, port: u32, now_ns: u64) -> ControlResult<()> {
        self.known_port(port)?;
        self.settle(now_ns);
        self.fabric.tm.reset_stats(self.fabric.now_ns, port);
        self.fabric.link.reset_stats(port);
        if let Some(received) = self.fabric.received.get_mut(port as usize) {
            *received = CounterValue::default();
        }
        Ok(())
    }
}

/// Applies the options of queues, their capacities and the scheduler; the error says which one is wrong.
fn set_queues(config: &mut PortConfig, options: &PortOptions) -> Result<(), String> {
    let by_queue = [
        &options.queue_capacity_pkts,
        &options.queue_capacity_bytes,
        &options.queue_rate_pps,
    ];
    let named = by_queue
        .into_iter()
        .flatten()
        .map(|(queue, _)| *queue)
        .chain(options.weights.iter().map(|(queue, _)| *queue))
        .max();
    if let Some(queue) = named.filter(|queue| *queue >= MAX_QUEUES) {
        let last = MAX_QUEUES - 1;
        return Err(format!("there is no queue {queue}: the last one is {last}"));
    }
    let enough = named.map_or(0, |queue| queue + 1);
    config.queues = match options.queues {
        Some(queues) if queues < enough => {
            let queue = enough - 1;
            return Err(format!(
                "queue {queue} is named, but there are to be {queues} queues"
            ));
        }
        Some(queues) => queues,
        None => config.queues.max(enough),
    };
    config.scheduler = options.scheduler.unwrap_or(config.scheduler);
    if config.scheduler == SchedulerKind::Strict && !options.weights.is_empty() {
        return Err("strict priority has no weights: choose the scheduler drr or scfq".to_owned());
    }
    for (queue, value) in &options.weights {
        let Some(weight) = Weight::new(*value) else {
            let (least, most) = (Weight::MIN, Weight::MAX);
            return Err(format!(
                "weight {value} of queue {queue} is not between {least} and {most}"
            ));
        };
        config.weights[usize::from(*queue)] = weight;
    }
    if options.capacity_pkts.is_some() || options.capacity_bytes.is_some() {
        config.queue_capacity = Default::default();
        config.capacity_pkts = options.capacity_pkts.unwrap_or(config.capacity_pkts);
        config.capacity_bytes = options.capacity_bytes.unwrap_or(config.capacity_bytes);
    }
    for (queue, pkts) in &options.queue_capacity_pkts {
        let mut capacity = config.capacity(*queue);
        capacity.pkts = *pkts;
        config.queue_capacity[usize::from(*queue)] = Some(capacity);
    }
    for (queue, bytes) in &options.queue_capacity_bytes {
        let mut capacity = config.capacity(*queue);
        capacity.bytes = *bytes;
        config.queue_capacity[usize::from(*queue)] = Some(capacity);
    }
    for (queue, rate_pps) in &options.queue_rate_pps {
        config.queue_rate[usize::from(*queue)] = Rate::pps(*rate_pps);
    }
    Ok(())
}

/// Bits and packets per second.
fn rates(rate: Rate) -> (u64, u64) {
    match rate {
        Rate::Unlimited => (0, 0),
        Rate::Bps(rate) => (rate.get(), 0),
        Rate::Pps(rate) => (0, rate.get()),
    }
}
