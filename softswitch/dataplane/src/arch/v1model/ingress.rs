// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From arrival to the queue.

use super::{set_if_present, InstanceType, V1Model, INGRESS, PARSER};
use crate::exec::packet::Packet;
use crate::fabric::{Fabric, Lane, Queued};
use crate::model::values::CloneSession;

impl V1Model {
    /// Runs ingress and does what the program asked for, in simple_switch's order: clone, digest, then one of
    /// resubmit, multicast, drop and unicast. Returns a unicast packet, which the caller puts into its queue.
    #[inline(always)]
    pub fn ingress(
        &self,
        fabric: &mut Fabric,
        mut packet: Box<Packet>,
        now_ns: u64,
    ) -> Option<Queued> {
        let core = fabric.core.as_mut()?;
        fabric.stats.ingress_pkts += 1;
        let (error, right) = core.parse(PARSER, &mut packet, now_ns);
        let phv = &mut packet.phv.bytes;
        set_if_present(self.standard.parser_error, phv, || u64::from(error));
        set_if_present(self.standard.checksum_error, phv, || u64::from(!right));
        fabric.stats.parser_errors += u64::from(error != core.program.errors.no_error);
        fabric.stats.checksum_errors += u64::from(!right);
        core.apply(INGRESS, &mut packet, now_ns, Some(&fabric.tm));
        if let Some(abort) = packet.requests.abort {
            fabric.stats.count_abort(abort);
            packet.dropped(abort.reason());
            core.release(packet);
            return None;
        }
        if let Some((session, list)) = packet.requests.clone.take() {
            let copy = self.clone_ingress(core, &mut packet, session, list, now_ns);
            fabric.stats.clones_ingress += 1;
            self.clone_to_session(fabric, copy, session, now_ns);
        }
        let digest = std::mem::take(&mut packet.requests.digest);
        if digest != 0 {
            fabric.digest(&packet, digest, now_ns);
        }
        let core = fabric.core.as_mut()?;
        let resubmit = std::mem::take(&mut packet.requests.resubmit);
        if resubmit != 0 {
            let copy = self.resubmit(core, &mut packet, resubmit);
            core.release(packet);
            fabric.stats.resubmitted += 1;
            fabric.wait_for_ingress(copy);
            return None;
        }
        let group = self.multicast_group(&packet);
        if group != 0 {
            self.set_instance(&mut packet, InstanceType::Replicated);
            let lane = self.lane(&packet);
            fabric.multicast(packet, group, lane, now_ns);
            return None;
        }
        let port = self.egress_spec(&packet);
        if port == fabric.config.drop_port {
            fabric.stats.dropped_ingress += 1;
            packet.dropped("ingress chose the drop port");
            core.release(packet);
            return None;
        }
        self.set_instance(&mut packet, InstanceType::Normal);
        let lane = self.lane(&packet);
        Some(Queued { packet, port, lane })
    }

    /// The queue that a packet asks for, and the length that counts there: egress has not changed the packet yet.
    #[inline(always)]
    fn lane(&self, packet: &Packet) -> Lane {
        let priority = self.standard.priority;
        let number = priority.map_or(0, |loc| loc.read(&packet.phv.bytes));
        Lane {
            queue: u8::try_from(number).unwrap_or(u8::MAX),
            len_bytes: packet.length.min(packet.requests.truncate_bytes),
        }
    }

    /// Sends copies of a clone to its session's replicas.
    pub(super) fn clone_to_session(
        &self,
        fabric: &mut Fabric,
        copy: Box<Packet>,
        session: u16,
        now_ns: u64,
    ) {
        let lane = |session: &CloneSession, copy: &mut Packet| {
            if session.truncate_bytes > 0 {
                copy.requests.truncate_bytes = session.truncate_bytes;
            }
            let lane = self.lane(copy);
            let queue = u8::try_from(session.class_of_service).ok();
            Lane {
                queue: queue.filter(|&queue| queue > 0).unwrap_or(lane.queue),
                ..lane
            }
        };
        fabric.clone_to_session(copy, session, lane, now_ns);
    }
}
