// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Queues, scheduler and rate of every port.

use super::config::{ConfigError, PortConfig};
use super::depths::Depths;
use super::events::EventQueue;
use super::limits::PortId;
use super::port::{Gate, InEgress, Ports};
use super::rate::Rate;
use super::stats::{PortStats, Recorder};
use crate::model::values::Depth;

/// The queue's depth when a packet entered it (`enq_qdepth`: before it was added).
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

/// The reason that a packet was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The queue, or the buffer that all share, had no room; counted as `dropped_full_pkts`.
    Full,
    /// The port has no queue of this number.
    NoSuchQueue,
}

/// The state of a port that was resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// Nothing waits: the port sends all that comes.
    Freely,
    /// One packet leaves its queue now.
    WithOne,
    /// One packet may leave its queue when the port's rate or its configuration allows it.
    Later,
}

/// A packet whose turn it is: run egress on it, then call [`TrafficManager::transmitted`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dequeued<T> {
    pub port: PortId,
    pub queue: u8,
    pub item: T,
    /// The length, as given to `enqueue`.
    pub len_bytes: u32,
    pub enq_ns: u64,
    /// The depth that the packet found when it was enqueued.
    pub enq_depth: Depth,
    /// The time at which it left the queue: the exact time, which may lie before the `now_ns` of `poll`.
    pub deq_ns: u64,
    /// The queue's depth after it left (`deq_qdepth`).
    pub deq_depth: Depth,
    /// The same two depths in cells of the buffer.
    pub enq_cells: u64,
    pub deq_cells: u64,
}

impl<T> Dequeued<T> {
    /// The packet, and all else.
    pub fn split(self) -> (T, Dequeued<()>) {
        let from = Dequeued {
            port: self.port,
            queue: self.queue,
            item: (),
            len_bytes: self.len_bytes,
            enq_ns: self.enq_ns,
            enq_depth: self.enq_depth,
            deq_ns: self.deq_ns,
            deq_depth: self.deq_depth,
            enq_cells: self.enq_cells,
            deq_cells: self.deq_cells,
        };
        (self.item, from)
    }
}

/// The queues of all ports. A port that was never configured has [`PortConfig::default`].
#[derive(Debug)]
pub struct TrafficManager<T> {
    ports: Ports<T>,
    shared: SharedBuffer,
    events: EventQueue,
}

/// The bytes that wait in all queues together.
#[derive(Debug, Default)]
struct SharedBuffer {
    /// 0: no limit.
    capacity_bytes: u64,
    used_bytes: u64,
}

impl SharedBuffer {
    #[inline]
    fn has_room(&self, counted_bytes: u32) -> bool {
        self.capacity_bytes == 0
            || self.used_bytes + u64::from(counted_bytes) <= self.capacity_bytes
    }
}

impl<T> TrafficManager<T> {
    /// `default_config` is what a port has until it is configured.
    pub fn new(default_config: PortConfig) -> Result<Self, ConfigError> {
        default_config.check()?;
        Ok(Self {
            ports: Ports {
                made: Vec::new(),
                default_config,
            },
            shared: SharedBuffer::default(),
            events: EventQueue::default(),
        })
    }

    /// Limits the bytes that wait in all queues together, by what counts of each packet; 0 is no limit. What waits stays.
    pub fn set_shared_capacity(&mut self, bytes: u64) {
        self.shared.capacity_bytes = bytes;
    }

    pub fn config(&self, port: PortId) -> PortConfig {
        let default_config = self.ports.default_config;
        self.ports
            .get(port)
            .map_or(default_config, |port| port.config)
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
        let this = self.ports.make(now_ns, port);
        let old = std::mem::replace(&mut this.config, config);
        let had_queue_rates = this.has_queue_rates;
        this.add_queues(now_ns);
        if let Some(scheduler) = &mut this.scheduler {
            if config.scheduler != old.scheduler {
                this.replace_scheduler();
            } else if config.weights != old.weights {
                scheduler.set_weights(&config.weights);
            }
        }
        // The next event may have been that of a queue that now waits longer, or less.
        if config.hold || had_queue_rates || this.has_queue_rates {
            self.events.cancel(port);
        }
        if let Some(due_ns) = this.due_ns(now_ns) {
            self.events.ensure(port, due_ns);
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
        let this = self.ports.make(now_ns, port);
        if queue >= this.config.queues {
            return Err(Refused {
                item,
                reason: Refusal::NoSuchQueue,
            });
        }
        let counted_bytes = this.config.counted_bytes(len_bytes);
        let into = &mut this.queues[usize::from(queue)];
        let has_room = into
            .fifo
            .has_room(counted_bytes, this.config.capacity(queue));
        if !has_room || !self.shared.has_room(counted_bytes) {
            if this.scheduler.is_some() {
                into.recorder.dropped_full(counted_bytes);
            }
            this.recorder.dropped_full(counted_bytes);
            return Err(Refused {
                item,
                reason: Refusal::Full,
            });
        }
        self.shared.used_bytes += u64::from(counted_bytes);
        let before = into.fifo.push(now_ns, item, len_bytes, counted_bytes);
        this.recorder.enqueued(now_ns, counted_bytes);
        if let Some(scheduler) = &mut this.scheduler {
            into.recorder.enqueued(now_ns, counted_bytes);
            scheduler.enqueued(queue, counted_bytes);
        }
        if let Some(due_ns) = this.due_ns(now_ns) {
            if this.has_queue_rates {
                // The event may be a queue's that has to wait longer than this one.
                self.events.cancel(port);
            }
            self.events.ensure(port, due_ns);
        }
        Ok(Enqueued {
            depth_pkts_before: before.pkts,
            depth_bytes_before: before.bytes,
        })
    }

    /// [`Self::enqueue`] and [`Self::poll`] in one, for a packet whose turn it is at once: it is never queued. Where
    /// it would have to wait, or others go before it, or the queue would not take it, this does nothing.
    #[inline(always)]
    pub fn pass(
        &mut self,
        now_ns: u64,
        port: PortId,
        queue: u8,
        len_bytes: u32,
    ) -> Option<Dequeued<()>> {
        if self.events.next_ns().is_some_and(|due_ns| due_ns <= now_ns) {
            return None;
        }
        let this = self.ports.get_mut(port)?;
        let free = this.free_queues(now_ns) >> queue.min(7) & 1 == 1;
        if queue >= this.config.queues || !free || !this.is_idle(now_ns) {
            return None;
        }
        let counted_bytes = this.config.counted_bytes(len_bytes);
        let through = &mut this.queues[usize::from(queue)];
        let has_room = through
            .fifo
            .has_room(counted_bytes, this.config.capacity(queue));
        if !has_room || !self.shared.has_room(counted_bytes) {
            return None;
        }
        this.recorder.passed(now_ns, counted_bytes);
        if let Some(scheduler) = &mut this.scheduler {
            through.recorder.passed(now_ns, counted_bytes);
            scheduler.enqueued(queue, counted_bytes);
            scheduler.select(u8::MAX);
            scheduler.dequeued(queue, None);
        }
        this.in_egress = Some(InEgress {
            queue,
            counted_bytes,
            since_ns: now_ns,
        });
        Some(Dequeued {
            port,
            queue,
            item: (),
            len_bytes,
            enq_ns: now_ns,
            enq_depth: Depth::default(),
            deq_ns: now_ns,
            deq_depth: Depth::default(),
            enq_cells: 0,
            deq_cells: 0,
        })
    }

    /// The time at which a packet next leaves a queue. Ports whose packet is still in egress are not counted.
    #[inline]
    pub fn next_event_ns(&self) -> Option<u64> {
        self.events.next_ns()
    }

    /// The next packet that has left its queue by `now_ns`, in order of time.
    pub fn poll(&mut self, now_ns: u64) -> Option<Dequeued<T>> {
        let (due_ns, port) = self.events.pop_due(now_ns)?;
        let this = self.ports.get_mut(port)?;
        let free = this.free_queues(due_ns);
        let queue = match &mut this.scheduler {
            Some(scheduler) => scheduler.select(free)?,
            None => 0,
        };
        let from = &mut this.queues[usize::from(queue)];
        let queued = from.fifo.pop()?;
        self.shared.used_bytes -= u64::from(queued.counted_bytes);
        let deq_ns = due_ns.max(queued.enq_ns);
        let (deq_depth, deq_cells) = (from.fifo.depth(), from.fifo.cells());
        this.recorder.dequeued(deq_ns, queued.counted_bytes);
        if let Some(scheduler) = &mut this.scheduler {
            from.recorder.dequeued(deq_ns, queued.counted_bytes);
            scheduler.dequeued(queue, from.fifo.head_bytes());
        }
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
            enq_cells: queued.enq_cells,
            deq_cells,
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
    #[inline]
    pub fn transmitted(&mut self, port: PortId, len_bytes: u32) -> u64 {
        let (this, packet) = self
            .ports
            .get_mut(port)
            .and_then(|this| this.in_egress.take().map(|packet| (this, packet)))
            .unwrap_or_else(|| panic!("no packet of port {port} is in egress"));
        let rate = this.config.rate;
        let counted_bytes = this.config.counted_bytes(len_bytes);
        let left_ns = this
            .transmitter
            .occupy(packet.since_ns, rate, counted_bytes);
        let queue = usize::from(packet.queue);
        if this.has_queue_rates {
            let of_queue = &mut this.queues[queue].transmitter;
            of_queue.occupy(
                packet.since_ns,
                this.config.queue_rate[queue],
                counted_bytes,
            );
        }
        if len_bytes > 0 {
            this.recorder.sent(counted_bytes);
            if this.gate == Gate::One {
                this.gate = Gate::Shut;
            }
        }
        if let Some(scheduler) = &mut this.scheduler {
            if len_bytes > 0 {
                this.queues[queue].recorder.sent(counted_bytes);
            }
            scheduler.sent(match rate {
                Rate::Pps(_) => counted_bytes.max(packet.counted_bytes),
                _ => counted_bytes,
            });
        }
        if let Some(due_ns) = this.due_ns(packet.since_ns) {
            self.events.ensure(port, due_ns);
        }
        left_ns
    }

    /// Counts the packet that is in egress as one that the program dropped there.
    pub fn dropped_egress(&mut self, port: PortId) {
        self.count_in_egress(port, Recorder::dropped_egress);
    }

    /// Counts the packet that is in egress as one whose egress was ended.
    pub fn given_up(&mut self, port: PortId) {
        self.count_in_egress(port, |recorder, _| recorder.given_up());
    }

    fn count_in_egress(&mut self, port: PortId, count: fn(&mut Recorder, u32)) {
        let Some(this) = self.ports.get_mut(port) else {
            return;
        };
        let Some(packet) = &this.in_egress else {
            return;
        };
        count(&mut this.recorder, packet.counted_bytes);
        if this.scheduler.is_some() {
            let queue = &mut this.queues[usize::from(packet.queue)];
            count(&mut queue.recorder, packet.counted_bytes);
        }
    }

    /// The part of a port's last packet that has not left by `now_ns`, in bits times the nanoseconds of a second.
    pub fn unsent_bit_ns(&self, now_ns: u64, port: PortId) -> u128 {
        self.ports
            .get(port)
            .map_or(0, |port| port.transmitter.unsent_bit_ns(now_ns))
    }

    /// The interface behind the port takes no more packets: all stay in the queues until [`Self::resume`].
    pub fn pause(&mut self, now_ns: u64, port: PortId) {
        self.ports.make(now_ns, port).gate = Gate::Shut;
        self.events.cancel(port);
    }

    /// The interface behind a paused port takes a packet: one may leave, and then the port is paused again. Where none
    /// waits, the port sends freely again.
    pub fn resume(&mut self, now_ns: u64, port: PortId) -> Resumed {
        let this = self.ports.make(now_ns, port);
        if this.recorder.depth().pkts == 0 {
            this.gate = Gate::Open;
            return Resumed::Freely;
        }
        this.gate = Gate::One;
        match this.due_ns(now_ns) {
            Some(due_ns) => {
                self.events.ensure(port, due_ns);
                match due_ns <= now_ns {
                    true => Resumed::WithOne,
                    false => Resumed::Later,
                }
            }
            None => Resumed::Later,
        }
    }

    /// The depth of a queue now.
    pub fn depth(&self, port: PortId, queue: u8) -> Depth {
        self.ports
            .get(port)
            .and_then(|port| port.queues.get(usize::from(queue)))
            .map_or_else(Depth::default, |queue| queue.fifo.depth())
    }

    /// The statistics of a port from the last reset until `now_ns`.
    pub fn stats(&self, now_ns: u64, port: PortId) -> PortStats {
        self.ports
            .get(port)
            .map_or_else(PortStats::default, |port| port.recorder.stats(now_ns))
    }

    /// The statistics of one queue from the last reset of its port until `now_ns`.
    pub fn queue_stats(&self, now_ns: u64, port: PortId, queue: u8) -> PortStats {
        let Some(port) = self.ports.get(port) else {
            return PortStats::default();
        };
        let recorder = match port.queues.get(usize::from(queue)) {
            Some(queue) if port.scheduler.is_some() => Some(&queue.recorder),
            Some(_) => Some(&port.recorder),
            None => None,
        };
        recorder.map_or_else(PortStats::default, |recorder| recorder.stats(now_ns))
    }

    pub fn reset_stats(&mut self, now_ns: u64, port: PortId) {
        let this = self.ports.make(now_ns, port);
        let recorders = this.queues.iter_mut().map(|queue| &mut queue.recorder);
        for recorder in recorders.chain([&mut this.recorder]) {
            recorder.reset(now_ns);
        }
    }

    /// From now on the distribution of what waits at a port is kept, and of what waits in each of its queues.
    pub fn keep_depths(&mut self, now_ns: u64, port: PortId) {
        let this = self.ports.make(now_ns, port);
        let recorders = this.queues.iter_mut().map(|queue| &mut queue.recorder);
        for recorder in recorders.chain([&mut this.recorder]) {
            recorder.keep_depths(now_ns);
        }
    }

    /// The distribution of what waits at a port, or in one of several queues of it, since the last reset; none if it is
    /// not kept.
    pub fn depths(&self, now_ns: u64, port: PortId, queue: Option<u8>) -> Option<Depths> {
        let port = self.ports.get(port)?;
        let recorder = match queue {
            None => &port.recorder,
            Some(queue) => &port.queues.get(usize::from(queue))?.recorder,
        };
        recorder.depths(now_ns)
    }

    /// Throw away every queued packet; how many there were. Configurations and statistics stay.
    pub fn clear(&mut self, now_ns: u64) -> u64 {
        self.events.clear();
        self.shared.used_bytes = 0;
        let mut thrown_pkts = 0;
        for port in self.ports.made.iter_mut().flatten() {
            for queue in &mut port.queues {
                thrown_pkts += queue.fifo.clear();
                queue.recorder.depth_changed(now_ns, Depth::default());
            }
            if port.scheduler.is_some() {
                port.replace_scheduler();
            }
            port.in_egress = None;
            port.recorder.depth_changed(now_ns, Depth::default());
        }
        thrown_pkts
    }
}
