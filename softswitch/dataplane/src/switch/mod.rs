// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A switch: a program, its architecture, and the queues and links around both.
//!
//! In: packets with their port and time, and the passing of time. Out: packets, copies and digests as `Output`. The
//! architecture (`arch`) says what happens to a packet before its queue and behind it. Begin with [`Switch`] below,
//! which calls it; `fabric` is what it works with, `exec::core` runs the program's blocks.

mod program;

use std::collections::VecDeque;

use crate::arch::Architecture;
use crate::exec::core::Core;
use crate::exec::packet::Packet;
pub use crate::exec::reached::{Reached, TableReached};
use crate::fabric::replication::Replication;
use crate::fabric::stats::Stats;
use crate::fabric::traced::note_queue;
use crate::fabric::{Fabric, Lane, PendingDigest, Queued, MAX_PORT};
pub use crate::model::config::{Output, SwitchConfig};
use crate::model::error::ControlResult;
use crate::model::packet_bytes::{Arriving, PacketBytes};
use crate::model::values::CounterValue;
use crate::tm::{Dequeued, Link, PortConfig, Resumed, TrafficManager};
use crate::trace::{Consumer, Filter, Tracing};
pub use program::SharedProgram;

/// The memory of a packet on a link besides its bytes.
const ON_LINK_BYTES: u64 = 64;

/// The memory that a packet on a link takes.
fn on_link_bytes(packet: &PacketBytes) -> u64 {
    ON_LINK_BYTES + packet.capacity() as u64
}

/// A whole switch: program, traffic manager, links.
///
/// Time is in nanoseconds on a clock of the caller's choice and never goes back.
pub struct Switch {
    /// The program's; as there is a program, there is a core in the fabric.
    arch: Option<Architecture>,
    pub(crate) fabric: Fabric,
    tracing: Tracing,
}

impl Switch {
    /// # Panics
    /// When `priority_queues` is not 1 to 8.
    pub fn new(config: SwitchConfig) -> Self {
        let tracing = Tracing::new(config.traced_percent);
        let ports = PortConfig {
            queues: config.priority_queues,
            ..PortConfig::default()
        };
        let tm = TrafficManager::new(ports).expect("a port has 1 to 8 queues");
        Self {
            arch: None,
            fabric: Fabric {
                core: None,
                replication: Replication::default(),
                tm,
                link: Link::new(config.seed ^ 0x6c69_6e6b),
                stats: Stats::default(),
                received: Vec::new(),
                ports: config.cpu_port.into_iter().collect(),
                waiting: VecDeque::new(),
                held_bytes: 0,
                digests: VecDeque::new(),
                generator_ns: u64::MAX,
                now_ns: 0,
                config,
            },
            tracing,
        }
    }

    pub fn config(&self) -> &SwitchConfig {
        &self.fabric.config
    }

    /// As [`Self::new`], with [`SwitchConfig::interpreted`].
    pub fn new_interpreted(config: SwitchConfig) -> Self {
        Self::new(SwitchConfig {
            interpreted: true,
            ..config
        })
    }

    /// Traces packets that arrive from now on, until the consumer is dropped. Traced packets are interpreted, with the
    /// same results; all others go on as before.
    pub fn trace(&mut self, filter: Filter) -> ControlResult<Consumer> {
        self.tracing.begin(filter)
    }

    /// Whether the loaded program runs as machine code.
    pub fn is_compiled(&self) -> bool {
        self.fabric.core.as_ref().is_some_and(Core::is_compiled)
    }

    /// Replaces the program: all state is new, entries that the program itself gives are in place. Packets in queues
    /// and on links are dropped and counted; ports keep their options; clone sessions and multicast groups are cleared.
    pub fn load_json(&mut self, json: &str) -> ControlResult<()> {
        let program = match self.fabric.config.interpreted {
            true => SharedProgram::interpreted(json),
            false => SharedProgram::new(json),
        }?;
        self.load(&program);
        Ok(())
    }

    /// As [`Self::load_json`], with a program that others may have as well: tables, registers and all else that changes
    /// are this switch's own.
    pub fn load(&mut self, program: &SharedProgram) {
        self.reset();
        let code = program.code().filter(|_| !self.fabric.config.interpreted);
        let mut arch = program.loaded().architecture.clone();
        arch.start(&mut self.fabric);
        let clock = arch.clock(&self.fabric.config);
        let start = &program.loaded().start;
        self.fabric.core = Some(Core::new(start, code, clock, &self.fabric.config));
        self.arch = Some(arch);
    }

    pub(crate) fn arch(&self) -> Option<&Architecture> {
        self.arch.as_ref()
    }

    pub(crate) fn arch_mut(&mut self) -> Option<&mut Architecture> {
        self.arch.as_mut()
    }

    pub(crate) fn reset(&mut self) {
        self.arch = None;
        self.fabric.reset();
    }

    /// A packet arrives; from the CPU port it is a packet-out, with its header. The payload of a packet in a buffer
    /// of its own is not copied, and comes out of [`Self::advance`] in the same buffer unless the headers grew.
    pub fn receive<'a>(&mut self, now_ns: u64, port: u32, bytes: impl Into<Arriving<'a>>) {
        self.queue(now_ns, port, bytes.into());
    }

    /// As [`Self::receive`]: one function for all kinds of callers, whereas [`Self::pass`] is a part of each.
    fn queue(&mut self, now_ns: u64, port: u32, bytes: Arriving<'_>) {
        let queued = self.accept(now_ns, port, bytes);
        self.go_on(queued, now_ns);
    }

    /// [`Self::receive`], [`Self::advance`] and [`Self::next_event_ns`] in one. It is faster: a packet that need not
    /// wait anywhere is not queued.
    #[inline(always)]
    pub fn pass<'a>(
        &mut self,
        now_ns: u64,
        port: u32,
        bytes: impl Into<Arriving<'a>>,
        out: &mut impl FnMut(Output),
    ) -> Option<u64> {
        // All of this is inlined here, up to the link: the calls took 5 % of a simulation's instructions.
        let queued = self.accept(now_ns, port, bytes.into());
        let queued = queued.and_then(|queued| self.send_at_once(queued, now_ns));
        self.go_on(queued, now_ns);
        self.advance(now_ns, out)
    }

    /// The interface behind a port takes no more packets: they stay in the port's queues until
    /// [`Self::resume_port`]. Those on the port's link still come out.
    pub fn pause_port(&mut self, port: u32, now_ns: u64) {
        self.fabric.now_ns = self.fabric.now_ns.max(now_ns);
        self.fabric.tm.pause(self.fabric.now_ns, port);
    }

    /// The interface behind a paused port takes a packet: one that waits leaves its queue in the next
    /// [`Self::advance`], and the port is paused again. Where none waits, the port sends freely again.
    pub fn resume_port(&mut self, port: u32, now_ns: u64) -> Resumed {
        self.fabric.now_ns = self.fabric.now_ns.max(now_ns);
        self.fabric.tm.resume(self.fabric.now_ns, port)
    }

    /// Runs ingress.
    #[inline(always)]
    fn accept(&mut self, now_ns: u64, port: u32, bytes: Arriving<'_>) -> Option<Queued> {
        let length = bytes.len();
        self.settle(now_ns);
        self.fabric.stats.received_pkts += 1;
        if port > MAX_PORT {
            self.fabric.stats.dropped_port += 1;
            return None;
        }
        if self.fabric.received.len() <= port as usize {
            self.fabric
                .received
                .resize(port as usize + 1, CounterValue::default());
            self.fabric.ports.insert(port);
        }
        self.fabric.received[port as usize].count(length as u32);
        let (Some(arch), Some(core)) = (&mut self.arch, &mut self.fabric.core) else {
            self.fabric.stats.dropped_no_program += 1;
            return None;
        };
        if !arch.receives(port) {
            self.fabric.stats.dropped_port += 1;
            return None;
        }
        let mut packet = core.take();
        packet.data.reset(arch.prefix_bytes(), 0);
        bytes.put(&mut packet.data);
        self.enter(now_ns, port, length, packet)
    }

    /// Runs ingress for a packet with room for what the architecture puts in front of its `length` bytes.
    #[inline(always)]
    fn enter(
        &mut self,
        now_ns: u64,
        port: u32,
        length: usize,
        mut packet: Box<Packet>,
    ) -> Option<Queued> {
        if self.tracing.is_on() {
            packet.trace = self.tracing.arrival(now_ns, port, length as u32);
        }
        packet.arrived(port);
        let arch = self.arch.as_mut()?;
        arch.arrive(&mut packet, now_ns, port);
        arch.ingress(&mut self.fabric, packet, now_ns)
    }

    /// Queues what ingress let through, and runs ingress for packets that wait for it.
    #[inline(always)]
    fn go_on(&mut self, queued: Option<Queued>, now_ns: u64) {
        if let Some(queued) = queued {
            self.fabric.enqueue(queued, now_ns);
        }
        if !self.fabric.waiting.is_empty() {
            self.run_waiting(now_ns);
        }
    }

    /// Runs ingress for packets that wait for it.
    #[cold]
    #[inline(never)]
    fn run_waiting(&mut self, now_ns: u64) {
        while let Some(packet) = self.fabric.waiting.pop_front() {
            let Some(arch) = &mut self.arch else { return };
            if let Some(queued) = arch.ingress(&mut self.fabric, packet, now_ns) {
                self.fabric.enqueue(queued, now_ns);
            }
        }
    }

    /// The time at which something happens next without a packet arriving.
    #[inline(always)]
    pub fn next_event_ns(&self) -> Option<u64> {
        // This runs for each packet: no iterator here.
        let never = u64::MAX;
        let queue_ns = self.fabric.tm.next_event_ns().unwrap_or(never);
        let link_ns = self.fabric.link.next_event_ns().unwrap_or(never);
        let digest_ns = self
            .fabric
            .digests
            .front()
            .map_or(never, |digest| digest.time_ns);
        let generator_ns = self.fabric.generator_ns;
        let next_ns = queue_ns.min(link_ns).min(digest_ns).min(generator_ns);
        (next_ns != never).then_some(next_ns)
    }

    /// Does all that is due until `now_ns` and hands over what comes out, in order of time. Returns
    /// [`Self::next_event_ns`].
    pub fn advance(&mut self, now_ns: u64, out: &mut impl FnMut(Output)) -> Option<u64> {
        self.settle(now_ns);
        let due = |at_ns: Option<u64>| at_ns.is_some_and(|at_ns| at_ns <= now_ns);
        loop {
            let packet_ns = self.fabric.link.next_event_ns();
            let digest_ns = self.fabric.digests.front().map(|digest| digest.time_ns);
            if due(digest_ns) && (!due(packet_ns) || digest_ns <= packet_ns) {
                self.hand_over_digest(out);
                continue;
            }
            let Some(arrived) = self.fabric.link.poll(now_ns) else {
                return self.next_event_ns();
            };
            self.fabric.held_bytes -= on_link_bytes(&arrived.packet);
            out(Output::Packet {
                port: arrived.port,
                bytes: arrived.packet,
                time_ns: arrived.at_ns,
            });
        }
    }

    #[cold]
    fn hand_over_digest(&mut self, out: &mut impl FnMut(Output)) {
        if let Some(PendingDigest {
            id,
            fields,
            time_ns,
        }) = self.fabric.digests.pop_front()
        {
            out(Output::Digest {
                id,
                fields,
                time_ns,
            });
        }
    }

    /// Runs egress for every packet whose turn it is by `now_ns`, and ingress for those of the packet generator. A
    /// program that is loaded next begins at that time.
    #[inline]
    pub fn settle(&mut self, now_ns: u64) {
        self.fabric.now_ns = self.fabric.now_ns.max(now_ns);
        if self.fabric.generator_ns <= now_ns {
            self.run_generator(now_ns);
        }
        if self
            .fabric
            .tm
            .next_event_ns()
            .is_some_and(|due_ns| due_ns <= now_ns)
        {
            self.send_due(now_ns);
        }
    }

    fn send_due(&mut self, now_ns: u64) {
        while let Some(dequeued) = self.fabric.tm.poll(now_ns) {
            self.send_dequeued(dequeued);
            // A packet that was recirculated may have triggered it.
            if self.fabric.generator_ns <= now_ns {
                self.run_generator(now_ns);
            }
        }
    }

    #[inline(never)]
    fn send_dequeued(&mut self, dequeued: Dequeued<Box<Packet>>) {
        let (packet, from) = dequeued.split();
        if let Some(core) = &self.fabric.core {
            self.fabric.held_bytes -= core.held_bytes(&packet);
        }
        self.egress(&from, packet);
        self.go_on(None, from.deq_ns);
    }

    /// Does all that is due by `now_ns`, in queues and in the packet generator, in the order of the times.
    #[cold]
    fn run_generator(&mut self, now_ns: u64) {
        loop {
            let at_ns = self.fabric.generator_ns;
            if let Some(dequeued) = self.fabric.tm.poll(now_ns.min(at_ns)) {
                self.send_dequeued(dequeued);
            } else if at_ns > now_ns || at_ns == u64::MAX {
                return;
            } else {
                self.generate(at_ns);
            }
        }
    }

    /// Runs ingress for a packet of the generator, if there is one at that time.
    fn generate(&mut self, at_ns: u64) {
        let (Some(arch), Some(core)) = (&mut self.arch, &mut self.fabric.core) else {
            return;
        };
        let mut packet = core.take();
        let Some((port, bytes)) = arch.generate(&mut self.fabric, at_ns) else {
            self.fabric.release(packet);
            return;
        };
        packet.data.reset(arch.prefix_bytes(), 0);
        packet.data.append_slice(&bytes);
        let queued = self.enter(at_ns, port, bytes.len(), packet);
        self.go_on(queued, at_ns);
    }

    /// Runs egress, and sends what it gives.
    #[inline(always)]
    fn egress(&mut self, from: &Dequeued<()>, mut packet: Box<Packet>) {
        note_queue(from, &mut packet);
        let fabric = &mut self.fabric;
        let arch = self.arch.as_mut();
        let sent = arch.and_then(|arch| arch.egress(fabric, from, &mut packet));
        let len_bytes = sent.as_ref().map_or(0, |bytes| bytes.len() as u32);
        let left_ns = fabric.tm.transmitted(from.port, len_bytes);
        if let Some(bytes) = sent {
            fabric.stats.sent_pkts += 1;
            let held_bytes = on_link_bytes(&bytes);
            if let Some(trace) = &mut packet.trace {
                trace.sent(from.port, len_bytes, left_ns);
            }
            if fabric.link.send(left_ns, from.port, bytes) {
                fabric.held_bytes += held_bytes;
            } else {
                fabric.stats.dropped_on_link += 1;
                packet.dropped("lost on the link");
            }
        }
        fabric.release(packet);
    }

    /// Sends a packet whose turn it is as soon as it comes, as [`Fabric::enqueue`] and [`Self::settle`] would. Gives
    /// back one that has to be queued, or that no queue takes.
    #[inline(always)]
    fn send_at_once(&mut self, queued: Queued, now_ns: u64) -> Option<Queued> {
        if self.fabric.is_full() {
            return Some(queued);
        }
        let Lane { queue, len_bytes } = queued.lane;
        let from = self.fabric.tm.pass(now_ns, queued.port, queue, len_bytes);
        match from {
            Some(from) => {
                self.egress(&from, queued.packet);
                None
            }
            None => Some(queued),
        }
    }
}
