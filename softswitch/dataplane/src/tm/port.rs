// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: its queues, and what stands between them and the link.

use super::config::PortConfig;
use super::limits::PortId;
use super::queue::Queue;
use super::rate::{Rate, Transmitter};
use super::scheduler::{scheduler, Scheduler};
use super::stats::Recorder;
use crate::model::values::Depth;

#[derive(Debug)]
pub(super) struct Ports<T> {
    pub made: Vec<Option<Box<Port<T>>>>,
    pub default_config: PortConfig,
}

impl<T> Ports<T> {
    #[inline]
    pub fn get(&self, port: PortId) -> Option<&Port<T>> {
        self.made.get(port as usize)?.as_deref()
    }

    #[inline]
    pub fn get_mut(&mut self, port: PortId) -> Option<&mut Port<T>> {
        self.made.get_mut(port as usize)?.as_deref_mut()
    }

    /// The port, made if need be.
    pub fn make(&mut self, now_ns: u64, port: PortId) -> &mut Port<T> {
        let index = port as usize;
        if index >= self.made.len() {
            self.made.resize_with(index + 1, || None);
        }
        let config = &self.default_config;
        self.made[index].get_or_insert_with(|| Box::new(Port::new(now_ns, *config)))
    }
}

/// The number of packets that the interface behind a port takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// All that come.
    Open,
    /// One, and then perhaps another.
    One,
    Shut,
}

#[derive(Debug)]
pub(super) struct Port<T> {
    pub config: PortConfig,
    pub gate: Gate,
    /// The queues: as many as the port ever had.
    pub queues: Vec<PortQueue<T>>,
    /// Chooses where there are several queues. A single one is all that there is, and has the port's statistics.
    pub scheduler: Option<Box<dyn Scheduler>>,
    pub transmitter: Transmitter,
    /// A queue has a rate of its own.
    pub has_queue_rates: bool,
    /// Set from a packet's dequeuing until `transmitted` says what became of it.
    pub in_egress: Option<InEgress>,
    pub recorder: Recorder,
}

#[derive(Debug)]
pub(super) struct PortQueue<T> {
    pub fifo: Queue<T>,
    /// The transmitter of the queue's own rate.
    pub transmitter: Transmitter,
    pub recorder: Recorder,
}

#[derive(Debug)]
pub(super) struct InEgress {
    pub queue: u8,
    /// The length that counted in the queue.
    pub counted_bytes: u32,
    pub since_ns: u64,
}

impl<T> Port<T> {
    fn new(now_ns: u64, config: PortConfig) -> Self {
        let mut port = Self {
            config,
            gate: Gate::Open,
            queues: Vec::new(),
            scheduler: None,
            transmitter: Transmitter::default(),
            has_queue_rates: false,
            in_egress: None,
            recorder: Recorder::new(now_ns, Depth::default()),
        };
        port.add_queues(now_ns);
        port
    }

    /// Make the queues that the configuration has: not when a packet comes, which must not allocate.
    pub fn add_queues(&mut self, now_ns: u64) {
        self.has_queue_rates = self.config.has_queue_rates();
        let count = self.queues.len().max(usize::from(self.config.queues));
        self.queues.resize_with(count, || PortQueue {
            fifo: Queue::default(),
            transmitter: Transmitter::default(),
            recorder: Recorder::new(now_ns, Depth::default()),
        });
        if count > 1 && self.scheduler.is_none() {
            // All that was recorded until now happened in the first.
            self.queues[0].recorder = self.recorder.clone();
            self.replace_scheduler();
        }
    }

    /// A new scheduler takes the queues over as they are.
    pub fn replace_scheduler(&mut self) {
        let mut scheduler = scheduler(self.config.scheduler, &self.config.weights);
        for (number, queue) in (0..).zip(&self.queues) {
            if let Some(bytes) = queue.fifo.head_bytes() {
                scheduler.enqueued(number, bytes);
            }
        }
        self.scheduler = Some(scheduler);
    }

    /// When the next packet leaves its queue, if there is one and nothing stands in the way.
    #[inline]
    pub fn due_ns(&self, now_ns: u64) -> Option<u64> {
        let ready = self.recorder.depth().pkts > 0 && !self.is_held() && self.in_egress.is_none();
        ready.then(|| {
            let free_ns = self.transmitter.free_ns().max(now_ns);
            free_ns.max(self.queue_free_ns())
        })
    }

    /// The time at which the first of the queues that have packets may send by its own rate.
    fn queue_free_ns(&self) -> u64 {
        if !self.has_queue_rates {
            return 0;
        }
        let waiting = (0..)
            .zip(&self.queues)
            .filter(|(_, queue)| queue.fifo.depth().pkts > 0);
        let free = waiting.map(|(number, queue)| self.free_ns_of(number, queue));
        free.min().unwrap_or(0)
    }

    fn free_ns_of(&self, number: usize, queue: &PortQueue<T>) -> u64 {
        match self.config.queue_rate[number] {
            Rate::Unlimited => 0,
            _ => queue.transmitter.free_ns(),
        }
    }

    /// The queues that their own rates let send at a time, a bit for each.
    #[inline]
    pub fn free_queues(&self, at_ns: u64) -> u8 {
        if !self.has_queue_rates {
            return u8::MAX;
        }
        let queues = (0..).zip(&self.queues);
        let free = queues.filter(|&(number, queue)| self.free_ns_of(number, queue) <= at_ns);
        free.fold(0, |free, (number, _)| free | 1 << number)
    }

    /// Whether nothing may leave the queues.
    #[inline]
    fn is_held(&self) -> bool {
        self.config.hold || self.gate == Gate::Shut
    }

    /// Whether a packet that comes now finds nothing before it, neither in a queue nor on its way out.
    #[inline]
    pub fn is_idle(&self, now_ns: u64) -> bool {
        let waits = self.recorder.depth().pkts > 0 || self.is_held() || self.in_egress.is_some();
        !waits && self.transmitter.free_ns() <= now_ns
    }
}
