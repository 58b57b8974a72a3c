// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Actions, members and groups of entries (specification, "Action Specification", "Action Profile Member & Group").

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use quench_dataplane::control::{
    ActionCall, ControlResult, GroupMember, OneShotMember, OneShotSet, TableAction,
};

use crate::keys::KeyForm;
use crate::messages::{self, Action, ActionSet, ActionType, RawSet, Watch};
use crate::refusal::{denied, exhausted, invalid, unimplemented};
use crate::values::{quoted, ValueType};

/// v1model's `PortId_t` has 9 bits.
const MAX_PORT: u32 = 511;

/// An action as P4Info has it.
pub struct ActionForm {
    pub name: String,
    /// The same for error messages.
    pub what: String,
    /// P4Info's ids and the value types, in the data plane's order.
    pub params: Vec<(u32, ValueType)>,
}

pub type Actions = HashMap<u32, Arc<ActionForm>>;

/// The entries in which a program allows an action.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    All,
    TableOnly,
    DefaultOnly,
}

/// A table as P4Info has it.
pub struct TableForm {
    pub id: u32,
    pub name: String,
    pub key: KeyForm,
    pub actions: Actions,
    pub scopes: HashMap<u32, Scope>,
    pub profile: Option<Arc<ProfileForm>>,
    pub direct_counter: bool,
    pub direct_meter: bool,
    pub idle_timeout: bool,
}

/// An action profile as P4Info has it.
pub struct ProfileForm {
    pub id: u32,
    pub name: String,
    /// The same for error messages.
    pub what: String,
    pub actions: Actions,
    pub with_selector: bool,
    pub weights_disallowed: bool,
    pub max_group_size: i32,
    /// A group's size is the number of its members, not the sum of their weights.
    pub by_members: bool,
    /// 0 for none.
    pub max_member_weight: i32,
}

/// The data plane's call. Each parameter has to be given exactly once.
fn call(what: &str, allowed: &Actions, given: &Action) -> ControlResult<ActionCall> {
    let Some(action) = allowed.get(&given.action_id) else {
        let id = given.action_id;
        return invalid(format!("{what} has no action with id {id}"));
    };
    let mut values = BTreeMap::new();
    for param in &given.params {
        if values.insert(param.param_id, &param.value).is_some() {
            let id = param.param_id;
            return invalid(format!("{}: parameter {id} is given twice", action.what));
        }
    }
    let mut params = Vec::with_capacity(action.params.len());
    for (id, value_type) in &action.params {
        let Some(value) = values.remove(id) else {
            return invalid(format!("{} (id {id}) is missing", value_type.what));
        };
        params.push(value_type.decode(value)?);
    }
    if let Some((id, _)) = values.first_key_value() {
        return invalid(format!("{} has no parameter with id {id}", action.what));
    }
    Ok(ActionCall {
        name: action.name.clone(),
        params,
    })
}

/// The port that a member's liveness depends on, if any.
fn watch_port(watch: Option<&Watch>, what: &str) -> ControlResult<Option<u32>> {
    let (port, given) = match watch {
        None => return Ok(None),
        Some(Watch::Port(bytes)) if bytes.is_empty() => return Ok(None),
        Some(Watch::Number(number)) => (u32::try_from(*number).ok(), number.to_string()),
        Some(Watch::Port(bytes)) => {
            let add = |sum: u32, &byte: &u8| sum.checked_mul(256)?.checked_add(byte.into());
            (bytes.iter().try_fold(0, add), quoted(bytes))
        }
    };
    match port.filter(|&port| port <= MAX_PORT) {
        Some(port) => Ok(Some(port)),
        None => invalid(format!(
            "{what}: watch port {given} is not between 0 and {MAX_PORT}"
        )),
    }
}

impl TableForm {
    /// PERMISSION_DENIED where the program allows an action only in the other kind of entry.
    fn check_scope(&self, action_id: u32, is_default: bool) -> ControlResult<()> {
        let Some(action) = self.actions.get(&action_id) else {
            return Ok(());
        };
        let (table, action) = (&self.key.what, &action.what);
        match self.scopes.get(&action_id) {
            Some(Scope::TableOnly) if is_default => {
                denied(format!("{table}: {action} is @tableonly"))
            }
            Some(Scope::DefaultOnly) if !is_default => {
                denied(format!("{table}: {action} is @defaultonly"))
            }
            _ => Ok(()),
        }
    }

    /// The data plane's action of an entry, checked against the table's implementation and action scopes.
    pub fn action(
        &self,
        given: Option<&messages::TableAction>,
        is_default: bool,
    ) -> ControlResult<TableAction> {
        let what = &self.key.what;
        let Some(given) = given.and_then(|action| action.given.as_ref()) else {
            return invalid(format!("{what}: the entry has no action"));
        };
        if let ActionType::Action(action) = given {
            if self.profile.is_some() && !is_default {
                return invalid(format!(
                    "{what} uses an action profile: give a member, a group or a one-shot set"
                ));
            }
            self.check_scope(action.action_id, is_default)?;
            return Ok(TableAction::Action(call(what, &self.actions, action)?));
        }
        let Some(profile) = &self.profile else {
            return invalid(format!("{what} has no action profile: give an action"));
        };
        if is_default {
            return invalid(format!(
                "{what}: the default entry of a table with an action profile takes a plain action"
            ));
        }
        if let ActionType::Member(id) = given {
            return Ok(TableAction::Member(*id));
        }
        if !profile.with_selector {
            return invalid(format!("{} has no selector: give a member", profile.what));
        }
        match given {
            ActionType::Set(set) => self.one_shot(profile, set),
            ActionType::Group(id) => Ok(TableAction::Group(*id)),
            ActionType::Member(_) | ActionType::Action(_) => unreachable!("both are above"),
        }
    }

    fn one_shot(&self, profile: &ProfileForm, set: &RawSet) -> ControlResult<TableAction> {
        let what = &self.key.what;
        if set.has_newer_fields() {
            return unimplemented(format!(
                "{what}: the one-shot set has fields newer than P4Runtime 1.4 (group_action?)"
            ));
        }
        // It was decoded once when the request came.
        let set: ActionSet = set.decode_set().unwrap_or_default();
        let Some(mode) = u8::try_from(set.mode).ok().filter(|mode| *mode <= RANDOM) else {
            return invalid(format!("{what}: {} is no ActionSelectionMode", set.mode));
        };
        let semantics = u8::try_from(set.size_semantics).ok();
        let Some(semantics) = semantics.filter(|semantics| *semantics <= SUM_OF_MEMBERS) else {
            let given = set.size_semantics;
            return invalid(format!("{what}: {given} is no SizeSemantics"));
        };
        let count_members = match semantics {
            0 => profile.by_members,
            other => other == SUM_OF_MEMBERS,
        };
        let mut members = Vec::new();
        let mut weights = 0u64;
        let nothing = Action::default();
        for item in &set.actions {
            let action = item.action.as_ref().unwrap_or(&nothing);
            self.check_scope(action.action_id, false)?;
            let action = call(what, &self.actions, action)?;
            let weight = profile.weight(item.weight, count_members)?;
            weights += u64::from(weight);
            members.push(OneShotMember {
                action,
                weight,
                watch_port: watch_port(item.watch.as_ref(), what)?,
            });
        }
        let size = if count_members {
            members.len() as u64
        } else {
            weights
        };
        let limit = profile.max_group_size;
        if limit > 0 && size > limit as u64 {
            return invalid(format!(
                "{what}: the one-shot set has size {size}, the maximum is {limit}"
            ));
        }
        Ok(TableAction::OneShot(OneShotSet {
            members,
            random: mode == RANDOM,
            note: mode << 4 | semantics,
        }))
    }
}

/// Numbers of `ActionSelectionMode` and `SizeSemantics`, the largest ones.
const RANDOM: u8 = 2;
const SUM_OF_MEMBERS: u8 = 2;

impl ProfileForm {
    /// The weight for the data plane; P4Info may forbid weights, or bound them where a group's size is its members'.
    fn weight(&self, weight: i32, count_members: bool) -> ControlResult<u32> {
        let what = &self.what;
        if self.weights_disallowed {
            return match weight {
                0 => Ok(1),
                _ => invalid(format!("{what} takes no weights")),
            };
        }
        let limit = self.max_member_weight;
        if count_members && limit > 0 && weight > limit {
            return invalid(format!(
                "{what}: weight {weight} is above the maximum {limit}"
            ));
        }
        match u32::try_from(weight) {
            Ok(weight) if weight > 0 => Ok(weight),
            _ => invalid(format!("{what}: weight {weight} is not positive")),
        }
    }

    /// The action of a member, in any of the profile's tables.
    pub fn member<'a>(
        &self,
        tables: impl Iterator<Item = &'a TableForm>,
        action: &Action,
    ) -> ControlResult<ActionCall> {
        for table in tables {
            if table
                .profile
                .as_ref()
                .is_some_and(|profile| profile.id == self.id)
            {
                table.check_scope(action.action_id, false)?;
            }
        }
        call(&self.what, &self.actions, action)
    }

    /// The members of a group.
    pub fn group(&self, group: &messages::Group) -> ControlResult<Vec<GroupMember>> {
        let what = format!("{} group {}", self.what, group.group_id);
        let most = self.max_group_size;
        if group.max_size < 0 || (most > 0 && group.max_size > most) {
            let given = group.max_size;
            return invalid(format!(
                "{what}: max_size {given} is not between 0 and {most}"
            ));
        }
        let mut seen = HashSet::new();
        let mut members = Vec::new();
        let mut weights = 0u64;
        for member in &group.members {
            let id = member.member_id;
            if !seen.insert(id) {
                return invalid(format!("{what}: member {id} is given twice"));
            }
            let weight = self.weight(member.weight, self.by_members)?;
            weights += u64::from(weight);
            members.push(GroupMember {
                member: id,
                weight,
                watch_port: watch_port(member.watch.as_ref(), &what)?,
            });
        }
        let limit = if group.max_size > 0 {
            group.max_size
        } else {
            most
        };
        let size = if self.by_members {
            members.len() as u64
        } else {
            weights
        };
        if limit > 0 && size > limit as u64 {
            return exhausted(format!("{what}: size {size} is above its maximum {limit}"));
        }
        Ok(members)
    }
}
