// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Entries that a program gives its tables, as a P4Runtime `WriteRequest` that inserts them (p4runtime.proto of the
//! P4Runtime specification, 1.4): what p4c writes for `--p4runtime-entries-files`.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use quench_p4_frontend::ir::{Entry, Expr, ExprKind, Key, KeySet, Table, TableId, Value};

use super::message::Message;
use super::tables::{control_plane_params, key_ids, param_ids};
use super::values::{bitwidth, controller_bytes, number, value_bytes};
use super::{hidden, Generator};
use crate::error::{not_supported, Error, Result};

/// `Update.Type`.
const INSERT: (u32, &str) = (1, "INSERT");

/// The value of a `oneof` of `FieldMatch`: its number and name, and its message.
type Match = (u32, &'static str, Message);

impl Generator<'_> {
    pub(super) fn write_request(&self) -> Result<Message> {
        let mut request = Message::new();
        let tables = self.reachable.tables.iter();
        for (id, table) in tables.map(|id| (*id, &self.program.tables[id.index()])) {
            if hidden(&table.annotations) {
                continue;
            }
            let places = (1..=table.entries.len()).rev();
            for (place, entry) in places.zip(table.entries_by_priority()) {
                let mut message = self.table_entry(id, table, entry)?;
                if has_priorities(table) {
                    message.int(4, "priority", entry_priority(table, entry, place)?);
                }
                let mut entity = Message::new();
                entity.message(2, "table_entry", message);
                let mut update = Message::new();
                update
                    .variant(1, "type", INSERT)
                    .message(2, "entity", entity);
                request.message(4, "updates", update);
            }
        }
        Ok(request)
    }

    fn table_entry(&self, id: TableId, table: &Table, entry: &Entry) -> Result<Message> {
        let mut message = Message::new();
        let table_id = self.table_id(id);
        message
            .int(1, "table_id", table_id)
            .bool(13, "is_const", entry.is_const);
        for ((key, id), set) in table
            .keys
            .iter()
            .zip(key_ids(&table.keys)?)
            .zip(&entry.keyset)
        {
            if let Some((number, name, value)) = self.field_match(key, set)? {
                let mut field = Message::new();
                field.int(1, "field_id", id).message(number, name, value);
                message.message(2, "match", field);
            }
        }
        let mut table_action = Message::new();
        table_action.message(1, "action", self.action_call(table, entry)?);
        message.message(3, "action", table_action);
        Ok(message)
    }

    fn action_call(&self, table: &Table, entry: &Entry) -> Result<Message> {
        let id = table.actions[entry.action].action;
        let mut call = Message::new();
        call.int(1, "action_id", self.action_id(id));
        let params = control_plane_params(self, id);
        for ((var, id), value) in params.iter().zip(param_ids(&params)?).zip(&entry.args) {
            let value = controller_bytes(self.program, &var.ty, value, entry.span)?;
            let mut param = Message::new();
            param.int(2, "param_id", id).bytes(3, "value", value);
            call.message(4, "params", param);
        }
        Ok(call)
    }

    /// `None` for a field that matches every value: a P4Runtime entry leaves it out.
    fn field_match(&self, key: &Key, set: &KeySet) -> Result<Option<Match>> {
        let span = key.expr.span;
        let width = bitwidth(self.program, &key.expr.ty, span)?;
        let all = (BigInt::from(1) << width) - 1;
        let bytes = |value: &BigInt| value_bytes(value, width);
        let mut message = Message::new();
        Ok(match (key.match_kind.as_str(), set) {
            (_, KeySet::DontCare) => None,
            ("exact" | "optional", KeySet::Value(value)) => {
                let value = constant(value)?;
                let value = controller_bytes(self.program, &key.expr.ty, value, span)?;
                message.bytes(1, "value", value);
                Some(match key.match_kind.as_str() {
                    "exact" => (2, "exact", message),
                    _ => (7, "optional", message),
                })
            }
            ("lpm", KeySet::Value(_) | KeySet::Mask(..)) => {
                let (value, mask) = masked(set, &all)?;
                let ones = i64::try_from(mask.magnitude().count_ones()).unwrap_or_default();
                message
                    .bytes(1, "value", bytes(&value))
                    .int(2, "prefix_len", ones);
                (ones > 0).then_some((4, "lpm", message))
            }
            ("ternary", KeySet::Value(_) | KeySet::Mask(..)) => {
                let (value, mask) = masked(set, &all)?;
                message
                    .bytes(1, "value", bytes(&value))
                    .bytes(2, "mask", bytes(&mask));
                (!mask.is_zero()).then_some((3, "ternary", message))
            }
            ("range", KeySet::Value(_) | KeySet::Range(..)) => {
                let (low, high) = match set {
                    KeySet::Range(low, high) => (low, high),
                    KeySet::Value(value) => (value, value),
                    _ => return Ok(None),
                };
                let (low, high) = (integer(low)?, integer(high)?);
                message
                    .bytes(1, "low", bytes(&low))
                    .bytes(2, "high", bytes(&high));
                (!low.is_zero() || high != all).then_some((6, "range", message))
            }
            _ => return not_supported(span, "this kind of key in a P4Runtime entry"),
        })
    }
}

/// The value and its mask, within `all` bits.
fn masked(set: &KeySet, all: &BigInt) -> Result<(BigInt, BigInt)> {
    let (value, mask) = match set {
        KeySet::Mask(value, mask) => (integer(value)?, integer(mask)? & all),
        KeySet::Value(value) => (integer(value)?, all.clone()),
        _ => (BigInt::zero(), BigInt::zero()),
    };
    Ok((value & &mask, mask))
}

fn constant(expr: &Expr) -> Result<&Value> {
    match &expr.kind {
        ExprKind::Const(value) => Ok(value),
        _ => not_supported(expr.span, "a key that is not constant"),
    }
}

fn integer(expr: &Expr) -> Result<BigInt> {
    number(constant(expr)?, expr.span)
}

fn has_priorities(table: &Table) -> bool {
    let mut kinds = table.keys.iter().map(|key| key.match_kind.as_str());
    kinds.any(|kind| matches!(kind, "ternary" | "range" | "optional"))
}

/// The first of the `const entries` has the largest number, and others have the number in the program, as p4c writes them.
fn entry_priority(table: &Table, entry: &Entry, place: usize) -> Result<i32> {
    let priority = match &entry.priority {
        Some(priority) if !table.const_entries => priority.to_i32(),
        _ => i32::try_from(place).ok(),
    };
    priority.ok_or_else(|| {
        let message = "the priority of an entry has at most 31 bits in P4Runtime";
        Error::new(entry.span, message)
    })
}
