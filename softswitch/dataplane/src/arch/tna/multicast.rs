// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Copies for the ports of multicast groups, and the two levels of exclusion.
//!
//! A group's replicas with one instance are a node of the first level, whose number is its RID, and their ports are the
//! second level. A packet can exclude a node by the node's level 1 exclusion id, and ports of the node that has the
//! packet's own RID by a level 2 exclusion id.

use super::carried::Carried;
use super::metadata::read;
use super::Tna;
use crate::exec::packet::Packet;
use crate::fabric::replication::live;
use crate::fabric::{Fabric, Lane, Queued};
use crate::model::values::Replica;

/// Ids by which a packet leaves nodes and ports out.
#[derive(Debug, Clone, Copy)]
pub struct Excluded {
    level1: u16,
    level2: u16,
    rid: u16,
}

impl Tna {
    pub fn excluded(&self, phv: &[u8]) -> Excluded {
        Excluded {
            level1: read(self.ingress.level1_exclusion_id, phv) as u16,
            level2: read(self.ingress.level2_exclusion_id, phv) as u16,
            rid: read(self.ingress.rid, phv) as u16,
        }
    }

    fn excludes(&self, group: u16, replica: &Replica, excluded: Excluded) -> bool {
        let node = self.exclusions.nodes.get(&(group, replica.rid));
        let ports = self.exclusions.ports.get(&excluded.level2);
        node == Some(&excluded.level1)
            || excluded.rid == replica.rid
                && ports.is_some_and(|ports| ports.contains(&replica.port))
    }

    /// Queues a copy for each port of a group, or for the backup of a port that is down; gives the number of copies.
    pub fn multicast(
        &self,
        fabric: &mut Fabric,
        packet: &mut Packet,
        id: u16,
        excluded: Excluded,
        lane: Lane,
        now_ns: u64,
    ) -> usize {
        let Some(group) = fabric.replication.lend_group(id) else {
            fabric.replication.missing_group.get_or_insert(id);
            fabric.stats.dropped_multicast_group += 1;
            return 0;
        };
        if group.replicas.is_empty() {
            fabric.stats.dropped_multicast_group += 1;
        }
        let mut copies = 0;
        let mut seen = None;
        for (place, replica) in group.replicas.iter().enumerate() {
            let Some(core) = &fabric.core else { break };
            let backups = group.backups.get(place);
            let replica = *live(replica, backups, &core.tables.ports_down);
            if self.excludes(id, &replica, excluded) {
                continue;
            }
            copies += 1;
            let carried = Carried {
                rid_first: seen.replace(replica.rid) != Some(replica.rid),
                ..Carried::from(packet.carried)
            };
            let Some(mut copy) = fabric.copy_of(packet, replica.port) else {
                continue;
            };
            copy.rid = Some(replica.rid);
            copy.carried = carried.into();
            fabric.stats.multicast_copies += 1;
            let queued = Queued {
                packet: copy,
                port: replica.port,
                lane,
            };
            fabric.enqueue(queued, now_ns);
        }
        fabric.replication.give_back_group(id, group);
        copies
    }
}
