// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From the queue to the link.

use super::{set_if_present, us, V1Model, DEPARSER, EGRESS};
use crate::exec::packet::Packet;
use crate::exec::queues::Entry;
use crate::fabric::Fabric;
use crate::model::packet_bytes::PacketBytes;
use crate::tm::Dequeued;

impl V1Model {
    /// Runs egress and does what the program asked for, in simple_switch's order: clone, then one of drop,
    /// recirculate and send. Gives the bytes to send, if any.
    #[inline(always)]
    pub fn egress(
        &self,
        fabric: &mut Fabric,
        from: &Dequeued<()>,
        packet: &mut Packet,
    ) -> Option<PacketBytes> {
        let core = fabric.core.as_mut()?;
        fabric.stats.egress_pkts += 1;
        self.leave_queue(from, packet, fabric.config.drop_port);
        core.apply(EGRESS, packet, from.deq_ns, Some(&fabric.tm));
        if let Some(abort) = packet.requests.abort {
            fabric.stats.count_abort(abort);
            fabric.tm.given_up(from.port);
            packet.dropped(abort.reason());
            return None;
        }
        if let Some((session, list)) = packet.requests.clone.take() {
            let copy = self.clone_egress(core, packet, session, list);
            fabric.stats.clones_egress += 1;
            self.clone_to_session(fabric, copy, session, from.deq_ns);
        }
        let core = fabric.core.as_mut()?;
        if self.egress_spec(packet) == fabric.config.drop_port {
            fabric.stats.dropped_egress += 1;
            fabric.tm.dropped_egress(from.port);
            packet.dropped("egress chose the drop port");
            return None;
        }
        let mut bytes = core.deparse(DEPARSER, packet, from.deq_ns);
        if let Some(abort) = packet.requests.abort {
            fabric.stats.count_abort(abort);
            fabric.tm.given_up(from.port);
            packet.dropped(abort.reason());
            return None;
        }
        let recirculate = std::mem::take(&mut packet.requests.recirculate);
        if recirculate != 0 {
            let copy = self.recirculate(core, packet, bytes, recirculate);
            fabric.stats.recirculated += 1;
            fabric.wait_for_ingress(copy);
            return None;
        }
        bytes.truncate(packet.requests.truncate_bytes as usize);
        Some(bytes)
    }

    /// Metadata that the queue, the port and replication give.
    #[inline(always)]
    fn leave_queue(&self, from: &Dequeued<()>, packet: &mut Packet, drop_port: u32) {
        if self.asks_entry {
            packet.entry = Entry {
                at_ns: from.enq_ns,
                depth: from.enq_depth,
            };
        }
        let standard = &self.standard;
        let phv = &mut *packet.phv.bytes;
        let (enq_us, deq_us) = (us(from.enq_ns), us(from.deq_ns));
        set_if_present(standard.egress_timestamp, phv, || deq_us);
        let queueing = &standard.queueing;
        set_if_present(queueing.enq_timestamp, phv, || enq_us);
        set_if_present(queueing.enq_qdepth, phv, || from.enq_depth.pkts);
        set_if_present(queueing.deq_timedelta, phv, || deq_us - enq_us);
        set_if_present(queueing.deq_qdepth, phv, || from.deq_depth.pkts);
        set_if_present(queueing.qid, phv, || u64::from(from.queue));
        set_if_present(standard.egress_port, phv, || u64::from(from.port));
        standard.egress_spec.write(phv, u64::from(drop_port) + 1);
        set_if_present(standard.packet_length, phv, || u64::from(packet.length));
        if let Some(rid) = packet.rid {
            set_if_present(standard.egress_rid, phv, || u64::from(rid));
        }
    }
}
