// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From arrival to the queue.

use super::core::InstanceType;
use super::{PendingDigest, Switch};
use crate::exec::packet::Packet;

/// A packet that is through ingress, and the port that it is to leave at.
pub(super) struct Unicast {
    pub packet: Box<Packet>,
    pub port: u32,
}

impl Switch {
    /// Runs ingress and does what the program asked for, in simple_switch's order: clone, digest, then one of
    /// resubmit, multicast, drop and unicast. Returns a unicast packet, which the caller puts into its queue.
    pub(super) fn ingress(&mut self, mut packet: Box<Packet>, now_ns: u64) -> Option<Unicast> {
        let core = self.core.as_mut()?;
        self.stats.ingress_pkts += 1;
        let (parser_error, checksum_error) = core.ingress(&mut packet, now_ns);
        self.stats.parser_errors += u64::from(parser_error);
        self.stats.checksum_errors += u64::from(checksum_error);
        if let Some(abort) = packet.requests.abort {
            self.stats.count_abort(abort);
            packet.dropped(abort.reason());
            core.release(packet);
            return None;
        }
        if let Some((session, list)) = packet.requests.clone.take() {
            let copy = core.clone_ingress(&mut packet, session, list, now_ns);
            self.stats.clones_ingress += 1;
            self.clone_to_session(copy, session, now_ns);
        }
        let core = self.core.as_mut()?;
        let digest = std::mem::take(&mut packet.requests.digest);
        if digest != 0 {
            if let Some(fields) = core.digest(&packet, digest) {
                self.stats.digests += 1;
                self.digests.push_back(PendingDigest {
                    id: u32::from(digest),
                    fields,
                    time_ns: now_ns,
                });
            }
        }
        let resubmit = std::mem::take(&mut packet.requests.resubmit);
        if resubmit != 0 {
            let copy = core.resubmit(&mut packet, resubmit);
            core.release(packet);
            self.stats.resubmitted += 1;
            self.wait_for_ingress(copy);
            return None;
        }
        let group = core.multicast_group(&packet);
        if group != 0 {
            core.set_instance(&mut packet, InstanceType::Replicated);
            self.multicast(packet, group, now_ns);
            return None;
        }
        let port = core.egress_spec(&packet);
        if port == self.config.drop_port {
            self.stats.dropped_ingress += 1;
            packet.dropped("ingress chose the drop port");
            core.release(packet);
            return None;
        }
        core.set_instance(&mut packet, InstanceType::Normal);
        Some(Unicast { packet, port })
    }
}
