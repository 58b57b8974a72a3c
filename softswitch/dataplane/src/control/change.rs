// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests that change what the control plane owns, as values.

use std::ops::Range;

use super::tables::refuse;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{
    ActionCall, CloneSession, CounterValue, Entry, EntryData, FilterConfig, Group, MatchField,
    MeterRates, MulticastGroup, TableAction,
};
use crate::switch::Switch;

/// A key and a priority, which name an entry of a table.
#[derive(Clone, Debug)]
pub struct EntryName {
    pub table: String,
    pub key: Vec<MatchField>,
    pub priority: i32,
}

/// A request of the method with the same name. Cells are those of a range.
#[derive(Clone, Debug)]
pub enum Change {
    TableInsert(EntryName, EntryData),
    TableModify(EntryName, EntryData),
    /// As `TableModify`, with the action that the entry has. Without metadata and timeout a constant entry stays.
    TableKeepAction {
        entry: EntryName,
        metadata: Vec<u8>,
        idle_timeout_ns: u64,
    },
    TableDelete(EntryName),
    /// Changes nothing; refused where the entry does not exist.
    TableCheck(EntryName),
    TableSetDefault(String, Option<TableAction>),
    DirectCounterWrite(EntryName, CounterValue),
    DirectMeterWrite(EntryName, Option<MeterRates>),
    DirectColorsClear(EntryName),
    DefaultCounterWrite(String, CounterValue),
    DefaultMeterWrite(String, Option<MeterRates>),
    DefaultColorsClear(String),
    MemberInsert(String, u32, ActionCall),
    MemberModify(String, u32, ActionCall),
    MemberDelete(String, u32),
    GroupInsert(String, Group),
    GroupModify(String, Group),
    GroupDelete(String, u32),
    CounterWrite(String, Range<u64>, CounterValue),
    MeterWrite(String, Range<u64>, Option<MeterRates>),
    MeterColorsClear(String, Range<u64>),
    RegisterWrite(String, Range<u64>, Vec<u8>),
    RegisterReset(String, Range<u64>),
    FilterWrite(String, Range<u64>, Option<FilterConfig>),
    /// The filter's name; the entry is one of its table.
    DirectFilterWrite(String, Vec<MatchField>, i32, Option<FilterConfig>),
    ValueSetWrite(String, Vec<Vec<MatchField>>),
    CloneSessionSet(u32, CloneSession),
    CloneSessionDelete(u32),
    MulticastGroupSet(u32, MulticastGroup),
    MulticastGroupDelete(u32),
    /// The port and its 64 bits.
    PortMetadataSet(u32, u64),
    /// Changes nothing; refused where the state and what may come would take more memory than `most_bytes`.
    RoomCheck {
        coming_bytes: usize,
        most_bytes: usize,
    },
}

impl Switch {
    /// Carries out one request: it happens whole, or it is refused and nothing has changed.
    pub fn change(&mut self, change: Change, now_ns: u64) -> ControlResult<()> {
        match change {
            Change::TableInsert(..) | Change::TableModify(..) | Change::TableDelete(_) => {
                let step = self.planner().step(change);
                self.take(step, now_ns, false).map(drop)
            }
            Change::TableKeepAction {
                entry,
                metadata,
                idle_timeout_ns,
            } => {
                let found = self.existing_entry(&entry)?;
                if found.is_const && metadata.is_empty() && idle_timeout_ns == 0 {
                    return Ok(());
                }
                let data = EntryData {
                    action: found.action,
                    metadata,
                    idle_timeout_ns,
                };
                self.change(Change::TableModify(entry, data), now_ns)
            }
            Change::TableCheck(entry) => self.existing_entry(&entry).map(drop),
            Change::TableSetDefault(table, action) => self.table_set_default(&table, action),
            Change::DirectCounterWrite(entry, value) => {
                self.direct_counter_write(&entry.table, &entry.key, entry.priority, value)
            }
            Change::DirectMeterWrite(entry, rates) => {
                self.direct_meter_write(&entry.table, &entry.key, entry.priority, rates)
            }
            Change::DirectColorsClear(entry) => {
                self.direct_colors_clear(&entry.table, &entry.key, entry.priority)
            }
            Change::DefaultCounterWrite(table, value) => self.default_counter_write(&table, value),
            Change::DefaultMeterWrite(table, rates) => self.default_meter_write(&table, rates),
            Change::DefaultColorsClear(table) => self.default_colors_clear(&table),
            Change::MemberInsert(profile, id, action) => self.member_insert(&profile, id, action),
            Change::MemberModify(profile, id, action) => self.member_modify(&profile, id, action),
            Change::MemberDelete(profile, id) => self.member_delete(&profile, id),
            Change::GroupInsert(profile, group) => self.group_insert(&profile, group),
            Change::GroupModify(profile, group) => self.group_modify(&profile, group),
            Change::GroupDelete(profile, id) => self.group_delete(&profile, id),
            Change::CounterWrite(counter, cells, value) => {
                self.counter_fill(&counter, cells, value)
            }
            Change::MeterWrite(meter, cells, rates) => self.meter_fill(&meter, cells, rates),
            Change::MeterColorsClear(meter, cells) => self.meter_colors_clear(&meter, cells),
            Change::RegisterWrite(register, cells, value) => {
                self.register_fill(&register, cells, &value)
            }
            Change::RegisterReset(register, cells) => self.register_reset(&register, cells),
            Change::FilterWrite(filter, cells, config) => {
                self.filter_fill(&filter, cells, config, now_ns)
            }
            Change::DirectFilterWrite(filter, key, priority, config) => {
                self.set_direct_filter_config(&filter, &key, priority, config, now_ns)
            }
            Change::ValueSetWrite(value_set, members) => self.value_set_write(&value_set, &members),
            Change::CloneSessionSet(id, session) => self.clone_session_set(id, session),
            Change::CloneSessionDelete(id) => self.clone_session_delete(id),
            Change::MulticastGroupSet(id, group) => self.multicast_group_set(id, group),
            Change::MulticastGroupDelete(id) => self.multicast_group_delete(id),
            Change::PortMetadataSet(port, bits) => self.set_port_metadata(port, bits),
            Change::RoomCheck {
                coming_bytes,
                most_bytes,
            } => self.check_room(coming_bytes, most_bytes),
        }
    }

    fn existing_entry(&self, entry: &EntryName) -> ControlResult<Entry> {
        match self.table_get(&entry.table, &entry.key, entry.priority, 0)? {
            Some(found) => Ok(found),
            None => refuse(
                ErrorCode::NotFound,
                format!("table '{}' has no entry with this key", entry.table),
            ),
        }
    }

    fn check_room(&self, coming_bytes: usize, most_bytes: usize) -> ControlResult<()> {
        if self.state_bytes().saturating_add(coming_bytes) > most_bytes {
            let message = format!(
                "the pipeline holds nearly {most_bytes} bytes of entries, members, groups and sessions"
            );
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        Ok(())
    }
}
