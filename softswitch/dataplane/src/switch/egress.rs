// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From the queue to the link.

use super::{on_link_bytes, Switch};
use crate::exec::packet::Packet;
use crate::tm::Dequeued;

impl Switch {
    /// Runs egress and does what the program asked for, in simple_switch's order: clone, then one of drop,
    /// recirculate and send.
    pub(super) fn egress(&mut self, from: &Dequeued<()>, mut packet: Box<Packet>) {
        let sent = self.egress_pipeline(from, &mut packet);
        let left_ns = self.tm.transmitted(
            from.port,
            sent.as_ref().map_or(0, |bytes| bytes.len() as u32),
        );
        if let Some(bytes) = sent {
            self.stats.sent_pkts += 1;
            let held_bytes = on_link_bytes(&bytes);
            if let Some(trace) = &mut packet.trace {
                trace.sent(from.port, bytes.len() as u32, left_ns);
            }
            if self.link.send(left_ns, from.port, bytes) {
                self.held_bytes += held_bytes;
            } else {
                self.stats.dropped_on_link += 1;
                packet.dropped("lost on the link");
            }
        }
        self.release(packet);
    }

    /// The bytes to send, if any.
    fn egress_pipeline(&mut self, from: &Dequeued<()>, packet: &mut Packet) -> Option<Vec<u8>> {
        let core = self.core.as_mut()?;
        self.stats.egress_pkts += 1;
        core.egress(from, packet);
        if let Some(abort) = packet.requests.abort {
            self.stats.count_abort(abort);
            packet.dropped(abort.reason());
            return None;
        }
        if let Some((session, list)) = packet.requests.clone.take() {
            let copy = core.clone_egress(packet, session, list);
            self.stats.clones_egress += 1;
            self.clone_to_session(copy, session, from.deq_ns);
        }
        let core = self.core.as_mut()?;
        if core.egress_spec(packet) == self.config.drop_port {
            self.stats.dropped_egress += 1;
            packet.dropped("egress chose the drop port");
            return None;
        }
        let mut bytes = core.deparse(packet, from.deq_ns);
        if let Some(abort) = packet.requests.abort {
            self.stats.count_abort(abort);
            packet.dropped(abort.reason());
            return None;
        }
        let recirculate = std::mem::take(&mut packet.requests.recirculate);
        if recirculate != 0 {
            let copy = core.recirculate(packet, bytes, recirculate);
            self.stats.recirculated += 1;
            self.wait_for_ingress(copy);
            return None;
        }
        bytes.truncate(packet.requests.truncate_bytes as usize);
        Some(bytes)
    }
}
