// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Entries of tables and members of action profiles as changes of the data plane.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use prost::Message;
use quench_dataplane::control::{
    Change, ControlResult, CounterValue, EntryData, EntryName, MeterRates,
};

use crate::actions::{Actions, ProfileForm, TableForm};
use crate::messages::{Action, Kind, Member, TableEntry, Update, DELETE, INSERT, MODIFY};
use crate::refusal::{exhausted, invalid, not_found};

/// The part of a pipeline config that is about entries and members, and the limits of the server.
pub struct Forms {
    pub actions: Actions,
    pub action_ids: HashMap<String, u32>,
    /// The tables by id.
    pub tables: BTreeMap<u32, Arc<TableForm>>,
    /// Tables of P4Info that no packet can reach: id, and name for error messages.
    pub removed_tables: HashMap<u32, String>,
    pub profiles: HashMap<u32, Arc<ProfileForm>>,
    /// Largest metadata of an entry.
    pub metadata_bytes: usize,
    /// Most memory of an update, in multiples of its length.
    pub state_factor: usize,
    /// Most memory of the state.
    pub state_bytes: usize,
}

/// The counter and the rates of an entry's meter that an update gives.
#[derive(Default)]
pub struct Direct {
    pub counter: Option<CounterValue>,
    pub rates: Option<MeterRates>,
}

/// The parts of the server that are not here.
pub trait Server {
    /// Whether the role may write an entity of a kind; of a table, or of another object.
    fn may_write(&self, kind: &'static str, table: u32, object: u32) -> ControlResult<()>;
    /// The direct resources of a `TableEntry`.
    fn direct(&self, entry: &[u8]) -> ControlResult<Direct>;
}

/// The changes of an update, and the reason of its refusal. The data plane may refuse one of the changes before that.
pub type Staged = (Vec<Change>, ControlResult<()>);

impl Forms {
    /// Checks one update as far as P4Info and the message go.
    pub fn stage(&self, server: &dyn Server, update: &Update, size_bytes: usize) -> Staged {
        let mut changes = Vec::new();
        let result = self.stage_to(server, update, size_bytes, &mut changes);
        (changes, result)
    }

    fn stage_to(
        &self,
        server: &dyn Server,
        update: &Update,
        size_bytes: usize,
        changes: &mut Vec<Change>,
    ) -> ControlResult<()> {
        let kind = update.kind;
        if ![INSERT, MODIFY, DELETE].contains(&kind) {
            return invalid(format!(
                "update type {kind} is not INSERT, MODIFY or DELETE"
            ));
        }
        let entity = update
            .entity
            .as_ref()
            .and_then(|entity| entity.kind.as_ref());
        match entity {
            Some(Kind::Table(entry)) => {
                server.may_write("table_entry", entry.table_id, 0)?;
                self.check_room(kind, size_bytes, changes);
                self.entry(server, kind, entry, changes)
            }
            Some(Kind::Member(member)) => {
                server.may_write("action_profile_member", 0, member.profile_id)?;
                self.check_room(kind, size_bytes, changes);
                self.member(kind, member, changes)
            }
            _ => unreachable!("other updates are not decoded"),
        }
    }

    fn check_room(&self, kind: i32, size_bytes: usize, changes: &mut Vec<Change>) {
        if kind != DELETE {
            changes.push(Change::RoomCheck {
                coming_bytes: self.state_factor * size_bytes,
                most_bytes: self.state_bytes,
            });
        }
    }

    pub fn table(&self, id: u32) -> ControlResult<&TableForm> {
        if let Some(table) = self.tables.get(&id) {
            return Ok(table);
        }
        match self.removed_tables.get(&id) {
            Some(name) => not_found(format!(
                "table {name} is in P4Info, but no packet reaches it: the device config has no such table"
            )),
            None => not_found(format!("no table has id {id}")),
        }
    }

    fn entry(
        &self,
        server: &dyn Server,
        kind: i32,
        entry: &TableEntry,
        changes: &mut Vec<Change>,
    ) -> ControlResult<()> {
        let table = self.table(entry.table_id)?;
        let what = &table.key.what;
        if entry.is_const {
            return invalid(format!("{what}: is_const is the program's to set"));
        }
        if table.key.fields.is_empty() {
            return invalid(format!("{what} has no key: it has only a default entry"));
        }
        let (key, priority) = table.key.entry_key(entry)?;
        let name = EntryName {
            table: table.name.clone(),
            key,
            priority,
        };
        if kind == DELETE {
            changes.push(Change::TableDelete(name));
            return Ok(());
        }
        let idle_timeout_ns = table.idle_timeout_ns(entry)?;
        let gives_direct = entry.meter_config.is_some()
            || entry.counter_data.is_some()
            || entry.meter_counter_data.is_some();
        let direct = match gives_direct {
            true => server.direct(&entry.encode_to_vec())?,
            false => Direct::default(),
        };
        let action = match &entry.action {
            None if kind == MODIFY => None,
            action => Some(table.action(action.as_ref(), false)?),
        };
        let metadata = self.metadata(entry)?;
        let writes_meter = table.direct_meter && (direct.rates.is_some() || kind != INSERT);
        let clears = entry.meter_counter_data.is_some();
        let more = direct.counter.is_some() || writes_meter || clears;
        let again = more.then(|| name.clone());
        changes.push(match action {
            Some(action) => {
                let data = EntryData {
                    action,
                    metadata,
                    idle_timeout_ns,
                };
                match kind {
                    INSERT => Change::TableInsert(name, data),
                    _ => Change::TableModify(name, data),
                }
            }
            None => Change::TableKeepAction {
                entry: name,
                metadata,
                idle_timeout_ns,
            },
        });
        if let Some(name) = again {
            if let Some(counter) = direct.counter {
                changes.push(Change::DirectCounterWrite(name.clone(), counter));
            }
            if writes_meter {
                changes.push(Change::DirectMeterWrite(name.clone(), direct.rates));
            }
            if clears {
                changes.push(Change::DirectColorsClear(name));
            }
        }
        Ok(())
    }

    /// Both opaque values of an entry in one: the data plane stores one byte string.
    fn metadata(&self, entry: &TableEntry) -> ControlResult<Vec<u8>> {
        if entry.controller_metadata == 0 && entry.metadata.is_empty() {
            return Ok(Vec::new());
        }
        let (given, most) = (entry.metadata.len(), self.metadata_bytes);
        if given > most {
            return exhausted(format!(
                "{given} bytes of metadata, an entry has room for {most}"
            ));
        }
        let mut packed = entry.controller_metadata.to_be_bytes().to_vec();
        packed.extend_from_slice(&entry.metadata);
        Ok(packed)
    }

    fn member(&self, kind: i32, member: &Member, changes: &mut Vec<Change>) -> ControlResult<()> {
        let Some(profile) = self.profiles.get(&member.profile_id) else {
            let id = member.profile_id;
            return not_found(format!("no action profile has id {id}"));
        };
        let (what, id) = (&profile.what, member.member_id);
        if id == 0 {
            return invalid(format!("{what}: member ids start at 1"));
        }
        let name = profile.name.clone();
        if kind == DELETE {
            changes.push(Change::MemberDelete(name, id));
            return Ok(());
        }
        let Some(action) = &member.action else {
            return invalid(format!("{what}: member {id} has no action"));
        };
        let action: &Action = action;
        let call = profile.member(self.tables.values().map(|table| &**table), action)?;
        changes.push(match kind {
            INSERT => Change::MemberInsert(name, id, call),
            _ => Change::MemberModify(name, id, call),
        });
        Ok(())
    }
}

impl TableForm {
    fn idle_timeout_ns(&self, entry: &TableEntry) -> ControlResult<u64> {
        let (what, given) = (&self.key.what, entry.idle_timeout_ns);
        let Ok(idle_timeout_ns) = u64::try_from(given) else {
            return invalid(format!("{what}: idle_timeout_ns {given} is negative"));
        };
        if entry.time_since_last_hit.is_some() {
            return invalid(format!("{what}: time_since_last_hit can only be read"));
        }
        if idle_timeout_ns > 0 && !self.idle_timeout {
            return invalid(format!(
                "{what} does not support idle timeouts (support_timeout in the program)"
            ));
        }
        Ok(idle_timeout_ns)
    }
}
