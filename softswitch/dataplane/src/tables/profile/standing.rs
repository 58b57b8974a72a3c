// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Members and groups as they stood, to be brought back.

use super::{GroupState, Member, Profile};

impl Profile {
    /// A member and its slot, for [`Self::put_back_member`].
    pub fn standing_member(&self, id: u32) -> Option<(u32, Member)> {
        let slot = self.member_slots.get(id.into())?;
        Some((slot, self.member(slot).clone()))
    }

    /// Brings a member back to what it was, or removes it if it was not there; all that changed after it was taken back
    /// before.
    pub fn put_back_member(&mut self, id: u32, before: Option<(u32, Member)>) {
        if let Some(slot) = self.member_slots.get(id.into()) {
            self.member_slots.remove(id.into());
            self.free_members.insert(slot);
            self.footprint_bytes -= self.member(slot).footprint_bytes();
            self.members.take(slot);
        }
        if let Some((slot, member)) = before {
            self.footprint_bytes += member.footprint_bytes();
            self.members.put(slot, member);
            self.free_members.remove(&slot);
            self.member_slots.insert(id.into(), slot);
        }
    }

    /// A group and its slot, for [`Self::put_back_group`].
    pub fn standing_group(&self, id: u32) -> Option<(u32, GroupState)> {
        let slot = self.group_slots.get(id.into())?;
        Some((slot, self.group(slot).clone()))
    }

    /// As [`Self::put_back_member`].
    pub fn put_back_group(&mut self, id: u32, before: Option<(u32, GroupState)>) {
        let changed = self.group_slots.get(id.into());
        if let Some(slot) = changed {
            self.group_slots.remove(id.into());
            self.free_groups.insert(slot);
        }
        if let Some(changed) = changed.and_then(|slot| self.groups.take(slot)) {
            self.footprint_bytes -= changed.footprint_bytes();
            self.use_members(&changed.config, |uses| uses - 1);
        }
        if let Some((slot, group)) = before {
            self.footprint_bytes += group.footprint_bytes();
            self.use_members(&group.config, |uses| uses + 1);
            self.groups.put(slot, group);
            self.free_groups.remove(&slot);
            self.group_slots.insert(id.into(), slot);
        }
    }
}
