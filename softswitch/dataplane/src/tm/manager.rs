// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Queues, scheduler and rate of every port.

use super::events::EventQueue;
use super::queue::{Depth, Queue};
use super::rate::{Rate, Transmitter};
use super::scheduler::StrictPriority;
use super::stats::{PortStats, Recorder};
use super::{PortId, DEFAULT_CAPACITY_PKTS, MAX_QUEUES};

/// What the traffic manager does on one port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConfig {
    pub rate: Rate,
    /// Packets per queue, 0 for no limit.
    pub capacity_pkts: u64,
    /// Bytes per queue, 0 for no limit.
    pub capacity_bytes: u64,
    /// Number of queues, 1 to [`MAX_QUEUES`]; the larger its number, the sooner a queue is served.
    pub queues: u8,
    /// While true nothing leaves the queues.
    pub hold: bool,
}

impl Default for PortConfig {
    fn default() -> Self {
        Self {
            rate: Rate::Unlimited,
            capacity_pkts: DEFAULT_CAPACITY_PKTS,
            capacity_bytes: 0,
            queues: 1,
            hold: false,
        }
    }
}

/// A configuration that makes no sense; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("a port has 1 to {MAX_QUEUES} queues, not {0}")]
    Queues(u8),
}

/// What a packet found when it entered its queue (`enq_qdepth`: before it was added).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    pub depth_pkts_before: u64,
    pub depth_bytes_before: u64,
}

/// A packet that was not queued, handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused<T> {
    pub item: T,
    pub reason: Refusal,
}

/// Why a packet was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The queue had no room; counted as `dropped_full_pkts`.
    Full,
    /// The port has no queue of this number.
    NoSuchQueue,
}

/// A packet whose turn it is: run egress on it, then call [`TrafficManager::transmitted`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dequeued<T> {
    pub port: PortId,
    pub queue: u8,
    pub item: T,
    /// As given to `enqueue`.
    pub len_bytes: u32,
    pub enq_ns: u64,
    /// The depth that the packet found when it was enqueued.
    pub enq_depth: Depth,
    /// When it left the queue: the exact time, which may lie before the `now_ns` of `poll`.
    pub deq_ns: u64,
    /// What it left behind in its queue (`deq_qdepth`).
    pub deq_depth: Depth,
}

/// The queues of all ports. A port that was never configured has [`PortConfig::default`].
#[derive(Debug)]
pub struct TrafficManager<T> {
    ports: Vec<Option<Box<Port<T>>>>,
    default_config: PortConfig,
    events: EventQueue,
}

#[derive(Debug)]
struct Port<T> {
    config: PortConfig,
    queues: Vec<Queue<T>>,
    scheduler: StrictPriority,
    transmitter: Transmitter,
    /// Set from a packet's dequeuing until `transmitted` says what became of it.
    in_egress_since_ns: Option<u64>,
    recorder: Recorder,
}

impl<T> TrafficManager<T> {
    /// `default_config` is what a port has until it is configured.
    pub fn new(default_config: PortConfig) -> Result<Self, ConfigError> {
        check(&default_config)?;
        Ok(Self {
            ports: Vec::new(),
            default_config,
            events: EventQueue::default(),
        })
    }

    pub fn config(&self, port: PortId) -> PortConfig {
        self.existing(port)
            .map_or(self.default_config, |port| port.config)
    }

    /// Takes effect for the next packet that starts. A queue that the new configuration no longer
    /// has, or that is now over its capacity, takes no more packets but sends those it holds.
    pub fn set_config(
        &mut self,
        now_ns: u64,
        port: PortId,
        config: PortConfig,
    ) -> Result<(), ConfigError> {
        check(&config)?;
        self.port(now_ns, port).config = config;
        if config.hold {
            self.events.cancel(port);
        } else {
            self.arm(now_ns, port);
        }
        Ok(())
    }

    /// Put a packet of `len_bytes` at the end of a queue.
    pub fn enqueue(
        &mut self,
        now_ns: u64,
        port: PortId,
        queue: u8,
        item: T,
        len_bytes: u32,
    ) -> Result<Enqueued, Refused<T>> {
        let this = self.port(now_ns, port);
        let config = this.config;
        if queue >= config.queues {
            return Err(Refused {
                item,
                reason: Refusal::NoSuchQueue,
            });
        }
        let index = usize::from(queue);
        if index >= this.queues.len() {
            this.queues.resize_with(index + 1, Queue::default);
        }
        if !this.queues[index].has_room(len_bytes, config.capacity_pkts, config.capacity_bytes) {
            this.recorder.dropped_full_pkts += 1;
            return Err(Refused {
                item,
                reason: Refusal::Full,
            });
        }
        let before = this.queues[index].push(now_ns, item, len_bytes);
        this.scheduler.enqueued(queue, len_bytes);
        this.recorder.enqueued_pkts += 1;
        let total = this.recorder.depth();
        let total = Depth {
            pkts: total.pkts + 1,
            bytes: total.bytes + u64::from(len_bytes),
        };
        this.recorder.depth_changed(now_ns, total);
        self.arm(now_ns, port);
        Ok(Enqueued {
            depth_pkts_before: before.pkts,
            depth_bytes_before: before.bytes,
        })
    }

    /// When a packet next leaves a queue. Ports whose packet is still in egress are not counted.
    pub fn next_event_ns(&self) -> Option<u64> {
        self.events.next_ns()
    }

    /// The next packet that has left its queue by `now_ns`, in order of time.
    pub fn poll(&mut self, now_ns: u64) -> Option<Dequeued<T>> {
        let (due_ns, port) = self.events.pop_due(now_ns)?;
        let this = self.ports[port as usize].as_deref_mut()?;
        let queue = this.scheduler.select()?;
        let from = &mut this.queues[usize::from(queue)];
        let queued = from.pop()?;
        this.scheduler.dequeued(queue, from.head_len_bytes());
        let deq_depth = from.depth();
        let deq_ns = due_ns.max(queued.enq_ns);
        let total = this.recorder.depth();
        let total = Depth {
            pkts: total.pkts - 1,
            bytes: total.bytes - u64::from(queued.len_bytes),
        };
        this.recorder.depth_changed(deq_ns, total);
        this.in_egress_since_ns = Some(deq_ns);
        Some(Dequeued {
            port,
            queue,
            item: queued.item,
            len_bytes: queued.len_bytes,
            enq_ns: queued.enq_ns,
            enq_depth: queued.enq_depth,
            deq_ns,
            deq_depth,
        })
    }

    /// Say what egress made of the packet that `poll` returned last for `port`: `len_bytes` to
    /// send, or 0 when it was dropped. Returns when the packet has left the port.
    ///
    /// The slot starts when the packet was dequeued. At a bit rate a dropped packet costs no time;
    /// at a packet rate every packet costs its slot.
    ///
    /// # Panics
    /// When no packet of `port` is in egress: that is a mistake of the caller.
    pub fn transmitted(&mut self, port: PortId, len_bytes: u32) -> u64 {
        let this = self
            .ports
            .get_mut(port as usize)
            .and_then(Option::as_deref_mut);
        let (this, start_ns) = this
            .and_then(|this| {
                this.in_egress_since_ns
                    .take()
                    .map(|start_ns| (this, start_ns))
            })
            .unwrap_or_else(|| panic!("no packet of port {port} is in egress"));
        let left_ns = this
            .transmitter
            .occupy(start_ns, this.config.rate, len_bytes);
        if len_bytes > 0 {
            this.recorder.tx_pkts += 1;
            this.recorder.tx_bytes += u64::from(len_bytes);
        }
        self.arm(start_ns, port);
        left_ns
    }

    /// How full a queue is now.
    pub fn depth(&self, port: PortId, queue: u8) -> Depth {
        self.existing(port)
            .and_then(|port| port.queues.get(usize::from(queue)))
            .map_or_else(Depth::default, Queue::depth)
    }

    /// The statistics of a port from the last reset until `now_ns`.
    pub fn stats(&self, now_ns: u64, port: PortId) -> PortStats {
        self.existing(port)
            .map_or_else(PortStats::default, |port| port.recorder.stats(now_ns))
    }

    pub fn reset_stats(&mut self, now_ns: u64, port: PortId) {
        let this = self.port(now_ns, port);
        this.recorder = Recorder::new(now_ns, this.recorder.depth());
    }

    /// Throw away every queued packet. Configurations and statistics stay.
    pub fn clear(&mut self, now_ns: u64) {
        self.events.clear();
        for port in self.ports.iter_mut().flatten() {
            port.queues.iter_mut().for_each(Queue::clear);
            port.scheduler = StrictPriority::default();
            port.in_egress_since_ns = None;
            port.recorder.depth_changed(now_ns, Depth::default());
        }
    }

    fn existing(&self, port: PortId) -> Option<&Port<T>> {
        self.ports.get(port as usize)?.as_deref()
    }

    fn port(&mut self, now_ns: u64, port: PortId) -> &mut Port<T> {
        let index = port as usize;
        if index >= self.ports.len() {
            self.ports.resize_with(index + 1, || None);
        }
        let config = self.default_config;
        self.ports[index].get_or_insert_with(|| {
            Box::new(Port {
                config,
                queues: Vec::new(),
                scheduler: StrictPriority::default(),
                transmitter: Transmitter::default(),
                in_egress_since_ns: None,
                recorder: Recorder::new(now_ns, Depth::default()),
            })
        })
    }

    /// Schedule the port's next dequeuing if it has something to send and nothing stands in the way.
    fn arm(&mut self, now_ns: u64, port: PortId) {
        let Some(this) = self.existing(port) else {
            return;
        };
        let ready = this.recorder.depth().pkts > 0
            && !this.config.hold
            && this.in_egress_since_ns.is_none();
        if ready && !self.events.is_scheduled(port) {
            let at_ns = this.transmitter.free_ns().max(now_ns);
            self.events.schedule(port, at_ns);
        }
    }
}

fn check(config: &PortConfig) -> Result<(), ConfigError> {
    match config.queues {
        1..=MAX_QUEUES => Ok(()),
        queues => Err(ConfigError::Queues(queues)),
    }
}
