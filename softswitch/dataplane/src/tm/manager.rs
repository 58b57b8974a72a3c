// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Queues, scheduler and rate of every port.

use super::config::{ConfigError, PortConfig};
use super::events::EventQueue;
use super::queue::{Depth, Queue};
use super::rate::{Rate, Transmitter};
use super::scheduler::{scheduler, Scheduler};
use super::stats::{PortStats, Recorder};
use super::PortId;

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
    /// As many as the port ever had.
    queues: Vec<PortQueue<T>>,
    /// There are several; a single queue has the port's statistics.
    tells_queues_apart: bool,
    scheduler: Box<dyn Scheduler>,
    transmitter: Transmitter,
    /// Set from a packet's dequeuing until `transmitted` says what became of it.
    in_egress: Option<InEgress>,
    recorder: Recorder,
}

#[derive(Debug)]
struct PortQueue<T> {
    fifo: Queue<T>,
    recorder: Recorder,
}

#[derive(Debug)]
struct InEgress {
    queue: u8,
    /// What it counted for in the queue.
    counted_bytes: u32,
    since_ns: u64,
}

impl<T> Port<T> {
    fn new(now_ns: u64, config: PortConfig) -> Self {
        let mut port = Self {
            config,
            queues: Vec::new(),
            tells_queues_apart: false,
            scheduler: scheduler(config.scheduler, &config.weights),
            transmitter: Transmitter::default(),
            in_egress: None,
            recorder: Recorder::new(now_ns, Depth::default()),
        };
        port.add_queues(now_ns);
        port
    }

    /// Make the queues that the configuration has: not when a packet comes, which must not allocate.
    fn add_queues(&mut self, now_ns: u64) {
        let count = self.queues.len().max(usize::from(self.config.queues));
        self.queues.resize_with(count, || PortQueue {
            fifo: Queue::default(),
            recorder: Recorder::new(now_ns, Depth::default()),
        });
        if count > 1 && !self.tells_queues_apart {
            self.tells_queues_apart = true;
            // Until now all that was recorded happened in the first.
            self.queues[0].recorder = self.recorder;
        }
    }

    /// A new scheduler takes the queues over as they are.
    fn replace_scheduler(&mut self) {
        self.scheduler = scheduler(self.config.scheduler, &self.config.weights);
        for (number, queue) in (0..).zip(&self.queues) {
            if let Some(bytes) = queue.fifo.head_bytes() {
                self.scheduler.enqueued(number, bytes);
            }
        }
    }
}

impl<T> TrafficManager<T> {
    /// `default_config` is what a port has until it is configured.
    pub fn new(default_config: PortConfig) -> Result<Self, ConfigError> {
        default_config.check()?;
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
    /// has, or that is now over its capacity, takes no more packets but sends those it holds. Another
    /// scheduler takes over what is queued and owes nothing from the time before it.
    pub fn set_config(
        &mut self,
        now_ns: u64,
        port: PortId,
        config: PortConfig,
    ) -> Result<(), ConfigError> {
        config.check()?;
        let this = self.port(now_ns, port);
        let old = std::mem::replace(&mut this.config, config);
        this.add_queues(now_ns);
        if config.scheduler != old.scheduler {
            this.replace_scheduler();
        } else if config.weights != old.weights {
            this.scheduler.set_weights(&config.weights);
        }
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
        if queue >= this.config.queues {
            return Err(Refused {
                item,
                reason: Refusal::NoSuchQueue,
            });
        }
        let capacity = this.config.capacity(queue);
        let counted_bytes = this.config.counted_bytes(len_bytes);
        let into = &mut this.queues[usize::from(queue)];
        if !into
            .fifo
            .has_room(counted_bytes, capacity.pkts, capacity.bytes)
        {
            if this.tells_queues_apart {
                into.recorder.dropped_full(counted_bytes);
            }
            this.recorder.dropped_full(counted_bytes);
            return Err(Refused {
                item,
                reason: Refusal::Full,
            });
        }
        let before = into.fifo.push(now_ns, item, len_bytes, counted_bytes);
        if this.tells_queues_apart {
            into.recorder.enqueued(now_ns, counted_bytes);
        }
        this.recorder.enqueued(now_ns, counted_bytes);
        this.scheduler.enqueued(queue, counted_bytes);
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
        let queued = from.fifo.pop()?;
        let deq_ns = due_ns.max(queued.enq_ns);
        let deq_depth = from.fifo.depth();
        if this.tells_queues_apart {
            from.recorder.dequeued(deq_ns, queued.counted_bytes);
        }
        this.recorder.dequeued(deq_ns, queued.counted_bytes);
        this.scheduler.dequeued(queue, from.fifo.head_bytes());
        this.in_egress = Some(InEgress {
            queue,
            counted_bytes: queued.counted_bytes,
            since_ns: deq_ns,
        });
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
    /// at a packet rate every packet costs its slot. A fair scheduler charges the queue accordingly.
    ///
    /// # Panics
    /// When no packet of `port` is in egress: that is a mistake of the caller.
    pub fn transmitted(&mut self, port: PortId, len_bytes: u32) -> u64 {
        let this = self
            .ports
            .get_mut(port as usize)
            .and_then(Option::as_deref_mut);
        let (this, packet) = this
            .and_then(|this| this.in_egress.take().map(|packet| (this, packet)))
            .unwrap_or_else(|| panic!("no packet of port {port} is in egress"));
        let rate = this.config.rate;
        let counted_bytes = this.config.counted_bytes(len_bytes);
        let left_ns = this
            .transmitter
            .occupy(packet.since_ns, rate, counted_bytes);
        if len_bytes > 0 {
            this.recorder.sent(counted_bytes);
            if this.tells_queues_apart {
                let queue = &mut this.queues[usize::from(packet.queue)];
                queue.recorder.sent(counted_bytes);
            }
        }
        this.scheduler.sent(match rate {
            Rate::Pps(_) => counted_bytes.max(packet.counted_bytes),
            _ => counted_bytes,
        });
        self.arm(packet.since_ns, port);
        left_ns
    }

    /// How full a queue is now.
    pub fn depth(&self, port: PortId, queue: u8) -> Depth {
        self.existing(port)
            .and_then(|port| port.queues.get(usize::from(queue)))
            .map_or_else(Depth::default, |queue| queue.fifo.depth())
    }

    /// The statistics of a port from the last reset until `now_ns`.
    pub fn stats(&self, now_ns: u64, port: PortId) -> PortStats {
        self.existing(port)
            .map_or_else(PortStats::default, |port| port.recorder.stats(now_ns))
    }

    /// The statistics of one queue from the last reset of its port until `now_ns`.
    pub fn queue_stats(&self, now_ns: u64, port: PortId, queue: u8) -> PortStats {
        let Some(port) = self.existing(port) else {
            return PortStats::default();
        };
        let recorder = match port.queues.get(usize::from(queue)) {
            Some(queue) if port.tells_queues_apart => Some(&queue.recorder),
            Some(_) => Some(&port.recorder),
            None => None,
        };
        recorder.map_or_else(PortStats::default, |recorder| recorder.stats(now_ns))
    }

    pub fn reset_stats(&mut self, now_ns: u64, port: PortId) {
        let this = self.port(now_ns, port);
        let recorders = this.queues.iter_mut().map(|queue| &mut queue.recorder);
        for recorder in recorders.chain([&mut this.recorder]) {
            *recorder = Recorder::new(now_ns, recorder.depth());
        }
    }

    /// Throw away every queued packet. Configurations and statistics stay.
    pub fn clear(&mut self, now_ns: u64) {
        self.events.clear();
        for port in self.ports.iter_mut().flatten() {
            for queue in &mut port.queues {
                queue.fifo.clear();
                queue.recorder.depth_changed(now_ns, Depth::default());
            }
            port.replace_scheduler();
            port.in_egress = None;
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
        self.ports[index].get_or_insert_with(|| Box::new(Port::new(now_ns, config)))
    }

    /// Schedule the port's next dequeuing if it has something to send and nothing stands in the way.
    fn arm(&mut self, now_ns: u64, port: PortId) {
        let Some(this) = self.existing(port) else {
            return;
        };
        let ready = this.recorder.depth().pkts > 0 && !this.config.hold && this.in_egress.is_none();
        if ready && !self.events.is_scheduled(port) {
            let at_ns = this.transmitter.free_ns().max(now_ns);
            self.events.schedule(port, at_ns);
        }
    }
}
