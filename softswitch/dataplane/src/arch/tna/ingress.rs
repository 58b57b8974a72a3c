// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From arrival to the queue.

use super::carried::Carried;
use super::metadata::{read, write};
use super::multicast::Excluded;
use super::prefix::{Arrival, INGRESS_BYTES};
use super::{fields, is_port, Tna, INGRESS};
use crate::exec::packet::{Deflection, Packet};
use crate::exec::traced::{copy_trace, go_again};
use crate::fabric::{Fabric, Lane, Queued};
use crate::model::packet_bytes::PacketBytes;
use crate::program::ErrorCodes;
use crate::trace::message::CopyKind;

/// Bits of `drop_ctl`.
pub(super) const NO_FORWARDING: u64 = 1;
const NO_COPY_TO_CPU: u64 = 2;
pub(super) const NO_MIRROR: u64 = 4;

/// Bits of `parser_err`.
const NO_MATCH: u64 = 1;
const PARTIAL_HEADER: u64 = 2;
const COUNTER_RANGE: u64 = 4;
const TIMEOUT: u64 = 8;

/// A parser's error as `parser_err` has it.
pub(super) fn parser_err(error: u32, errors: &ErrorCodes) -> u64 {
    if error == errors.no_error {
        0
    } else if error == errors.packet_too_short || error == errors.header_too_short {
        PARTIAL_HEADER
    } else if error == errors.stack_out_of_bounds || Some(error) == errors.counter_range {
        COUNTER_RANGE
    } else if error == errors.parser_timeout {
        TIMEOUT
    } else {
        NO_MATCH
    }
}

/// The ways that ingress wants a packet to go.
struct Ways {
    unicast: Option<u32>,
    groups: [Option<u16>; 2],
    cpu: Option<u32>,
    excluded: Excluded,
}

impl Tna {
    /// Runs ingress and does what the deparser asked for: a resubmitted packet goes nowhere else, otherwise the
    /// mirror is made, and the packet goes to its port, groups and the CPU. Returns a packet that goes to one port
    /// alone.
    pub fn ingress(
        &mut self,
        fabric: &mut Fabric,
        mut packet: Box<Packet>,
        now_ns: u64,
    ) -> Option<Queued> {
        let core = fabric.core.as_mut()?;
        fabric.stats.ingress_pkts += 1;
        let (error, _) = core.parse(INGRESS, &mut packet, now_ns);
        let errors = &core.program.errors;
        let parsed = error == errors.no_error;
        if !parsed {
            fabric.stats.parser_errors += 1;
            if self.drops_on_error {
                fabric.stats.dropped_ingress += 1;
                packet.dropped("the ingress parser failed");
                core.release(packet);
                return None;
            }
            let bits = parser_err(error, errors);
            write(self.ingress.parser_err, &mut packet.phv.bytes, bits);
            // No payload is left of a packet whose headers are not whole.
            packet.consume();
        }
        let chip_ns = self.chip_ns(now_ns);
        write(self.ingress.global_tstamp, &mut packet.phv.bytes, chip_ns);
        core.apply(INGRESS, &mut packet, now_ns, None);
        if !fabric.goes_on(&mut packet) {
            fabric.release(packet);
            return None;
        }
        let core = fabric.core.as_mut()?;
        self.received.clear();
        self.received.append_from(&packet.data, INGRESS_BYTES);
        let mut bytes = core.deparse(INGRESS, &mut packet, now_ns);
        if !fabric.goes_on(&mut packet) {
            fabric.release(packet);
            return None;
        }
        let drop_ctl = read(self.ingress.drop_ctl, &packet.phv.bytes);
        let digest = std::mem::take(&mut packet.requests.digest);
        if digest != 0 {
            fabric.digest(&packet, digest, now_ns);
        }
        let resubmit = std::mem::take(&mut packet.requests.resubmit);
        if resubmit != 0 && drop_ctl & NO_FORWARDING == 0 && parsed {
            self.resubmit(fabric, &mut packet, resubmit, now_ns);
            fabric.release(packet);
            return None;
        }
        if let Some((session, list)) = packet.requests.clone.take() {
            if drop_ctl & NO_MIRROR == 0 {
                let frame = std::mem::take(&mut self.received);
                fabric.stats.clones_ingress += 1;
                let kind = CopyKind::CloneIngress;
                self.mirror(fabric, &mut packet, kind, (session, list), &frame, now_ns);
                self.received = frame;
            }
        }
        let ways = self.ways(&packet, drop_ctl, fabric.config.cpu_port);
        let carried = Carried {
            frame_bytes: u16::try_from(packet.ingress_bytes).unwrap_or(u16::MAX),
            bypasses_egress: read(self.ingress.bypass_egress, &packet.phv.bytes) != 0,
            ..Carried::default()
        };
        packet.carried = carried.into();
        let queue = read(self.ingress.qid, &packet.phv.bytes);
        std::mem::swap(&mut packet.data, &mut bytes);
        if read(self.ingress.deflect_on_drop, &packet.phv.bytes) != 0 {
            packet.requests.deflection = Deflection::Wanted;
        }
        let lane = Lane {
            queue: u8::try_from(queue).unwrap_or(u8::MAX),
            len_bytes: packet.data.len() as u32,
        };
        self.send(fabric, packet, &ways, lane, now_ns)
    }

    fn ways(&self, packet: &Packet, drop_ctl: u64, cpu_port: Option<u32>) -> Ways {
        let phv = &packet.phv.bytes;
        let metadata = &self.ingress;
        let forwards = drop_ctl & NO_FORWARDING == 0;
        let of = |place: Option<super::metadata::Optional>| {
            place.and_then(|place| place.read(phv)).filter(|_| forwards)
        };
        let unicast = of(metadata.ucast_egress_port).map(|port| port as u32);
        let copies = read(metadata.copy_to_cpu, phv) != 0 && drop_ctl & NO_COPY_TO_CPU == 0;
        Ways {
            unicast: unicast.filter(|&port| is_port(port)),
            groups: [metadata.mcast_grp_a, metadata.mcast_grp_b]
                .map(|place| of(place).map(|group| group as u16)),
            cpu: cpu_port.filter(|_| copies),
            excluded: self.excluded(phv),
        }
    }

    /// Queues all copies of a packet; one for one port alone is given back.
    fn send(
        &mut self,
        fabric: &mut Fabric,
        mut packet: Box<Packet>,
        ways: &Ways,
        lane: Lane,
        now_ns: u64,
    ) -> Option<Queued> {
        let groups = ways.groups.iter().flatten().filter(|&&group| group != 0);
        if ways.cpu.is_none() && groups.clone().next().is_none() {
            let Some(port) = ways.unicast else {
                fabric.stats.dropped_ingress += 1;
                packet.dropped("ingress chose no port");
                fabric.release(packet);
                return None;
            };
            return Some(Queued { packet, port, lane });
        }
        let mut copies = 0;
        for port in ways.unicast.into_iter().chain(ways.cpu) {
            copies += 1;
            if let Some(copy) = fabric.copy_of(&mut packet, port) {
                let queued = Queued {
                    packet: copy,
                    port,
                    lane,
                };
                fabric.enqueue(queued, now_ns);
            }
        }
        for &group in groups {
            copies += self.multicast(fabric, &mut packet, group, ways.excluded, lane, now_ns);
        }
        if copies == 0 {
            packet.dropped("the multicast group has no replicas for it");
        }
        fabric.release(packet);
        None
    }

    /// Puts the packet as it came in front of ingress once more.
    fn resubmit(&mut self, fabric: &mut Fabric, packet: &mut Packet, list: u16, now_ns: u64) {
        let Some(core) = fabric.core.as_mut() else {
            return;
        };
        if Carried::from(packet.carried).resubmitted {
            fabric.stats.dropped_passes += 1;
            packet.dropped("it was resubmitted twice");
            return;
        }
        // The loader has refused longer lists than these 8 bytes.
        let mut behind = Vec::with_capacity(8);
        if let Some(list) = core.program.field_lists.get(usize::from(list)) {
            fields::append(list, &packet.phv.bytes, &mut behind);
        }
        behind.resize(8, 0);
        let behind = behind.try_into().map_or(0, u64::from_be_bytes);
        let mut copy = core.take();
        core.inherit(&mut copy, packet);
        copy.length = packet.length;
        copy.budget = std::mem::take(&mut packet.budget);
        copy.trace = go_again(packet, CopyKind::Resubmit, list);
        copy.data.reset(INGRESS_BYTES, 0);
        copy.data.append(&self.received);
        let arrival = Arrival {
            port: packet.ingress_port,
            chip_ns: self.chip_ns(now_ns),
            resubmitted: true,
        };
        arrival.write(copy.data.real_mut(), behind);
        let carried = Carried {
            resubmitted: true,
            ..Carried::default()
        };
        copy.carried = carried.into();
        fabric.stats.resubmitted += 1;
        fabric.wait_for_ingress(copy);
    }

    /// Sends a copy with a header of its own to the ports of a mirror session; `request` is the session and the list of
    /// the header's fields.
    pub(super) fn mirror(
        &self,
        fabric: &mut Fabric,
        packet: &mut Packet,
        kind: CopyKind,
        (session, list): (u16, u16),
        frame: &PacketBytes,
        now_ns: u64,
    ) {
        let Some(core) = fabric.core.as_mut() else {
            return;
        };
        let mut copy = core.take();
        if let Some(list) = core.program.field_lists.get(usize::from(list)) {
            let mut header = std::mem::take(&mut copy.data).into_vec();
            fields::append(list, &packet.phv.bytes, &mut header);
            copy.data = header.into();
        }
        copy.data.append(frame);
        core.inherit(&mut copy, packet);
        copy.budget = packet.budget.share();
        copy.trace = copy_trace(packet, kind, session, list);
        fabric.clone_to_session(
            copy,
            session,
            |session, copy| {
                if session.truncate_bytes > 0 {
                    copy.data.truncate(session.truncate_bytes as usize);
                }
                let bytes = copy.data.len() as u32 + super::FCS_BYTES;
                let carried = Carried {
                    frame_bytes: u16::try_from(bytes).unwrap_or(u16::MAX),
                    rid_first: true,
                    ..Carried::default()
                };
                copy.carried = carried.into();
                Lane {
                    queue: u8::try_from(session.class_of_service).unwrap_or(u8::MAX),
                    len_bytes: copy.data.len() as u32,
                }
            },
            now_ns,
        );
    }
}
