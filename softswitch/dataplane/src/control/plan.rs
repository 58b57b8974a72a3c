// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of which all is done that needs no state: what is left for the time in which packets wait is short.

use std::sync::Arc;

use super::change::{Change, EntryName};
use super::tables::{bind, canonical_name, mutable, refuse, table_index};
use super::undo::Saved;
use crate::exec::core::Core;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{CounterValue, EntryData, MatchField, TableAction};
use crate::program::Program;
use crate::switch::Switch;
use crate::tables::entry::{EntryAction, EntryState};
use crate::tables::place::Place;

/// An entry by its canonical key, in a table whose entries may change.
pub(super) struct Named {
    table: usize,
    key: Vec<MatchField>,
    priority: i32,
    place: Place,
}

pub(super) enum Action {
    Ready(EntryAction),
    /// Members and groups are found when their turn comes.
    OfProfile(TableAction),
}

pub(super) struct Given {
    action: Action,
    metadata: Vec<u8>,
    idle_timeout_ns: u64,
}

/// A change. Those of entries have the reason of their refusal with them, and give it when its turn comes.
pub(super) enum Step {
    Insert(ControlResult<Named>, ControlResult<Given>),
    Modify(ControlResult<Named>, ControlResult<Given>),
    Delete(ControlResult<Named>),
    Other(Change),
    /// It has been taken.
    Done,
}

impl Step {
    fn named(&self) -> Option<&Named> {
        match self {
            Self::Insert(named, _) | Self::Modify(named, _) | Self::Delete(named) => {
                named.as_ref().ok()
            }
            Self::Other(_) | Self::Done => None,
        }
    }

    /// Whether packets may come between it and others of a batch that is taken back later.
    fn may_be_seen(&self) -> bool {
        match self {
            Self::Insert(_, given) | Self::Modify(_, given) => !matches!(
                given,
                Ok(Given {
                    action: Action::OfProfile(TableAction::OneShot(_)),
                    ..
                })
            ),
            Self::Delete(_) | Self::Other(Change::RoomCheck { .. }) => true,
            Self::Other(_) | Self::Done => false,
        }
    }
}

/// Makes steps for a program, without its state.
pub struct Planner(Option<Arc<Program>>);

/// Changes in their order, and the way back from those that were carried out.
///
/// It keeps the memory of all of it, so that it may be freed when packets no longer wait.
pub struct Plan {
    program: Option<Arc<Program>>,
    pub(super) steps: Vec<Step>,
    /// The number of steps that were taken.
    pub(super) taken: usize,
    pub(super) undo: Vec<Saved>,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether it may be carried out and taken back a part at a time, with packets in between: it changes entries
    /// alone, and what packets change meanwhile is right with and without it.
    pub fn is_divisible(&self) -> bool {
        self.steps.iter().all(Step::may_be_seen)
    }
}

impl Planner {
    pub fn plan(&self, changes: Vec<Change>) -> Plan {
        let steps: Vec<Step> = changes
            .into_iter()
            .map(|change| self.step(change))
            .collect();
        Plan {
            program: self.0.clone(),
            taken: 0,
            undo: Vec::with_capacity(steps.len()),
            steps,
        }
    }

    pub(super) fn step(&self, change: Change) -> Step {
        match change {
            Change::TableInsert(entry, data) => {
                let named = self.named(entry);
                let given = self.given(&named, data);
                Step::Insert(named, given)
            }
            Change::TableModify(entry, data) => {
                let named = self.named(entry);
                let given = self.given(&named, data);
                Step::Modify(named, given)
            }
            Change::TableDelete(entry) => Step::Delete(self.named(entry)),
            other => Step::Other(other),
        }
    }

    fn program(&self) -> ControlResult<&Program> {
        match &self.0 {
            Some(program) => Ok(program),
            None => refuse(ErrorCode::FailedPrecondition, "no program is loaded"),
        }
    }

    fn named(&self, entry: EntryName) -> ControlResult<Named> {
        let program = self.program()?;
        let table = table_index(program, &entry.table)?;
        let def = &program.tables[table];
        mutable(def)?;
        let key = canonical_name(def, &entry.key, entry.priority)?;
        Ok(Named {
            place: Place::new(def, &key, entry.priority),
            table,
            key,
            priority: entry.priority,
        })
    }

    fn given(&self, named: &ControlResult<Named>, data: EntryData) -> ControlResult<Given> {
        let program = self.program()?;
        // Where the entry is refused, this is not looked at.
        let def = &program.tables[named.as_ref().map_or(0, |named| named.table)];
        if data.idle_timeout_ns > 0 && !def.support_timeout {
            let message = format!("table '{}' does not support idle timeouts", def.name);
            return refuse(ErrorCode::InvalidArgument, message);
        }
        let action = match (data.action, def.profile) {
            (TableAction::Action(call), None) => {
                let call = bind(program, def, &call.name, &call.params)?;
                Action::Ready(EntryAction::Direct(call))
            }
            (action, _) => Action::OfProfile(action),
        };
        Ok(Given {
            action,
            metadata: data.metadata,
            idle_timeout_ns: data.idle_timeout_ns,
        })
    }
}

fn entry_name(table: &str, key: &[MatchField], priority: i32) -> EntryName {
    EntryName {
        table: table.to_owned(),
        key: key.to_vec(),
        priority,
    }
}

impl Core {
    fn slot_of(&self, named: &Named) -> Option<u32> {
        let table = &self.tables.tables[named.table];
        table.find_by(named.place.identity, &named.key, named.priority)
    }

    /// An entry that may change.
    fn mutable_slot(&self, named: &Named) -> ControlResult<u32> {
        let name = &self.program.tables[named.table].name;
        let Some(slot) = self.slot_of(named) else {
            let message = format!("table '{name}' has no entry with this key");
            return refuse(ErrorCode::NotFound, message);
        };
        if self.tables.tables[named.table].entry(slot).is_const {
            let message = format!("this entry of table '{name}' is constant");
            return refuse(ErrorCode::PermissionDenied, message);
        }
        Ok(slot)
    }

    fn action(&self, table: usize, action: Action) -> ControlResult<EntryAction> {
        match action {
            Action::Ready(action) => Ok(action),
            Action::OfProfile(action) => self.resolve(table, &action),
        }
    }

    fn insert(
        &mut self,
        named: Named,
        given: ControlResult<Given>,
        now_ns: u64,
    ) -> ControlResult<Saved> {
        let table = named.table;
        let def = &self.program.tables[table];
        if self.slot_of(&named).is_some() {
            let message = format!("table '{}' already has an entry with this key", def.name);
            return refuse(ErrorCode::AlreadyExists, message);
        }
        if self.tables.tables[table].len() as u64 >= def.size {
            let message = format!("table '{}' is full: it has {} entries", def.name, def.size);
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        let meter = def.new_meter();
        let given = given?;
        let action = self.action(table, given.action)?;
        self.count_use(table, &action, |uses| uses + 1);
        let entry = EntryState {
            key: named.key,
            priority: named.priority,
            is_const: false,
            action,
            metadata: given.metadata,
            idle_timeout_ns: given.idle_timeout_ns,
            last_hit_ns: now_ns,
            expired: false,
            counter: CounterValue::default(),
            meter,
        };
        let mut place = named.place;
        let cells = self.cells_of(table, self.tables.tables[table].next_slot());
        let slot = self.tables.tables[table].insert_at(&mut place, entry);
        self.reset_cells(table, slot, now_ns);
        Ok(Saved::Inserted {
            table,
            slot,
            place,
            cells,
        })
    }

    fn modify(
        &mut self,
        named: Named,
        given: ControlResult<Given>,
        now_ns: u64,
    ) -> ControlResult<Saved> {
        let (table, slot) = (named.table, self.mutable_slot(&named)?);
        let given = given?;
        let action = self.action(table, given.action)?;
        self.count_use(table, &action, |uses| uses + 1);
        let state = &mut self.tables.tables[table];
        let entry = state.entry_mut(slot);
        let before_bytes = entry.footprint_bytes();
        let saved = Saved::Modified {
            table,
            slot,
            action: std::mem::replace(&mut entry.action, action),
            metadata: std::mem::replace(&mut entry.metadata, given.metadata),
            idle_timeout_ns: std::mem::replace(&mut entry.idle_timeout_ns, given.idle_timeout_ns),
            last_hit_ns: std::mem::replace(&mut entry.last_hit_ns, now_ns),
            expired: std::mem::take(&mut entry.expired),
        };
        let after_bytes = entry.footprint_bytes();
        state.footprint_bytes = state.footprint_bytes - before_bytes + after_bytes;
        if let Saved::Modified { action, .. } = &saved {
            self.count_use(table, action, |uses| uses - 1);
        }
        Ok(saved)
    }

    fn delete(&mut self, named: Named) -> ControlResult<Saved> {
        let (table, slot) = (named.table, self.mutable_slot(&named)?);
        let mut place = named.place;
        let cells = self.cells_of(table, slot);
        let entry = self.tables.tables[table].remove_at(&mut place, slot);
        self.count_use(table, &entry.action, |uses| uses - 1);
        Ok(Saved::Deleted {
            table,
            place,
            entry,
            cells,
        })
    }
}

impl Switch {
    pub fn table_insert(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.change(
            Change::TableInsert(entry_name(table, key, priority), data),
            now_ns,
        )
    }

    pub fn table_modify(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.change(
            Change::TableModify(entry_name(table, key, priority), data),
            now_ns,
        )
    }

    pub fn table_delete(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<()> {
        self.change(Change::TableDelete(entry_name(table, key, priority)), 0)
    }

    /// The maker of plans for the program that is loaded now.
    pub fn planner(&self) -> Planner {
        let core = self.fabric.core.as_ref();
        Planner(core.map(|core| Arc::clone(&core.program)))
    }

    /// Whether a plan is one for the program that is loaded.
    pub(super) fn has_program_of(&self, plan: &Plan) -> bool {
        let loaded = self.fabric.core.as_ref().map(|core| &core.program);
        match (loaded, &plan.program) {
            (Some(loaded), Some(planned)) => Arc::ptr_eq(loaded, planned),
            (None, None) => true,
            _ => false,
        }
    }

    /// Reads the memory that steps begin with.
    pub(super) fn touch(&self, steps: &[Step]) {
        if let Some(core) = &self.fabric.core {
            let named = steps.iter().filter_map(Step::named);
            let read = named.map(|named| core.tables.tables[named.table].touch(&named.place));
            std::hint::black_box(read.fold(0, |all, each| all ^ each));
        }
    }

    /// Takes one step. It happens whole, or it is refused and nothing has changed. `saves`: the way back is wanted.
    pub(super) fn take(
        &mut self,
        step: Step,
        now_ns: u64,
        saves: bool,
    ) -> ControlResult<Option<Saved>> {
        match step {
            Step::Insert(named, given) => {
                let core = self.loaded_mut()?;
                core.insert(named?, given, now_ns).map(Some)
            }
            Step::Modify(named, given) => {
                let core = self.loaded_mut()?;
                core.modify(named?, given, now_ns).map(Some)
            }
            Step::Delete(named) => self.loaded_mut()?.delete(named?).map(Some),
            Step::Other(change) => {
                let saved = if saves { self.save(&change) } else { None };
                self.change(change, now_ns).map(|()| saved)
            }
            Step::Done => Ok(None),
        }
    }
}
