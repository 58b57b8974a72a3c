// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, actions and value sets.

use quench_p4_frontend::ast::{Annotation, AnnotationBody, AnnotationTokenKind};
use quench_p4_frontend::ir::{
    ActionId, Direction, Key, Table, TableId, Type, TypeDefKind, Value, ValueSetId, Var, VarKind,
};

use super::describe::{add_annotations, add_documentation, preamble};
use super::message::Message;
use super::named::{self, named_or, newtype_name};
use super::symbols::{field_ids, Prefix};
use super::values::{bitwidth, controller_bytes};
use super::{hidden, Generator};
use crate::annotation;
use crate::error::{not_supported, Error, Result};

/// `MatchField.MatchType`.
const EXACT: (u32, &str) = (2, "EXACT");

/// `None` for match kinds that P4Info has no number for.
fn match_type(kind: &str) -> Option<(u32, &'static str)> {
    Some(match kind {
        "exact" => EXACT,
        "lpm" => (3, "LPM"),
        "ternary" => (4, "TERNARY"),
        "range" => (5, "RANGE"),
        "optional" => (6, "OPTIONAL"),
        _ => return None,
    })
}

fn set_match(field: &mut Message, kind: &str) {
    match match_type(kind) {
        Some(kind) => field.variant(5, "match_type", kind),
        None => field.repeated_text(7, "other_match_type", kind),
    };
}

/// Parameters that the control plane gives: those without direction of an action that a table can run.
pub(super) fn control_plane_params<'a>(
    generator: &Generator<'a>,
    action: ActionId,
) -> Vec<&'a Var> {
    let program = generator.program;
    let name = &program.actions[action.index()].name;
    let mut tables = generator
        .reachable
        .tables
        .iter()
        .map(|id| &program.tables[id.index()]);
    let in_table = tables.any(|table| {
        let mut names = table
            .actions
            .iter()
            .map(|used| &program.actions[used.action.index()].name);
        names.any(|other| other == name)
    });
    if !in_table {
        return Vec::new();
    }
    let params = program.actions[action.index()].params.iter();
    params
        .map(|id| &program.vars[id.index()])
        .filter(|var| var.kind == VarKind::Param(Direction::None))
        .collect()
}

pub(super) fn param_ids(params: &[&Var]) -> Result<Vec<u32>> {
    field_ids(
        params
            .iter()
            .map(|var| (var.annotations.as_slice(), var.span)),
    )
}

pub(super) fn key_ids(keys: &[Key]) -> Result<Vec<u32>> {
    let keys = keys.iter();
    field_ids(keys.map(|key| (key.annotations.as_slice(), key.expr.span)))
}

impl Generator<'_> {
    pub(super) fn add_table(&mut self, id: TableId) -> Result<()> {
        let table = &self.program.tables[id.index()];
        if hidden(&table.annotations) {
            return Ok(());
        }
        let name = self.names.table(table);
        let alias = self.symbols.alias(&name);
        let mut message = Message::new();
        let preamble = preamble(
            self.lists,
            self.table_id(id),
            &name,
            alias,
            &table.annotations,
            &[],
        )?;
        message.message(1, "preamble", preamble);
        self.add_match_fields(table, &mut message)?;
        self.add_action_refs(table, &mut message)?;
        self.add_default_action(table, &mut message)?;
        self.dialect.add_resources(self, id, &mut message)?;
        let size = table
            .size
            .filter(|&size| size > 0)
            .unwrap_or_else(|| self.dialect.default_size(table));
        message
            .int(8, "size", size as i64)
            .bool(10, "is_const_table", table.const_entries)
            .bool(11, "has_initial_entries", !table.entries.is_empty());
        let times_out = table
            .properties
            .iter()
            .find(|p| p.name == self.dialect.timeout_property());
        if times_out.is_some_and(|p| p.value == Value::Bool(true)) {
            message.variant(9, "idle_timeout_behavior", (1, "NOTIFY_CONTROL"));
        }
        self.info.message(2, "tables", message);
        Ok(())
    }

    fn add_match_fields(&mut self, table: &Table, message: &mut Message) -> Result<()> {
        let keys: &[Key] = &table.keys;
        for (key, id) in keys.iter().zip(key_ids(keys)?) {
            // An input of an action selector's hash, which no entry matches.
            if key.match_kind == "selector" {
                continue;
            }
            let span = key.expr.span;
            self.types.data_type(self.program, &key.expr.ty, span)?;
            let mut field = Message::new();
            field.int(1, "id", id).text(2, "name", &key.name);
            add_annotations(self.lists, &mut field, (3, 9), &key.annotations, &[])?;
            add_documentation(&mut field, 6, &key.annotations);
            field.int(4, "bitwidth", bitwidth(self.program, &key.expr.ty, span)?);
            set_match(&mut field, &key.match_kind);
            if let Some(name) = newtype_name(self.program, &key.expr.ty) {
                field.message(8, "type_name", name);
            }
            message.message(2, "match_fields", field);
        }
        Ok(())
    }

    fn add_action_refs(&mut self, table: &Table, message: &mut Message) -> Result<()> {
        for used in &table.actions {
            let action = &self.program.actions[used.action.index()];
            let table_only = annotation::find(&used.annotations, "tableonly").is_some();
            let default_only = annotation::find(&used.annotations, "defaultonly").is_some();
            let scope = match (table_only, default_only) {
                (true, true) => {
                    let message = format!("'{}' is both @tableonly and @defaultonly", action.name);
                    return Err(Error::new(table.span, message));
                }
                (true, false) => (1, "TABLE_ONLY"),
                (false, true) => (2, "DEFAULT_ONLY"),
                (false, false) => (0, "TABLE_AND_DEFAULT"),
            };
            let mut reference = Message::new();
            reference.int(1, "id", self.action_id(used.action));
            add_annotations(self.lists, &mut reference, (2, 4), &used.annotations, &[])?;
            reference.variant(3, "scope", scope);
            message.message(3, "action_refs", reference);
        }
        Ok(())
    }

    fn add_default_action(&mut self, table: &Table, message: &mut Message) -> Result<()> {
        let default = &table.default_action;
        let Some(used) = default.action.and_then(|index| table.actions.get(index)) else {
            return Ok(());
        };
        let id = self.action_id(used.action);
        if default.is_const {
            message.int(4, "const_default_action_id", id);
        }
        let mut call = Message::new();
        call.int(1, "action_id", id);
        let params = control_plane_params(self, used.action);
        for ((var, id), value) in params.iter().zip(param_ids(&params)?).zip(&default.args) {
            let value = controller_bytes(self.program, &var.ty, value, table.span)?;
            let mut argument = Message::new();
            argument.int(2, "param_id", id).bytes(3, "value", value);
            call.message(4, "arguments", argument);
        }
        message.message(5, "initial_default_action", call);
        Ok(())
    }

    pub(super) fn add_action(&mut self, id: ActionId) -> Result<()> {
        let action = &self.program.actions[id.index()];
        if hidden(&action.annotations) {
            return Ok(());
        }
        let name = self.names.action(action);
        let alias = self.symbols.alias(name);
        let mut message = Message::new();
        let preamble = preamble(
            self.lists,
            self.action_id(id),
            name,
            alias,
            &action.annotations,
            &[],
        )?;
        message.message(1, "preamble", preamble);
        let params = control_plane_params(self, id);
        for (var, id) in params.iter().zip(param_ids(&params)?) {
            let mut param = Message::new();
            param
                .int(1, "id", id)
                .text(2, "name", &named_or(&var.annotations, &var.name));
            add_annotations(self.lists, &mut param, (3, 7), &var.annotations, &[])?;
            add_documentation(&mut param, 5, &var.annotations);
            param.int(4, "bitwidth", bitwidth(self.program, &var.ty, var.span)?);
            self.types.data_type(self.program, &var.ty, var.span)?;
            if let Some(name) = newtype_name(self.program, &var.ty) {
                param.message(6, "type_name", name);
            } else if let Some(def) = named::def(self.program, &var.ty) {
                if matches!(def.kind, TypeDefKind::Enum(_)) {
                    let mut name = Message::new();
                    name.text(1, "name", &named::type_name(def));
                    param.message(6, "type_name", name);
                }
            }
            message.message(2, "params", param);
        }
        self.info.message(3, "actions", message);
        Ok(())
    }

    pub(super) fn add_value_set(&mut self, id: ValueSetId) -> Result<()> {
        let set = &self.program.value_sets[id.index()];
        let set_id = self.symbols.id(Prefix::ValueSet, &set.name);
        let alias = self.symbols.alias(&set.name);
        let mut message = Message::new();
        let preamble = preamble(self.lists, set_id, &set.name, alias, &set.annotations, &[])?;
        message.message(1, "preamble", preamble);
        let fields = match &set.element {
            Type::Bit(width) => vec![match_field(1, "", *width, "exact")],
            ty => match named::def(self.program, ty).map(|def| &def.kind) {
                Some(TypeDefKind::Struct(fields)) => {
                    let ids =
                        field_ids(fields.iter().map(|f| (f.annotations.as_slice(), set.span)))?;
                    let mut messages = Vec::new();
                    for (field, id) in fields.iter().zip(ids) {
                        let Type::Bit(width) = field.ty else {
                            let what = format!(
                                "a value_set with the field '{}' of a type other than bit<W>",
                                field.name
                            );
                            return not_supported(set.span, what);
                        };
                        let kind = match_annotation(&field.annotations)?;
                        let name = named_or(&field.annotations, &field.name);
                        let mut message = match_field(id, &name, width, &kind);
                        add_annotations(
                            self.lists,
                            &mut message,
                            (3, 9),
                            &field.annotations,
                            &["match"],
                        )?;
                        add_documentation(&mut message, 6, &field.annotations);
                        messages.push(message);
                    }
                    messages
                }
                Some(TypeDefKind::SerEnum { repr, members }) => {
                    let width = bitwidth(self.program, repr, set.span)?;
                    let members = members.iter().zip(1..);
                    members
                        .map(|((name, _), id)| match_field(id, name, width, "exact"))
                        .collect()
                }
                _ => return not_supported(
                    set.span,
                    "a value_set of other than bit<W>, a struct of them, or an enum over bit<W>",
                ),
            },
        };
        for field in fields {
            message.message(2, "match", field);
        }
        message.int(3, "size", set.size as i64);
        self.info.message(10, "value_sets", message);
        Ok(())
    }
}

fn match_field(id: u32, name: &str, width: u32, kind: &str) -> Message {
    let mut field = Message::new();
    field
        .int(1, "id", id)
        .text(2, "name", name)
        .int(4, "bitwidth", width);
    set_match(&mut field, kind);
    field
}

/// `@match(kind)` of a value set's field.
fn match_annotation(annotations: &[Annotation]) -> Result<String> {
    let Some(found) = annotation::find(annotations, "match") else {
        return Ok("exact".to_owned());
    };
    match &found.body {
        AnnotationBody::Unstructured(tokens)
            if tokens.len() == 1
                && tokens[0].kind == AnnotationTokenKind::Identifier
                && tokens[0].text != "selector" =>
        {
            Ok(tokens[0].text.clone())
        }
        _ => Err(Error::new(
            found.span,
            "@match needs one match kind, such as @match(ternary)",
        )),
    }
}
