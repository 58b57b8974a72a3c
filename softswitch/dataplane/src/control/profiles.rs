// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about action profiles and selectors.

use super::tables::refuse;
use crate::exec::core::Core;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{ActionCall, Group, Page};
use crate::switch::Switch;
use crate::tables::bound::Bound;
use crate::tables::entry::EntryAction;
use crate::tables::profile::{Choices, Profile};

impl Core {
    pub(super) fn profile_index(&self, name: &str) -> ControlResult<usize> {
        match self
            .tables
            .profiles
            .iter()
            .position(|profile| profile.name == name)
        {
            Some(index) => Ok(index),
            None => refuse(
                ErrorCode::NotFound,
                format!("the program has no action profile called '{name}'"),
            ),
        }
    }

    fn profile(&self, name: &str) -> ControlResult<&Profile> {
        Ok(&self.tables.profiles[self.profile_index(name)?])
    }

    /// An action that all tables of the profile may call.
    fn bind_member(&self, profile: usize, call: &ActionCall) -> ControlResult<Bound> {
        let actions = &self.program.actions;
        let mut tables = self
            .program
            .tables
            .iter()
            .filter(|table| table.profile == Some(profile as u32));
        let known = tables.next().map_or(&[][..], |table| &table.actions);
        match known
            .iter()
            .copied()
            .find(|&action| actions[action as usize].name == call.name)
        {
            Some(action) => Bound::new(action, &actions[action as usize], &call.params),
            None => {
                let name = &self.tables.profiles[profile].name;
                refuse(
                    ErrorCode::InvalidArgument,
                    format!("profile '{name}' has no action '{}'", call.name),
                )
            }
        }
    }

    /// Whether that is a change.
    pub(super) fn set_port_up(&mut self, port: u32, up: bool) -> bool {
        let changed = if up {
            self.tables.ports_down.remove(&port)
        } else {
            self.tables.ports_down.insert(port)
        };
        if !changed {
            return false;
        }
        let down = &self.tables.ports_down;
        self.tables
            .profiles
            .iter_mut()
            .for_each(|profile| profile.ports_changed(down));
        for table in self.tables.tables.iter_mut() {
            let profiles = &self.tables.profiles;
            let mode = table.profile;
            let mode = mode.and_then(|profile| profiles[profile as usize].groups_may.mode);
            for entry in table.entries_mut() {
                if let EntryAction::OneShot(held) = &mut entry.action {
                    let all = held.set.members.iter().enumerate();
                    let all = all.map(|(i, member)| (i as u32, member.weight, member.watch_port));
                    held.choices = Choices::new(mode, all, down);
                }
            }
        }
        true
    }
}

impl Switch {
    pub fn member_insert(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        let call = core.bind_member(index, &action)?;
        core.tables.profiles[index].insert_member(member, call)
    }

    pub fn member_modify(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        let call = core.bind_member(index, &action)?;
        let slot = core.tables.profiles[index].member_slot(member)?;
        core.tables.profiles[index].set_call(slot, call);
        Ok(())
    }

    pub fn member_delete(&mut self, profile: &str, member: u32) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        core.tables.profiles[index].delete_member(member)
    }

    pub fn members(&self, profile: &str) -> ControlResult<Vec<(u32, ActionCall)>> {
        let core = self.loaded()?;
        let members = core.profile(profile)?.members.iter();
        Ok(members
            .map(|member| (member.id, member.call.call(&core.program.actions)))
            .collect())
    }

    /// As [`Self::table_page`].
    pub fn members_page(
        &self,
        profile: &str,
        from: usize,
        count: usize,
    ) -> ControlResult<Page<(u32, ActionCall)>> {
        let core = self.loaded()?;
        let (page, next) = core.profile(profile)?.members.page(from, count);
        let actions = &core.program.actions;
        let members = page.into_iter();
        Ok((
            members
                .map(|member| (member.id, member.call.call(actions)))
                .collect(),
            next,
        ))
    }

    /// As [`Self::table_page`].
    pub fn groups_page(
        &self,
        profile: &str,
        from: usize,
        count: usize,
    ) -> ControlResult<Page<Group>> {
        let core = self.loaded()?;
        let (page, next) = core.profile(profile)?.groups.page(from, count);
        let groups = page.into_iter();
        Ok((groups.map(|group| group.config.clone()).collect(), next))
    }

    pub fn group_insert(&mut self, profile: &str, group: Group) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        core.tables.profiles[index].insert_group(group, &core.tables.ports_down)
    }

    pub fn group_modify(&mut self, profile: &str, group: Group) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        core.tables.profiles[index].modify_group(group, &core.tables.ports_down)
    }

    pub fn group_delete(&mut self, profile: &str, group: u32) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.profile_index(profile)?;
        core.tables.profiles[index].delete_group(group)
    }

    pub fn groups(&self, profile: &str) -> ControlResult<Vec<Group>> {
        let core = self.loaded()?;
        Ok(core
            .profile(profile)?
            .groups
            .iter()
            .map(|group| group.config.clone())
            .collect())
    }
}
