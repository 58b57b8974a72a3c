// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects that a program declares.

use quench_p4_frontend::ir::{ExternId, ExternInstance, TableId, Type, Value};

use super::super::message::Message;
use super::super::v1model::integer;
use super::super::Generator;
use super::kinds::{
    kind, Externs, Kind, Uses, ACTION_PROFILE, ACTION_SELECTOR, COUNTER, DIGEST, DIRECT_COUNTER,
    DIRECT_LPF, DIRECT_METER, DIRECT_REGISTER, DIRECT_WRED, HASH, LPF, METER, REGISTER,
    REGISTER_PARAM, WRED,
};
use crate::error::Result;

/// The end of the name of a selector that brings its action profile.
pub const SELECTOR_SUFFIX: &str = "_sel";

/// Members of a group, and groups, of such a selector.
const DEFAULT_GROUP_SIZE: i64 = 120;
const DEFAULT_GROUPS: i64 = 4;

/// `ActionSelector(size, ...)`: an older form, of which p4c makes an action profile and a selector.
pub fn implied_profile(object: &ExternInstance) -> bool {
    object.type_name == "ActionSelector" && object.args.iter().any(|(name, _)| name == "size")
}

fn argument(object: &ExternInstance, name: &str) -> Option<ExternId> {
    let value = object.args.iter().find(|(known, _)| known == name);
    match value? {
        (_, Value::Extern(id)) => Some(*id),
        _ => None,
    }
}

impl Generator<'_> {
    /// An object that does not belong to a table.
    pub(super) fn add_object(
        &mut self,
        id: ExternId,
        uses: &Uses<'_>,
        externs: &mut Externs,
    ) -> Result<()> {
        let object = &self.program.externs[id.index()];
        let Some(kind) = kind(&object.type_name) else {
            return Ok(());
        };
        let name = self.names.object(&object.name).into_owned();
        let mut message = Message::new();
        match kind {
            COUNTER | METER => {
                // The control plane has to know the type of the index.
                let index = object
                    .type_args
                    .get(usize::from(kind == COUNTER))
                    .filter(|ty| **ty != Type::Unknown);
                if let Some(index) = index {
                    self.types.data_type(self.program, index, object.span)?;
                }
                message.message(1, "spec", self.spec(object, uses)).int(
                    2,
                    "size",
                    integer(object, "size")?,
                );
            }
            LPF => {
                message.int(1, "size", integer(object, "size")?);
            }
            WRED => {
                message.message(1, "spec", wred_spec(object)?).int(
                    2,
                    "size",
                    integer(object, "size")?,
                );
            }
            REGISTER => {
                self.add_type(object, &mut message)?;
                message.int(2, "size", integer(object, "size")?);
                message.text(3, "data_field_name", self.names.local(&object.name));
            }
            REGISTER_PARAM => {
                self.add_type(object, &mut message)?;
                message
                    .int(2, "table_id", self.reader_of(id, uses))
                    .int(3, "initial_value", integer(object, "initial_value")?)
                    .text(4, "data_field_name", self.names.local(&object.name));
            }
            DIGEST if uses.calls.count(id) > 0 => self.add_type(object, &mut message)?,
            HASH => match uses.calls.only(id) {
                Some(call) => message = self.hash(call, &uses.arguments, object.span)?,
                None => return Ok(()),
            },
            ACTION_PROFILE | ACTION_SELECTOR => return self.add_members(id, &name, externs),
            // Direct objects come with their tables.
            _ => return Ok(()),
        }
        self.add_instance(kind, &name, &object.annotations, message, externs)
    }

    pub(super) fn add_direct_objects(
        &mut self,
        table: TableId,
        uses: &Uses<'_>,
        externs: &mut Externs,
    ) -> Result<()> {
        let table_id = self.table_id(table);
        for (kind, id) in self.direct_objects(table) {
            let object = &self.program.externs[id.index()];
            let mut message = Message::new();
            match kind {
                DIRECT_COUNTER | DIRECT_METER => {
                    message.message(1, "spec", self.spec(object, uses)).int(
                        2,
                        "direct_table_id",
                        table_id,
                    );
                }
                DIRECT_WRED => {
                    message.message(1, "spec", wred_spec(object)?).int(
                        2,
                        "direct_table_id",
                        table_id,
                    );
                }
                DIRECT_LPF => {
                    message.int(1, "direct_table_id", table_id);
                }
                DIRECT_REGISTER => {
                    self.add_type(object, &mut message)?;
                    message.text(2, "data_field_name", self.names.local(&object.name));
                }
                _ => continue,
            }
            let name = self.names.object(&object.name).into_owned();
            self.add_instance(kind, &name, &object.annotations, message, externs)?;
        }
        Ok(())
    }

    /// The unit that a counter or meter counts.
    fn spec(&self, object: &ExternInstance, uses: &Uses<'_>) -> Message {
        let unit = match self.unit(object) {
            "BYTES" => (1, "BYTES"),
            "PACKETS" => (2, "PACKETS"),
            "PACKETS_AND_BYTES" => (3, "PACKETS_AND_BYTES"),
            _ => (0, "UNSPECIFIED"),
        };
        let mut spec = Message::new();
        spec.variant(1, "unit", unit);
        let is_meter = matches!(kind(&object.type_name), Some(METER | DIRECT_METER));
        if is_meter && uses.calls.two_arguments(&object.name) {
            spec.variant(2, "type", (1, "COLOR_AWARE"));
        }
        spec
    }

    fn add_type(&mut self, object: &ExternInstance, message: &mut Message) -> Result<()> {
        if let Some(ty) = object.type_args.first() {
            let spec = self.types.data_type(self.program, ty, object.span)?;
            message.message(1, "type_spec", spec);
        }
        Ok(())
    }

    /// The id of the register, or of the table with the direct register, whose actions read a parameter; 0 if none
    /// does.
    fn reader_of(&self, param: ExternId, uses: &Uses<'_>) -> u32 {
        let Some(register) = uses.calls.reader(param) else {
            return 0;
        };
        match self.tables_with("registers", register).first() {
            Some(table) => self.table_id(*table),
            None => {
                let name = &self.program.externs[register.index()].name;
                self.symbols.id(REGISTER.0, &self.names.object(name))
            }
        }
    }

    /// Tables whose entries are members of a profile, or groups of a selector on it.
    fn tables_of(&self, profile: ExternId) -> Vec<u32> {
        let selectors = self.program.externs.iter().enumerate();
        let selectors = selectors
            .filter(|(_, object)| argument(object, "action_profile") == Some(profile))
            .map(|(index, _)| ExternId(index as u32));
        let mut tables: Vec<TableId> = std::iter::once(profile)
            .chain(selectors)
            .flat_map(|id| self.tables_with("implementation", id))
            .collect();
        tables.sort_by_key(|table| &self.program.tables[table.index()].name);
        tables.into_iter().map(|id| self.table_id(id)).collect()
    }

    /// An action profile, a selector, or both where the program declares only the selector.
    fn add_members(&self, id: ExternId, name: &str, externs: &mut Externs) -> Result<()> {
        let object = &self.program.externs[id.index()];
        let implied = implied_profile(object);
        let mut add = |kind: Kind, name: &str, message| {
            self.add_instance(kind, name, &object.annotations, message, externs)
        };
        if implied || object.type_name == "ActionProfile" {
            let mut profile = Message::new();
            profile.packed(1, "table_ids", self.tables_of(id)).int(
                2,
                "size",
                integer(object, "size")?,
            );
            add(ACTION_PROFILE, name, profile)?;
        }
        if object.type_name == "ActionProfile" {
            return Ok(());
        }
        let (name, profile, group_size, groups) = match argument(object, "action_profile") {
            Some(profile) if !implied => {
                let profile = &self.program.externs[profile.index()].name;
                let profile = self.names.object(profile).into_owned();
                let group_size = integer(object, "max_group_size")?;
                (
                    name.to_owned(),
                    profile,
                    group_size,
                    integer(object, "num_groups")?,
                )
            }
            _ => {
                let selector = format!("{name}{SELECTOR_SUFFIX}");
                (
                    selector,
                    name.to_owned(),
                    DEFAULT_GROUP_SIZE,
                    DEFAULT_GROUPS,
                )
            }
        };
        let mut selector = Message::new();
        selector
            .packed(1, "table_ids", self.tables_of(id))
            .int(3, "max_group_size", group_size)
            .int(4, "num_groups", groups)
            .int(
                5,
                "action_profile_id",
                self.symbols.id(ACTION_PROFILE.0, &profile),
            );
        add(ACTION_SELECTOR, &name, selector)
    }

    pub(super) fn implementation_id(&self, id: ExternId) -> u32 {
        let object = &self.program.externs[id.index()];
        let name = self.names.object(&object.name);
        match object.type_name.as_str() {
            "ActionProfile" => self.symbols.id(ACTION_PROFILE.0, &name),
            _ if implied_profile(object) => {
                let name = format!("{name}{SELECTOR_SUFFIX}");
                self.symbols.id(ACTION_SELECTOR.0, &name)
            }
            _ => self.symbols.id(ACTION_SELECTOR.0, &name),
        }
    }
}

fn wred_spec(object: &ExternInstance) -> Result<Message> {
    let mut spec = Message::new();
    spec.int(1, "drop_value", integer(object, "drop_value")?)
        .int(2, "no_drop_value", integer(object, "no_drop_value")?);
    Ok(spec)
}
