// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Copies of packets for the replicas of clone sessions and multicast groups, and the way of each to its queue.

use super::replication::{lend, live, Replication};
use super::{Fabric, Lane, Queued, MAX_PORT};
use crate::exec::packet::{Abort, Deflection, Packet};
use crate::model::values::{CloneSession, Replica};
use crate::tm::Refusal;
use crate::trace::message::CopyKind;

/// The most times that a packet may be cloned, resubmitted or recirculated. BMv2 has no limit and would go on for ever.
const MAX_PASSES: u16 = 1024;

/// The reason that traced packets went no further.
const TOO_MANY_PASSES: &str = "it was cloned, resubmitted or recirculated too often";
const NO_SESSION: &str = "the clone session has no replicas";
const NO_GROUP: &str = "the multicast group has no replicas";

impl Fabric {
    /// Sends copies of a clone to its session's replicas; `lane` says where the session wants them.
    // Copies are rare. Inlined, they make the path of all packets 3 % slower.
    #[inline(never)]
    pub fn clone_to_session(
        &mut self,
        mut copy: Box<Packet>,
        session: u16,
        lane: impl FnOnce(&CloneSession, &mut Packet) -> Lane,
        now_ns: u64,
    ) {
        let id = u32::from(session) & Replication::MAX_SESSION;
        let Some(session) = lend(&mut self.replication.sessions, id as usize) else {
            self.replication.missing_session.get_or_insert(id as u16);
            self.stats.dropped_clone_session += 1;
            copy.dropped(NO_SESSION);
            return self.release(copy);
        };
        if session.replicas.is_empty() {
            self.stats.dropped_clone_session += 1;
            copy.dropped(NO_SESSION);
            self.release(copy);
        } else if !self.pays_pass(&mut copy) {
            self.release(copy);
        } else {
            let lane = lane(&session, &mut copy);
            self.replicate(copy, &session.replicas, &[], lane, now_ns);
        }
        self.replication.sessions[id as usize] = Some(session);
    }

    #[inline(never)]
    pub fn multicast(&mut self, mut packet: Box<Packet>, group: u16, lane: Lane, now_ns: u64) {
        let id = usize::from(group);
        let Some(group) = lend(&mut self.replication.groups, id) else {
            self.replication.missing_group.get_or_insert(group);
            self.stats.dropped_multicast_group += 1;
            packet.dropped(NO_GROUP);
            return self.release(packet);
        };
        if group.replicas.is_empty() {
            self.stats.dropped_multicast_group += 1;
            packet.dropped(NO_GROUP);
            self.release(packet);
        } else {
            self.replicate(packet, &group.replicas, &group.backups, lane, now_ns);
        }
        self.replication.groups[id] = Some(group);
    }

    /// The packet and copies of it, one for every replica, in their order.
    fn replicate(
        &mut self,
        packet: Box<Packet>,
        replicas: &[Replica],
        backups: &[Vec<Replica>],
        lane: Lane,
        now_ns: u64,
    ) {
        let Some((last, others)) = replicas.split_last() else {
            return self.release(packet);
        };
        self.stats.multicast_copies += others.len() as u64;
        let mut packet = packet;
        for (place, replica) in others.iter().enumerate() {
            if !self.pays_pass(&mut packet) {
                continue;
            }
            if let Some(core) = &mut self.core {
                let replica = live(replica, backups.get(place), &core.tables.ports_down);
                let mut copy = core.replicate(&mut packet, replica.port);
                copy.rid = Some(replica.rid);
                let port = replica.port;
                let packet = copy;
                self.enqueue(Queued { packet, port, lane }, now_ns);
            }
        }
        let Some(core) = &self.core else {
            return self.release(packet);
        };
        let last = *live(last, backups.get(others.len()), &core.tables.ports_down);
        packet.rid = Some(last.rid);
        if let Some(trace) = &mut packet.trace {
            trace.go_on(CopyKind::Replica, last.port, 0);
        }
        let port = last.port;
        self.enqueue(Queued { packet, port, lane }, now_ns);
    }

    /// Puts a packet into a port's queue.
    pub fn enqueue(&mut self, queued: Queued, now_ns: u64) {
        let Queued {
            mut packet,
            port,
            lane: Lane { queue, len_bytes },
        } = queued;
        let Some(core) = &self.core else { return };
        if port > MAX_PORT {
            self.stats.dropped_port += 1;
            packet.dropped("there is no such port");
            return self.release(packet);
        }
        if packet.passes > MAX_PASSES {
            self.stats.dropped_passes += 1;
            packet.dropped(TOO_MANY_PASSES);
            return self.release(packet);
        }
        if self.is_full() {
            self.stats.dropped_memory += 1;
            packet.dropped("the switch holds as much as it may");
            return self.release(packet);
        }
        let held_bytes = core.held_bytes(&packet);
        self.held_bytes += held_bytes;
        if let Err(mut refused) = self.tm.enqueue(now_ns, port, queue, packet, len_bytes) {
            self.held_bytes -= held_bytes;
            match refused.reason {
                Refusal::NoSuchQueue => {
                    self.stats.dropped_priority += 1;
                    refused
                        .item
                        .dropped("the port has no queue of this priority");
                }
                _ => {
                    let way = self.config.deflection;
                    if let (Deflection::Wanted, Some((port, queue))) =
                        (refused.item.requests.deflection, way)
                    {
                        return self.deflect(refused.item, port, Lane { queue, len_bytes }, now_ns);
                    }
                    self.stats.dropped_queue_full += 1;
                    refused.item.dropped("the queue is full");
                }
            }
            self.release(refused.item);
        }
    }

    fn deflect(&mut self, mut packet: Box<Packet>, port: u32, lane: Lane, now_ns: u64) {
        packet.requests.deflection = Deflection::Done;
        self.enqueue(Queued { packet, port, lane }, now_ns);
    }

    /// Whether the switch holds as much as it may.
    pub fn is_full(&self) -> bool {
        self.held_bytes >= self.config.max_held_bytes
    }

    /// Pays for a packet's next pass, or for a copy of it; counts what cannot pay.
    pub fn pays_pass(&mut self, packet: &mut Packet) -> bool {
        let pays = self.core.as_ref().is_some_and(|core| core.pay_pass(packet));
        if !pays {
            self.stats.count_abort(Abort::EndlessLoop);
            packet.dropped(Abort::EndlessLoop.reason());
        }
        pays
    }

    /// Puts a packet in front of ingress.
    pub fn wait_for_ingress(&mut self, mut packet: Box<Packet>) {
        if packet.passes > MAX_PASSES {
            self.stats.dropped_passes += 1;
            packet.dropped(TOO_MANY_PASSES);
            return self.release(packet);
        }
        if !self.pays_pass(&mut packet) {
            return self.release(packet);
        }
        self.waiting.push_back(packet);
    }
}
