// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The v1model packet life around the two pipelines.
//!
//! In: packets with their port and time, and the passing of time. Out: packets, copies and digests as `Output`. Begin
//! with `ingress.rs` (from arrival to the queue), then `egress.rs` (from the queue to the link).

mod config;
mod copies;
mod core;
mod egress;
mod ingress;
mod program;
mod replication;
mod stats;
mod traced;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::control::{ControlResult, CounterValue};
use crate::exec::packet::Packet;
pub use crate::exec::reached::{Reached, TableReached};
use crate::tm::{Link, PortConfig, Resumed, TrafficManager};
use crate::trace::{Filter, Session, Tracing};
pub use config::{Output, SwitchConfig};
pub(crate) use core::Core;
use ingress::Unicast;
pub use program::SharedProgram;
pub(crate) use replication::Replication;
pub(crate) use stats::Stats;

/// Port numbers above are refused: state is kept in arrays.
pub const MAX_PORT: u32 = 0xffff;

/// The memory of a packet on a link besides its bytes.
const ON_LINK_BYTES: u64 = 64;

/// The memory that a packet on a link takes.
fn on_link_bytes(packet: &Vec<u8>) -> u64 {
    ON_LINK_BYTES + packet.capacity() as u64
}

/// A digest that waits to be taken.
struct PendingDigest {
    id: u32,
    fields: Vec<Vec<u8>>,
    time_ns: u64,
}

/// A whole v1model switch: program, traffic manager, links.
///
/// Time is in nanoseconds on a clock of the caller's choice and never goes back.
pub struct Switch {
    pub(crate) config: SwitchConfig,
    pub(crate) core: Option<Core>,
    pub(crate) replication: Replication,
    pub(crate) tm: TrafficManager<Box<Packet>>,
    pub(crate) link: Link<Vec<u8>>,
    pub(crate) stats: Stats,
    /// Packets that ports received.
    pub(crate) received: Vec<CounterValue>,
    /// Ports that were configured or used.
    pub(crate) ports: BTreeSet<u32>,
    /// Resubmitted and recirculated packets, which go before all others.
    waiting: VecDeque<Box<Packet>>,
    /// The memory of all packets in queues and on links.
    held_bytes: u64,
    digests: VecDeque<PendingDigest>,
    tracing: Tracing,
    /// The latest time that any call has given.
    pub(crate) now_ns: u64,
}

impl Switch {
    /// # Panics
    /// When `priority_queues` is not 1 to 8.
    pub fn new(config: SwitchConfig) -> Self {
        let ports = PortConfig {
            queues: config.priority_queues,
            ..PortConfig::default()
        };
        let tm = TrafficManager::new(ports).expect("a port has 1 to 8 queues");
        Self {
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
            tracing: Tracing::default(),
            now_ns: 0,
            config,
        }
    }

    pub fn config(&self) -> &SwitchConfig {
        &self.config
    }

    /// As [`Self::new`], with [`SwitchConfig::interpreted`].
    pub fn new_interpreted(config: SwitchConfig) -> Self {
        Self::new(SwitchConfig {
            interpreted: true,
            ..config
        })
    }

    /// Traces packets that arrive from now on, until the session is dropped. Traced packets are interpreted, with the
    /// same results; all others go on as before.
    pub fn trace(&mut self, filter: Filter) -> ControlResult<Arc<Session>> {
        self.tracing.begin(filter)
    }

    /// Whether the loaded program runs as machine code.
    pub fn is_compiled(&self) -> bool {
        self.core.as_ref().is_some_and(Core::is_compiled)
    }

    /// Replaces the program: all state is new, entries that the program itself gives are in place. Packets in queues
    /// and on links are dropped; ports keep their options; clone sessions and multicast groups are cleared.
    pub fn load_json(&mut self, json: &str) -> ControlResult<()> {
        let program = match self.config.interpreted {
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
        let code = program.code().filter(|_| !self.config.interpreted);
        let SwitchConfig {
            seed, drop_port, ..
        } = self.config;
        self.core = Some(Core::new(program.loaded(), code, seed, drop_port));
    }

    pub(crate) fn reset(&mut self) {
        self.core = None;
        self.replication = Replication::default();
        self.waiting.clear();
        self.digests.clear();
        self.tm.clear(self.now_ns);
        self.link.clear();
        self.held_bytes = 0;
    }

    /// A packet arrives; from the CPU port it is a packet-out, with its header.
    pub fn receive(&mut self, now_ns: u64, port: u32, bytes: &[u8]) {
        let fill = |data: &mut Vec<u8>| data.extend_from_slice(bytes);
        let unicast = self.accept(now_ns, port, bytes.len(), fill);
        self.go_on(unicast, now_ns);
    }

    /// [`Self::receive`] and [`Self::advance`] in one. It is faster: a packet that need not wait anywhere is not queued.
    pub fn forward(
        &mut self,
        now_ns: u64,
        port: u32,
        bytes: &[u8],
        out: &mut impl FnMut(Output),
    ) -> Option<u64> {
        let fill = |data: &mut Vec<u8>| data.extend_from_slice(bytes);
        let unicast = self.accept(now_ns, port, bytes.len(), fill);
        self.go_on_at_once(unicast, now_ns);
        self.advance(now_ns, out)
    }

    /// The interface behind a port takes no more packets: they stay in the port's queues until
    /// [`Self::resume_port`]. Those on the port's link still come out.
    pub fn pause_port(&mut self, port: u32, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        self.tm.pause(self.now_ns, port);
    }

    /// The interface behind a paused port takes a packet: one that waits leaves its queue in the next
    /// [`Self::advance`], and the port is paused again. Where none waits, the port sends freely again.
    pub fn resume_port(&mut self, port: u32, now_ns: u64) -> Resumed {
        self.now_ns = self.now_ns.max(now_ns);
        self.tm.resume(self.now_ns, port)
    }

    /// As [`Self::receive`], of a packet in a buffer of its own: its payload is not copied, and comes out of
    /// [`Self::advance`] in the same buffer unless the headers grew.
    pub fn receive_owned(&mut self, now_ns: u64, port: u32, bytes: Vec<u8>) {
        let unicast = self.accept(now_ns, port, bytes.len(), |data| *data = bytes);
        self.go_on(unicast, now_ns);
    }

    /// [`Self::receive_owned`], [`Self::advance`] and [`Self::next_event_ns`] in one. It is faster: a packet that need
    /// not wait anywhere is not queued.
    pub fn pass(
        &mut self,
        now_ns: u64,
        port: u32,
        bytes: Vec<u8>,
        out: &mut impl FnMut(Output),
    ) -> Option<u64> {
        let unicast = self.accept(now_ns, port, bytes.len(), |data| *data = bytes);
        self.go_on_at_once(unicast, now_ns);
        self.advance(now_ns, out)
    }

    /// Runs ingress; `fill` puts the packet's bytes into an empty buffer.
    fn accept(
        &mut self,
        now_ns: u64,
        port: u32,
        length: usize,
        fill: impl FnOnce(&mut Vec<u8>),
    ) -> Option<Unicast> {
        self.settle(now_ns);
        self.stats.received_pkts += 1;
        if port > MAX_PORT {
            self.stats.dropped_port += 1;
            return None;
        }
        if self.received.len() <= port as usize {
            self.received
                .resize(port as usize + 1, CounterValue::default());
            self.ports.insert(port);
        }
        self.received[port as usize].count(length as u32);
        let Some(core) = &mut self.core else {
            self.stats.dropped_no_program += 1;
            return None;
        };
        let mut packet = core.take();
        fill(&mut packet.data);
        if self.tracing.is_on() {
            packet.trace = self.tracing.arrival(now_ns, port, length as u32);
        }
        let packet = core.arrive(now_ns, port, packet);
        self.ingress(packet, now_ns)
    }

    /// As [`Self::go_on`], and sends a packet that need not wait without queuing it.
    #[inline]
    fn go_on_at_once(&mut self, unicast: Option<Unicast>, now_ns: u64) {
        let unicast = unicast.and_then(|unicast| self.send_at_once(unicast, now_ns));
        self.go_on(unicast, now_ns);
    }

    /// Queues what ingress let through, and runs ingress for packets that wait for it.
    #[inline]
    fn go_on(&mut self, unicast: Option<Unicast>, now_ns: u64) {
        if let Some(Unicast { packet, port }) = unicast {
            self.enqueue(packet, port, None, now_ns);
        }
        while let Some(packet) = self.waiting.pop_front() {
            if let Some(Unicast { packet, port }) = self.ingress(packet, now_ns) {
                self.enqueue(packet, port, None, now_ns);
            }
        }
    }

    /// When something happens next without a packet arriving.
    pub fn next_event_ns(&self) -> Option<u64> {
        // This runs for each packet: no iterator here.
        let never = u64::MAX;
        let queue_ns = self.tm.next_event_ns().unwrap_or(never);
        let link_ns = self.link.next_event_ns().unwrap_or(never);
        let digest_ns = self.digests.front().map_or(never, |digest| digest.time_ns);
        let next_ns = queue_ns.min(link_ns).min(digest_ns);
        (next_ns != never).then_some(next_ns)
    }

    /// Does all that is due until `now_ns` and hands over what comes out, in order of time. Returns
    /// [`Self::next_event_ns`].
    pub fn advance(&mut self, now_ns: u64, out: &mut impl FnMut(Output)) -> Option<u64> {
        self.settle(now_ns);
        loop {
            let packet_ns = self.link.next_event_ns().filter(|&at_ns| at_ns <= now_ns);
            let digest_ns = self
                .digests
                .front()
                .map(|digest| digest.time_ns)
                .filter(|&at_ns| at_ns <= now_ns);
            match (packet_ns, digest_ns) {
                (None, None) => return self.next_event_ns(),
                (Some(packet_ns), Some(digest_ns)) if digest_ns <= packet_ns => {
                    self.hand_over_digest(out)
                }
                (None, Some(_)) => self.hand_over_digest(out),
                (Some(_), _) => {
                    if let Some(arrived) = self.link.poll(now_ns) {
                        self.held_bytes -= on_link_bytes(&arrived.packet);
                        out(Output::Packet {
                            port: arrived.port,
                            bytes: arrived.packet,
                            time_ns: arrived.at_ns,
                        });
                    }
                }
            }
        }
    }

    fn hand_over_digest(&mut self, out: &mut impl FnMut(Output)) {
        if let Some(PendingDigest {
            id,
            fields,
            time_ns,
        }) = self.digests.pop_front()
        {
            out(Output::Digest {
                id,
                fields,
                time_ns,
            });
        }
    }

    /// Runs egress for every packet whose turn it is by `now_ns`.
    #[inline]
    pub(crate) fn settle(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        if self
            .tm
            .next_event_ns()
            .is_some_and(|due_ns| due_ns <= now_ns)
        {
            self.send_due(now_ns);
        }
    }

    fn send_due(&mut self, now_ns: u64) {
        while let Some(dequeued) = self.tm.poll(now_ns) {
            let (packet, from) = dequeued.split();
            if let Some(core) = &self.core {
                self.held_bytes -= core.held_bytes(&packet);
            }
            self.egress(&from, packet);
            self.go_on(None, from.deq_ns);
        }
    }

    fn release(&mut self, packet: Box<Packet>) {
        if let Some(core) = &mut self.core {
            core.release(packet);
        }
    }
}
