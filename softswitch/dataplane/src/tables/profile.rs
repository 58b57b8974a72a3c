// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Action profiles and selectors.

mod choices;
mod standing;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::bound::Bound;
use super::selector::Mode;
use super::slots::Slots;
use super::word_map::WordMap;
use crate::model::error::{ControlError, ControlResult, ErrorCode};
use crate::model::values::{Group, GroupMember};
pub use choices::Choices;

#[derive(Debug, Clone)]
pub struct Member {
    pub id: u32,
    pub call: Bound,
    /// Entries and groups that use it.
    pub uses: u32,
}

#[derive(Debug, Clone)]
pub struct GroupState {
    pub config: Group,
    /// Slots of members.
    pub choices: Choices,
    /// Entries that use it.
    pub uses: u32,
}

/// The limits that a program sets for a selector's groups.
#[derive(Debug, Clone, Copy, Default)]
pub struct GroupLimits {
    /// Tofino's way to choose.
    pub mode: Option<Mode>,
    /// Most weights of a group; 0 where the program gives none.
    pub max_size: u32,
    /// Most groups; 0 where the program gives none.
    pub count: u32,
}

#[derive(Debug, Clone)]
pub struct Profile {
    pub name: String,
    /// Most members; 0 where the program gives none.
    pub size: u64,
    pub with_groups: bool,
    pub groups_may: GroupLimits,
    pub members: Slots<Member>,
    pub groups: Slots<GroupState>,
    /// Entries that hold a set of actions of their own. There are either such or members and groups.
    pub one_shots: u32,
    member_slots: WordMap,
    group_slots: WordMap,
    free_members: BTreeSet<u32>,
    free_groups: BTreeSet<u32>,
    /// The memory of members and groups.
    footprint_bytes: usize,
}

/// Memory of a member or a group beside its parameters or members; measured, rounded up.
const ITEM_BYTES: usize = 256;
const GROUP_MEMBER_BYTES: usize = 64;

impl Member {
    fn footprint_bytes(&self) -> usize {
        ITEM_BYTES + self.call.data.len()
    }
}

impl GroupState {
    fn footprint_bytes(&self) -> usize {
        ITEM_BYTES + GROUP_MEMBER_BYTES * self.config.members.len() + self.choices.slots_bytes()
    }
}

fn refuse<T>(code: ErrorCode, message: String) -> ControlResult<T> {
    Err(ControlError::new(code, message))
}

/// Puts a value in the first free slot.
fn place<T>(slots: &mut Slots<T>, free: &mut BTreeSet<u32>, value: T) -> u32 {
    let slot = free.pop_first().unwrap_or(slots.end() as u32);
    slots.put(slot, value);
    slot
}

impl Profile {
    pub fn new(name: String, size: u64, with_groups: bool, groups_may: GroupLimits) -> Self {
        Self {
            name,
            size,
            with_groups,
            groups_may,
            members: Slots::default(),
            groups: Slots::default(),
            one_shots: 0,
            member_slots: WordMap::default(),
            group_slots: WordMap::default(),
            free_members: BTreeSet::new(),
            free_groups: BTreeSet::new(),
            footprint_bytes: 0,
        }
    }

    /// The memory that members and groups take, roughly.
    pub fn footprint_bytes(&self) -> usize {
        self.footprint_bytes
    }

    /// Refuses members and groups beside one-shot sets (P4Runtime specification, "One Shot Action Selector
    /// Programming").
    pub fn check_no_one_shots(&self) -> ControlResult<()> {
        if self.one_shots > 0 {
            let message = format!(
                "profile '{}' is programmed with one-shot sets: no members or groups beside them",
                self.name
            );
            return refuse(ErrorCode::InvalidArgument, message);
        }
        Ok(())
    }

    /// Refuses one-shot sets beside members and groups.
    pub fn check_only_one_shots(&self) -> ControlResult<()> {
        if !self.member_slots.is_empty() || !self.group_slots.is_empty() {
            let message = format!(
                "profile '{}' has members or groups: no one-shot sets beside them",
                self.name
            );
            return refuse(ErrorCode::InvalidArgument, message);
        }
        Ok(())
    }

    /// The action of a member that exists.
    pub fn set_call(&mut self, slot: u32, call: Bound) {
        let member = self.member_mut(slot);
        let before_bytes = member.footprint_bytes();
        member.call = call;
        let after_bytes = member.footprint_bytes();
        self.footprint_bytes = self.footprint_bytes - before_bytes + after_bytes;
    }

    pub fn member_slot(&self, id: u32) -> ControlResult<u32> {
        match self.member_slots.get(id.into()) {
            Some(slot) => Ok(slot),
            None => refuse(
                ErrorCode::NotFound,
                format!("profile '{}' has no member {id}", self.name),
            ),
        }
    }

    pub fn group_slot(&self, id: u32) -> ControlResult<u32> {
        match self.group_slots.get(id.into()) {
            Some(slot) => Ok(slot),
            None => refuse(
                ErrorCode::NotFound,
                format!("profile '{}' has no group {id}", self.name),
            ),
        }
    }

    #[inline]
    pub fn member(&self, slot: u32) -> &Member {
        self.members
            .get(slot)
            .expect("a member in use is not removed")
    }

    pub fn member_mut(&mut self, slot: u32) -> &mut Member {
        self.members
            .get_mut(slot)
            .expect("a member in use is not removed")
    }

    #[inline]
    pub fn group(&self, slot: u32) -> &GroupState {
        self.groups
            .get(slot)
            .expect("a group in use is not removed")
    }

    pub fn group_mut(&mut self, slot: u32) -> &mut GroupState {
        self.groups
            .get_mut(slot)
            .expect("a group in use is not removed")
    }

    pub fn insert_member(&mut self, id: u32, call: Bound) -> ControlResult<()> {
        self.check_no_one_shots()?;
        if self.member_slots.get(id.into()).is_some() {
            return refuse(
                ErrorCode::AlreadyExists,
                format!("profile '{}' already has a member {id}", self.name),
            );
        }
        if self.size > 0 && self.member_slots.len() as u64 >= self.size {
            return refuse(
                ErrorCode::ResourceExhausted,
                format!(
                    "profile '{}' is full: it has {} members",
                    self.name, self.size
                ),
            );
        }
        let member = Member { id, call, uses: 0 };
        self.footprint_bytes += member.footprint_bytes();
        let slot = place(&mut self.members, &mut self.free_members, member);
        self.member_slots.insert(id.into(), slot);
        Ok(())
    }

    pub fn delete_member(&mut self, id: u32) -> ControlResult<()> {
        let slot = self.member_slot(id)?;
        if self.member(slot).uses > 0 {
            return refuse(
                ErrorCode::FailedPrecondition,
                format!("member {id} of profile '{}' is in use", self.name),
            );
        }
        self.footprint_bytes -= self.member(slot).footprint_bytes();
        self.members.take(slot);
        self.member_slots.remove(id.into());
        self.free_members.insert(slot);
        Ok(())
    }

    /// Refuses groups and sets that are larger than the program allows.
    pub fn check_weights(&self, weights: u64) -> ControlResult<()> {
        let most = self.groups_may.max_size;
        if most > 0 && weights > u64::from(most) {
            let message = format!(
                "groups of profile '{}' have weights of at most {most}, not {weights}",
                self.name
            );
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        Ok(())
    }

    fn check_group(&self, group: &Group) -> ControlResult<()> {
        if !self.with_groups {
            let message = format!("profile '{}' is no selector: it has no groups", self.name);
            return refuse(ErrorCode::InvalidArgument, message);
        }
        let mut seen = FxHashSet::default();
        let mut weights = 0u64;
        for &GroupMember { member, weight, .. } in &group.members {
            self.member_slot(member)?;
            if weight == 0 || !seen.insert(member) {
                let what = if weight == 0 {
                    "has weight 0"
                } else {
                    "is given twice"
                };
                let message = format!(
                    "member {member} of group {} of profile '{}' {what}",
                    group.id, self.name
                );
                return refuse(ErrorCode::InvalidArgument, message);
            }
            weights += u64::from(weight);
        }
        self.check_weights(weights)?;
        if group.max_size > 0 && weights > u64::from(group.max_size) {
            let message = format!(
                "group {} of profile '{}' has weights of {weights} in all; its size is {}",
                group.id, self.name, group.max_size
            );
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        Ok(())
    }

    fn slot_of(&self, member: &GroupMember) -> u32 {
        let slot = self.member_slots.get(member.member.into());
        slot.expect("a group has members that exist")
    }

    fn use_members(&mut self, group: &Group, change: impl Fn(u32) -> u32) {
        for member in &group.members {
            let slot = self.slot_of(member);
            let uses = &mut self.member_mut(slot).uses;
            *uses = change(*uses);
        }
    }

    fn choices(&self, group: &Group, ports_down: &FxHashSet<u32>) -> Choices {
        let mut members = group.members.clone();
        members.sort_by_key(|member| member.member);
        let all = members
            .iter()
            .map(|member| (self.slot_of(member), member.weight, member.watch_port));
        Choices::new(self.groups_may.mode, all, ports_down)
    }

    pub fn insert_group(&mut self, group: Group, ports_down: &FxHashSet<u32>) -> ControlResult<()> {
        self.check_no_one_shots()?;
        if self.group_slots.get(group.id.into()).is_some() {
            let message = format!("profile '{}' already has a group {}", self.name, group.id);
            return refuse(ErrorCode::AlreadyExists, message);
        }
        self.check_group(&group)?;
        let most = self.groups_may.count;
        if most > 0 && self.group_slots.len() as u64 >= u64::from(most) {
            let message = format!("profile '{}' is full: it has {most} groups", self.name);
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        self.use_members(&group, |uses| uses + 1);
        let (id, choices) = (group.id, self.choices(&group, ports_down));
        let state = GroupState {
            config: group,
            choices,
            uses: 0,
        };
        self.footprint_bytes += state.footprint_bytes();
        let slot = place(&mut self.groups, &mut self.free_groups, state);
        self.group_slots.insert(id.into(), slot);
        Ok(())
    }

    pub fn modify_group(
        &mut self,
        mut group: Group,
        ports_down: &FxHashSet<u32>,
    ) -> ControlResult<()> {
        let slot = self.group_slot(group.id)?;
        let old = self.group(slot).config.clone();
        if group.max_size == 0 {
            group.max_size = old.max_size;
        }
        self.check_group(&group)?;
        self.use_members(&old, |uses| uses - 1);
        self.use_members(&group, |uses| uses + 1);
        let choices = self.choices(&group, ports_down);
        let state = self.group_mut(slot);
        let before_bytes = state.footprint_bytes();
        state.config = group;
        state.choices = choices;
        let after_bytes = state.footprint_bytes();
        self.footprint_bytes = self.footprint_bytes - before_bytes + after_bytes;
        Ok(())
    }

    pub fn delete_group(&mut self, id: u32) -> ControlResult<()> {
        let slot = self.group_slot(id)?;
        if self.group(slot).uses > 0 {
            let message = format!("group {id} of profile '{}' is in use", self.name);
            return refuse(ErrorCode::FailedPrecondition, message);
        }
        let old = self.groups.take(slot).expect("the slot of a group");
        self.footprint_bytes -= old.footprint_bytes();
        self.use_members(&old.config, |uses| uses - 1);
        self.group_slots.remove(id.into());
        self.free_groups.insert(slot);
        Ok(())
    }

    /// Works out the choices of all groups again.
    pub fn ports_changed(&mut self, ports_down: &FxHashSet<u32>) {
        for slot in 0..self.groups.end() as u32 {
            if let Some(group) = self.groups.get(slot) {
                let choices = self.choices(&group.config, ports_down);
                self.group_mut(slot).choices = choices;
            }
        }
    }
}
