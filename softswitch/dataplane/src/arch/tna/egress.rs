// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From the queue to the link.

use super::carried::Carried;
use super::ingress::{parser_err, NO_FORWARDING, NO_MIRROR};
use super::metadata::{read, write};
use super::prefix::{Departure, INGRESS_BYTES};
use super::{is_recirculation, Tna, EGRESS, FCS_BYTES};
use crate::exec::packet::{Deflection, Packet};
use crate::exec::traced::go_again;
use crate::fabric::Fabric;
use crate::model::packet_bytes::PacketBytes;
use crate::tm::Dequeued;
use crate::trace::message::CopyKind;

impl Tna {
    /// Runs egress on what ingress or a mirror made. Gives the bytes to send; those for a recirculation port come to
    /// ingress instead.
    pub fn egress(
        &mut self,
        fabric: &mut Fabric,
        from: &Dequeued<()>,
        packet: &mut Packet,
    ) -> Option<PacketBytes> {
        let bytes = match Carried::from(packet.carried).bypasses_egress {
            true => packet.take_data(),
            false => self.through_egress(fabric, from, packet)?,
        };
        if is_recirculation(from.port) {
            self.recirculate(fabric, packet, bytes, from);
            return None;
        }
        Some(bytes)
    }

    fn through_egress(
        &mut self,
        fabric: &mut Fabric,
        from: &Dequeued<()>,
        packet: &mut Packet,
    ) -> Option<PacketBytes> {
        let core = fabric.core.as_mut()?;
        fabric.stats.egress_pkts += 1;
        let carried = Carried::from(packet.carried);
        let departure = Departure {
            rid: packet.rid.unwrap_or(0),
            rid_first: carried.rid_first,
            frame_bytes: carried.frame_bytes,
            deflected: packet.requests.deflection == Deflection::Done,
        };
        packet.ingress_bytes = (packet.data.len() as u32).saturating_add(FCS_BYTES);
        packet
            .data
            .insert(0, &departure.bytes(from, |ns| self.chip_ns(ns)));
        packet.phv.clear();
        let (error, _) = core.parse(EGRESS, packet, from.deq_ns);
        let errors = &core.program.errors;
        if error != errors.no_error {
            fabric.stats.parser_errors += 1;
            packet.consume();
        }
        let bits = parser_err(error, errors);
        write(self.egress.parser_err, &mut packet.phv.bytes, bits);
        let chip_ns = self.chip_ns(from.deq_ns);
        write(self.egress.global_tstamp, &mut packet.phv.bytes, chip_ns);
        core.apply(EGRESS, packet, from.deq_ns, None);
        if !fabric.goes_on(packet) {
            fabric.tm.given_up(from.port);
            return None;
        }
        let core = fabric.core.as_mut()?;
        let bytes = core.deparse(EGRESS, packet, from.deq_ns);
        if !fabric.goes_on(packet) {
            fabric.tm.given_up(from.port);
            return None;
        }
        let drop_ctl = read(self.egress.drop_ctl, &packet.phv.bytes);
        if let Some(request) = packet.requests.clone.take() {
            if drop_ctl & NO_MIRROR == 0 {
                fabric.stats.clones_egress += 1;
                let kind = CopyKind::CloneEgress;
                self.mirror(fabric, packet, kind, request, &bytes, from.deq_ns);
            }
        }
        if drop_ctl & NO_FORWARDING != 0 {
            fabric.stats.dropped_egress += 1;
            fabric.tm.dropped_egress(from.port);
            packet.dropped("egress set drop_ctl");
            return None;
        }
        Some(bytes)
    }

    /// Brings a packet that left at a recirculation port to ingress, as a new one.
    fn recirculate(
        &mut self,
        fabric: &mut Fabric,
        packet: &mut Packet,
        bytes: PacketBytes,
        from: &Dequeued<()>,
    ) {
        let Some(core) = fabric.core.as_mut() else {
            return;
        };
        let mut copy = core.take();
        if self.generator.snoops() {
            self.generator.recirculated(bytes.array(0), from.deq_ns);
            fabric.generator_ns = self.generator.next_ns();
        }
        copy.data.reset(INGRESS_BYTES, 0);
        copy.data.append(&bytes);
        core.inherit(&mut copy, packet);
        copy.ingress_port = from.port;
        copy.budget = std::mem::take(&mut packet.budget);
        copy.trace = go_again(packet, CopyKind::Recirculate, 0);
        self.arrive(&mut copy, from.deq_ns, from.port);
        fabric.stats.recirculated += 1;
        fabric.wait_for_ingress(copy);
    }
}
