// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Clones, replicas, resubmitted and recirculated packets, and the fields that they keep of their originals.

use super::{set_if_present, InstanceType, V1Model, PARSER};
use crate::exec::core::Core;
use crate::exec::packet::Packet;
use crate::exec::traced::{copy_trace, go_again};
use crate::model::packet_bytes::PacketBytes;
use crate::program::{CopiedField, FieldList};
use crate::state::loc::copy_bits;
use crate::trace::message::CopyKind;

impl V1Model {
    /// The packet as it came into ingress, parsed once more, with the listed metadata of its original.
    pub fn clone_ingress(
        &self,
        core: &mut Core,
        packet: &mut Packet,
        target: u16,
        list: u16,
        now_ns: u64,
    ) -> Box<Packet> {
        let mut copy = core.take();
        copy.data.append(&packet.data);
        core.inherit(&mut copy, packet);
        copy.budget = packet.budget.share();
        copy.trace = copy_trace(packet, CopyKind::CloneIngress, target, list);
        copy.length = packet.data.len() as u32;
        let port = self.standard.ingress_port;
        set_if_present(port, &mut copy.phv.bytes, || u64::from(packet.ingress_port));
        core.parse(PARSER, &mut copy, now_ns);
        copy.requests = Default::default();
        self.carry(core, &mut copy, packet, list, InstanceType::IngressClone);
        copy
    }

    /// The packet as egress leaves it, with the listed metadata alone.
    pub fn clone_egress(
        &self,
        core: &mut Core,
        packet: &mut Packet,
        target: u16,
        list: u16,
    ) -> Box<Packet> {
        let mut copy = core.same(packet);
        copy.trace = copy_trace(packet, CopyKind::CloneEgress, target, list);
        copy.requests = Default::default();
        copy.passes = packet.passes + 1;
        self.carry(core, &mut copy, packet, list, InstanceType::EgressClone);
        copy
    }

    /// The packet as it came into ingress, to be parsed again.
    pub fn resubmit(&self, core: &mut Core, packet: &mut Packet, list: u16) -> Box<Packet> {
        let mut copy = core.take();
        copy.data.append(&packet.data);
        core.inherit(&mut copy, packet);
        copy.budget = std::mem::take(&mut packet.budget);
        copy.trace = go_again(packet, CopyKind::Resubmit, list);
        copy.length = packet.data.len() as u32;
        self.carry(core, &mut copy, packet, list, InstanceType::Resubmitted);
        let length = self.standard.packet_length;
        set_if_present(length, &mut copy.phv.bytes, || u64::from(copy.length));
        copy
    }

    /// A deparsed packet that enters ingress anew.
    pub fn recirculate(
        &self,
        core: &mut Core,
        packet: &mut Packet,
        bytes: PacketBytes,
        list: u16,
    ) -> Box<Packet> {
        let mut copy = core.take();
        copy.data = bytes;
        core.inherit(&mut copy, packet);
        copy.budget = std::mem::take(&mut packet.budget);
        copy.trace = go_again(packet, CopyKind::Recirculate, list);
        copy.ingress_bytes = copy.data.len() as u32;
        copy.length = copy.ingress_bytes;
        self.carry(core, &mut copy, packet, list, InstanceType::Recirculated);
        let length = self.standard.packet_length;
        set_if_present(length, &mut copy.phv.bytes, || u64::from(copy.length));
        copy
    }

    /// Metadata of a copy: all 0 but the fields of a list and the instance type.
    fn carry(
        &self,
        core: &Core,
        copy: &mut Packet,
        packet: &Packet,
        list: u16,
        instance: InstanceType,
    ) {
        let layout = &core.program.layout;
        copy.phv.clear_metadata(layout);
        let none = FieldList::new();
        for field in core
            .program
            .field_lists
            .get(usize::from(list))
            .unwrap_or(&none)
        {
            match field {
                CopiedField::Field(loc) => {
                    let (from, to) = (&packet.phv.bytes, &mut copy.phv.bytes);
                    if loc.bits <= 64 {
                        loc.write_bytes(to, &loc.read_u64(from).to_be_bytes());
                    } else {
                        let start = loc.byte as usize * 8 + usize::from(loc.bit);
                        copy_bits(from, start, to, start, loc.bits as usize);
                    }
                }
                CopiedField::Var(header) => copy.phv.copy_var_from(layout, &packet.phv, *header),
                CopiedField::Constant(..) => (),
            }
        }
        self.set_instance(copy, instance);
    }
}
