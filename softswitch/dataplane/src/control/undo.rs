// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The way back from a change: the object that it touches, as it stood before.

use std::ops::Range;

use super::change::{Change, EntryName};
use super::filters::SavedCell;
use crate::exec::core::Core;
use crate::externs::filter_array::FilterCell;
use crate::externs::meter::Meter;
use crate::model::error::ControlResult;
use crate::model::values::{CloneSession, CounterValue, MatchField, MulticastGroup};
use crate::switch::Switch;
use crate::tables::entry::{EntryAction, EntryState};
use crate::tables::place::Place;
use crate::tables::profile::{GroupState, Member};
use crate::tables::ternary::TernaryKey;

/// An object as it stood before a change. Objects of the program go by their index.
pub(super) enum Saved {
    Inserted {
        table: usize,
        slot: u32,
        place: Place,
        cells: Vec<SavedCell>,
    },
    Modified {
        table: usize,
        slot: u32,
        action: EntryAction,
        metadata: Vec<u8>,
        idle_timeout_ns: u64,
        last_hit_ns: u64,
        expired: bool,
    },
    Deleted {
        table: usize,
        place: Place,
        entry: EntryState,
        cells: Vec<SavedCell>,
    },
    /// All that a change may touch that keeps the action, which can be large.
    EntryButAction {
        table: usize,
        slot: u32,
        metadata: Vec<u8>,
        idle_timeout_ns: u64,
        last_hit_ns: u64,
        expired: bool,
        counter: CounterValue,
        meter: Option<Box<Meter>>,
        cells: Vec<SavedCell>,
    },
    Default {
        table: usize,
        action: Option<EntryAction>,
    },
    DefaultResources {
        table: usize,
        counter: CounterValue,
        meter: Meter,
    },
    /// `None` where there was none; the same below.
    Member {
        profile: usize,
        id: u32,
        before: Option<(u32, Member)>,
    },
    Group {
        profile: usize,
        id: u32,
        before: Option<(u32, GroupState)>,
    },
    Counters {
        counter: usize,
        first: usize,
        cells: Vec<CounterValue>,
    },
    Meters {
        meter: usize,
        first: usize,
        cells: Vec<Meter>,
    },
    Registers {
        register: usize,
        first: usize,
        limbs: Vec<u64>,
    },
    Filters {
        filter: usize,
        first: usize,
        cells: Vec<FilterCell>,
    },
    ValueSet {
        value_set: usize,
        compiled: Vec<TernaryKey>,
        members: Vec<Vec<MatchField>>,
    },
    CloneSession(u32, Option<CloneSession>),
    MulticastGroup(u32, Option<MulticastGroup>),
    PortMetadata(u32, u64),
}

fn cells(range: &Range<u64>) -> Range<usize> {
    let at = |index: u64| usize::try_from(index).unwrap_or(usize::MAX);
    at(range.start)..at(range.end)
}

impl Core {
    fn save_but_action(&self, entry: &EntryName) -> ControlResult<Saved> {
        let table = self.table_index(&entry.table)?;
        let slot = self.existing(table, &entry.key, entry.priority)?;
        let state = self.tables.tables[table].entry(slot);
        Ok(Saved::EntryButAction {
            table,
            slot,
            metadata: state.metadata.clone(),
            idle_timeout_ns: state.idle_timeout_ns,
            last_hit_ns: state.last_hit_ns,
            expired: state.expired,
            counter: state.counter,
            meter: state.meter.clone(),
            cells: self.cells_of(table, slot),
        })
    }

    fn save_group(&self, profile: &str, id: u32) -> ControlResult<Saved> {
        let profile = self.profile_index(profile)?;
        let before = self.tables.profiles[profile].standing_group(id);
        Ok(Saved::Group {
            profile,
            id,
            before,
        })
    }
}

impl Switch {
    /// The object that a change is about to touch; `None` for one that changes nothing, has a plan, or will be refused.
    pub(super) fn save(&self, change: &Change) -> Option<Saved> {
        let core = self.loaded().ok()?;
        match change {
            Change::TableKeepAction { entry, .. }
            | Change::DirectCounterWrite(entry, _)
            | Change::DirectMeterWrite(entry, _)
            | Change::DirectColorsClear(entry) => core.save_but_action(entry).ok(),
            Change::TableSetDefault(table, _) => {
                let table = core.table_index(table).ok()?;
                let action = core.tables.tables[table].default.clone();
                Some(Saved::Default { table, action })
            }
            Change::DefaultCounterWrite(table, _)
            | Change::DefaultMeterWrite(table, _)
            | Change::DefaultColorsClear(table) => {
                let table = core.table_index(table).ok()?;
                let state = &core.tables.tables[table];
                Some(Saved::DefaultResources {
                    table,
                    counter: state.default_counter,
                    meter: state.default_meter,
                })
            }
            Change::MemberInsert(profile, id, _)
            | Change::MemberModify(profile, id, _)
            | Change::MemberDelete(profile, id) => {
                let (profile, id) = (core.profile_index(profile).ok()?, *id);
                let before = core.tables.profiles[profile].standing_member(id);
                Some(Saved::Member {
                    profile,
                    id,
                    before,
                })
            }
            Change::GroupInsert(profile, group) | Change::GroupModify(profile, group) => {
                core.save_group(profile, group.id).ok()
            }
            Change::GroupDelete(profile, id) => core.save_group(profile, *id).ok(),
            Change::CounterWrite(counter, range, _) => {
                let (counter, range) = (core.counter(counter).ok()?, cells(range));
                let cells = core.externs.counters[counter].cells.get(range.clone())?;
                Some(Saved::Counters {
                    counter,
                    first: range.start,
                    cells: cells.to_vec(),
                })
            }
            Change::MeterWrite(meter, range, _) | Change::MeterColorsClear(meter, range) => {
                let (meter, range) = (core.meter(meter).ok()?, cells(range));
                let cells = core.externs.meters[meter].cells.get(range.clone())?;
                Some(Saved::Meters {
                    meter,
                    first: range.start,
                    cells: cells.to_vec(),
                })
            }
            Change::RegisterWrite(register, range, _) | Change::RegisterReset(register, range) => {
                let (register, range) = (core.register(register).ok()?, cells(range));
                let limbs = core.externs.registers[register].standing(&range)?;
                Some(Saved::Registers {
                    register,
                    first: range.start,
                    limbs,
                })
            }
            Change::FilterWrite(filter, range, _) => {
                let (filter, range) = (core.indirect_filter(filter).ok()?, cells(range));
                let cells = core.externs.filters[filter].cells.get(range.clone())?;
                Some(Saved::Filters {
                    filter,
                    first: range.start,
                    cells: cells.to_vec(),
                })
            }
            Change::DirectFilterWrite(filter, key, priority, _) => {
                let (filter, slot) = core.direct_filter(filter, key, *priority).ok()?;
                let cell = core.externs.filters[filter].cells.get(slot)?;
                Some(Saved::Filters {
                    filter,
                    first: slot,
                    cells: vec![*cell],
                })
            }
            Change::ValueSetWrite(value_set, _) => {
                let value_set = core.value_set(value_set).ok()?;
                Some(Saved::ValueSet {
                    value_set,
                    compiled: core.value_sets[value_set].clone(),
                    members: core.value_set_members[value_set].clone(),
                })
            }
            Change::CloneSessionSet(id, _) | Change::CloneSessionDelete(id) => {
                let session = self.fabric.replication.sessions.get(*id as usize);
                Some(Saved::CloneSession(*id, session.cloned().flatten()))
            }
            Change::MulticastGroupSet(id, _) | Change::MulticastGroupDelete(id) => {
                let group = self.fabric.replication.groups.get(*id as usize);
                Some(Saved::MulticastGroup(*id, group.cloned().flatten()))
            }
            Change::PortMetadataSet(port, _) => {
                let bits = self.port_metadata(*port).ok()?;
                Some(Saved::PortMetadata(*port, bits))
            }
            Change::TableInsert(..)
            | Change::TableModify(..)
            | Change::TableDelete(_)
            | Change::TableCheck(_)
            | Change::RoomCheck { .. } => None,
        }
    }

    /// All that changed after the object was saved has been put back before.
    pub(super) fn put_back(&mut self, saved: Saved) {
        if let Saved::PortMetadata(port, bits) = saved {
            // It was the program's before, so it is not refused.
            let _ = self.set_port_metadata(port, bits);
            return;
        }
        let Some(core) = &mut self.fabric.core else {
            return;
        };
        match saved {
            Saved::Inserted {
                table,
                slot,
                mut place,
                cells,
            } => {
                let entry = core.tables.tables[table].remove_at(&mut place, slot);
                core.count_use(table, &entry.action, |uses| uses - 1);
                core.put_back_cells(slot, cells);
            }
            Saved::Modified {
                table,
                slot,
                action,
                metadata,
                idle_timeout_ns,
                last_hit_ns,
                expired,
            } => {
                core.count_use(table, &action, |uses| uses + 1);
                let state = &mut core.tables.tables[table];
                let entry = state.entry_mut(slot);
                let changed_bytes = entry.footprint_bytes();
                let changed = std::mem::replace(&mut entry.action, action);
                entry.metadata = metadata;
                entry.idle_timeout_ns = idle_timeout_ns;
                entry.last_hit_ns = last_hit_ns;
                entry.expired = expired;
                let before_bytes = entry.footprint_bytes();
                state.footprint_bytes = state.footprint_bytes - changed_bytes + before_bytes;
                core.count_use(table, &changed, |uses| uses - 1);
            }
            Saved::Deleted {
                table,
                mut place,
                entry,
                cells,
            } => {
                core.count_use(table, &entry.action, |uses| uses + 1);
                let slot = core.tables.tables[table].insert_at(&mut place, entry);
                core.put_back_cells(slot, cells);
            }
            Saved::EntryButAction {
                table,
                slot,
                metadata,
                idle_timeout_ns,
                last_hit_ns,
                expired,
                counter,
                meter,
                cells,
            } => {
                core.put_back_cells(slot, cells);
                let state = &mut core.tables.tables[table];
                state.footprint_bytes += metadata.len();
                let entry = state.entry_mut(slot);
                let changed = std::mem::replace(&mut entry.metadata, metadata);
                entry.idle_timeout_ns = idle_timeout_ns;
                entry.last_hit_ns = last_hit_ns;
                entry.expired = expired;
                entry.counter = counter;
                entry.meter = meter;
                state.footprint_bytes -= changed.len();
            }
            Saved::Default { table, action } => {
                if let Some(action) = &action {
                    core.count_use(table, action, |uses| uses + 1);
                }
                let default = &mut core.tables.tables[table].default;
                if let Some(changed) = std::mem::replace(default, action) {
                    core.count_use(table, &changed, |uses| uses - 1);
                }
            }
            Saved::DefaultResources {
                table,
                counter,
                meter,
            } => {
                let state = &mut core.tables.tables[table];
                (state.default_counter, state.default_meter) = (counter, meter);
            }
            Saved::Member {
                profile,
                id,
                before,
            } => core.tables.profiles[profile].put_back_member(id, before),
            Saved::Group {
                profile,
                id,
                before,
            } => core.tables.profiles[profile].put_back_group(id, before),
            Saved::Counters {
                counter,
                first,
                cells,
            } => {
                let counters = &mut core.externs.counters[counter].cells;
                counters[first..first + cells.len()].copy_from_slice(&cells);
            }
            Saved::Meters {
                meter,
                first,
                cells,
            } => {
                let meters = &mut core.externs.meters[meter].cells;
                meters[first..first + cells.len()].copy_from_slice(&cells);
            }
            Saved::Registers {
                register,
                first,
                limbs,
            } => core.externs.registers[register].put_back(first, &limbs),
            Saved::Filters {
                filter,
                first,
                cells,
            } => {
                let filters = &mut core.externs.filters[filter].cells;
                filters[first..first + cells.len()].copy_from_slice(&cells);
            }
            Saved::ValueSet {
                value_set,
                compiled,
                members,
            } => {
                core.value_sets[value_set] = compiled;
                core.value_set_members[value_set] = members;
            }
            Saved::CloneSession(id, before) => self.fabric.replication.put_back_session(id, before),
            Saved::MulticastGroup(id, before) => self.fabric.replication.put_back_group(id, before),
            Saved::PortMetadata(..) => {}
        }
    }
}
