// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about clone sessions and multicast groups.

use super::tables::refuse;
use crate::fabric::replication::Replication;
use crate::fabric::MAX_PORT;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{CloneSession, MulticastGroup, Page, Replica};
use crate::switch::Switch;
use crate::tm::MAX_QUEUES;

fn check<'a>(replicas: impl IntoIterator<Item = &'a Replica>) -> ControlResult<()> {
    match replicas.into_iter().find(|replica| replica.port > MAX_PORT) {
        Some(replica) => refuse(
            ErrorCode::OutOfRange,
            format!("port {}: the last one is {MAX_PORT}", replica.port),
        ),
        None => Ok(()),
    }
}

/// Memory of a session or group, and of each replica, with the control plane's copy of it.
const ITEM_BYTES: usize = 512;
const REPLICA_BYTES: usize = 192;

fn footprint_bytes(replicas: &[Replica]) -> usize {
    ITEM_BYTES + REPLICA_BYTES * replicas.len()
}

fn group_footprint_bytes(group: &MulticastGroup) -> usize {
    let backups = group.backups.iter().map(|of| footprint_bytes(of));
    footprint_bytes(&group.replicas) + backups.sum::<usize>()
}

/// Gives back what was there.
fn set<T>(slots: &mut Vec<Option<T>>, index: u32, value: T) -> Option<T> {
    let index = index as usize;
    if slots.len() <= index {
        slots.resize_with(index + 1, || None);
    }
    slots[index].replace(value)
}

/// `total_bytes` is the memory of all of them.
fn put_back<T>(
    slots: &mut [Option<T>],
    total_bytes: &mut usize,
    index: u32,
    before: Option<T>,
    bytes: impl Fn(&T) -> usize,
) {
    let Some(slot) = slots.get_mut(index as usize) else {
        return;
    };
    *total_bytes += before.as_ref().map_or(0, &bytes);
    let changed = std::mem::replace(slot, before);
    *total_bytes -= changed.as_ref().map_or(0, &bytes);
}

/// Up to `count` of them from a number on, and the number of the next.
fn list<T: Clone>(slots: &[Option<T>], from: usize, count: usize) -> Page<(u32, T)> {
    let slots = slots.iter().enumerate().skip(from);
    let mut used = slots.filter_map(|(index, value)| Some((index, value.as_ref()?)));
    let page = used.by_ref().take(count);
    let page = page
        .map(|(index, value)| (index as u32, value.clone()))
        .collect();
    (page, used.next().map(|(index, _)| index))
}

impl Replication {
    /// Brings a session back to what it was, or removes it.
    pub(super) fn put_back_session(&mut self, id: u32, before: Option<CloneSession>) {
        let bytes = |session: &CloneSession| footprint_bytes(&session.replicas);
        put_back(
            &mut self.sessions,
            &mut self.footprint_bytes,
            id,
            before,
            bytes,
        );
    }

    /// Brings a multicast group back to what it was, or removes it.
    pub(super) fn put_back_group(&mut self, id: u32, before: Option<MulticastGroup>) {
        put_back(
            &mut self.groups,
            &mut self.footprint_bytes,
            id,
            before,
            group_footprint_bytes,
        );
    }
}

impl Switch {
    /// Sessions are 0 to 32767, as in simple_switch.
    pub fn clone_session_set(&mut self, session: u32, value: CloneSession) -> ControlResult<()> {
        if session > Replication::MAX_SESSION {
            let last = Replication::MAX_SESSION;
            return refuse(
                ErrorCode::OutOfRange,
                format!("clone session {session}: the last one is {last}"),
            );
        }
        if value.class_of_service >= u32::from(MAX_QUEUES) {
            let message = format!(
                "class of service {}: the last one is {}",
                value.class_of_service,
                MAX_QUEUES - 1
            );
            return refuse(ErrorCode::OutOfRange, message);
        }
        check(&value.replicas)?;
        self.fabric.replication.footprint_bytes += footprint_bytes(&value.replicas);
        if let Some(old) = set(&mut self.fabric.replication.sessions, session, value) {
            self.fabric.replication.footprint_bytes -= footprint_bytes(&old.replicas);
        }
        Ok(())
    }

    pub fn clone_session_delete(&mut self, session: u32) -> ControlResult<()> {
        match self
            .fabric
            .replication
            .sessions
            .get_mut(session as usize)
            .and_then(Option::take)
        {
            Some(old) => {
                self.fabric.replication.footprint_bytes -= footprint_bytes(&old.replicas);
                Ok(())
            }
            None => refuse(
                ErrorCode::NotFound,
                format!("there is no clone session {session}"),
            ),
        }
    }

    pub fn clone_sessions(&self) -> Vec<(u32, CloneSession)> {
        list(&self.fabric.replication.sessions, 0, usize::MAX).0
    }

    pub fn clone_session(&self, session: u32) -> Option<&CloneSession> {
        let sessions = &self.fabric.replication.sessions;
        sessions.get(session as usize)?.as_ref()
    }

    /// Groups are 1 to 65535: 0 in `mcast_grp` means no multicast.
    pub fn multicast_group_set(
        &mut self,
        group: u32,
        value: impl Into<MulticastGroup>,
    ) -> ControlResult<()> {
        let value = value.into();
        if !(1..=Replication::MAX_GROUP).contains(&group) {
            let last = Replication::MAX_GROUP;
            return refuse(
                ErrorCode::OutOfRange,
                format!("multicast group {group}: groups are 1 to {last}"),
            );
        }
        check(value.replicas.iter().chain(value.backups.iter().flatten()))?;
        if value.backups.len() > value.replicas.len() {
            let message = format!("multicast group {group}: backups of more replicas than it has");
            return refuse(ErrorCode::InvalidArgument, message);
        }
        self.fabric.replication.footprint_bytes += group_footprint_bytes(&value);
        if let Some(old) = set(&mut self.fabric.replication.groups, group, value) {
            self.fabric.replication.footprint_bytes -= group_footprint_bytes(&old);
        }
        Ok(())
    }

    pub fn multicast_group_delete(&mut self, group: u32) -> ControlResult<()> {
        match self
            .fabric
            .replication
            .groups
            .get_mut(group as usize)
            .and_then(Option::take)
        {
            Some(old) => {
                self.fabric.replication.footprint_bytes -= group_footprint_bytes(&old);
                Ok(())
            }
            None => refuse(
                ErrorCode::NotFound,
                format!("there is no multicast group {group}"),
            ),
        }
    }

    pub fn multicast_groups(&self) -> Vec<(u32, MulticastGroup)> {
        list(&self.fabric.replication.groups, 0, usize::MAX).0
    }

    /// As [`Self::table_page`].
    pub fn multicast_groups_page(&self, from: usize, count: usize) -> Page<(u32, MulticastGroup)> {
        list(&self.fabric.replication.groups, from, count)
    }

    /// The first clone session and the first multicast group that packets asked for and nobody had made.
    pub fn missing_copies(&self) -> (Option<u16>, Option<u16>) {
        let replication = &self.fabric.replication;
        (replication.missing_session, replication.missing_group)
    }
}
