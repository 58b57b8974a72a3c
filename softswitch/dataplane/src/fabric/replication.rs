// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Clone sessions and multicast groups.

use rustc_hash::FxHashSet;

use crate::model::values::{CloneSession, MulticastGroup, Replica};

/// Clone sessions and multicast groups by id.
#[derive(Debug, Default)]
pub struct Replication {
    pub sessions: Vec<Option<CloneSession>>,
    pub groups: Vec<Option<MulticastGroup>>,
    /// The first session and the first group that packets asked for and nobody had made.
    pub missing_session: Option<u16>,
    pub missing_group: Option<u16>,
    /// The memory that both take, roughly.
    pub footprint_bytes: usize,
}

/// Takes a session or group out while packets are copied by it, which reads no other. A copy of it would have to be
/// allocated for each packet.
pub fn lend<T>(items: &mut [Option<T>], id: usize) -> Option<T> {
    items.get_mut(id)?.take()
}

/// The first of a replica and its backups whose port is up, or where none is, the replica itself.
pub fn live<'r>(
    replica: &'r Replica,
    backups: Option<&'r Vec<Replica>>,
    ports_down: &FxHashSet<u32>,
) -> &'r Replica {
    let Some(backups) = backups else {
        return replica;
    };
    let mut ranked = std::iter::once(replica).chain(backups);
    ranked
        .find(|candidate| !ports_down.contains(&candidate.port))
        .unwrap_or(replica)
}

impl Replication {
    /// As [`lend`], of a multicast group.
    pub fn lend_group(&mut self, group: u16) -> Option<MulticastGroup> {
        lend(&mut self.groups, usize::from(group))
    }

    pub fn give_back_group(&mut self, group: u16, value: MulticastGroup) {
        self.groups[usize::from(group)] = Some(value);
    }

    /// Ids of clone sessions, as in simple_switch.
    pub const MAX_SESSION: u32 = 0x7fff;
    /// Ids of multicast groups: `mcast_grp` has 16 bits.
    pub const MAX_GROUP: u32 = 0xffff;
}
