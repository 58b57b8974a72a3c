// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables with their keys, actions and entries; key sets, which parsers use too.

use num_bigint::BigInt;

use super::code::Expr;
use super::ids::{ActionId, ValueSetId};
use super::types::{Annotations, Type, Value};
use crate::span::Span;

#[derive(Clone, Debug)]
pub struct Table {
    /// Control-plane name.
    pub name: String,
    pub annotations: Annotations,
    pub keys: Vec<Key>,
    pub actions: Vec<ActionUse>,
    pub default_action: DefaultAction,
    /// `const entries`.
    pub const_entries: bool,
    pub entries: Vec<Entry>,
    pub size: Option<u64>,
    /// `largest_priority_wins`; true when not given.
    pub largest_priority_wins: bool,
    /// Every other property by name, with its evaluated value: `implementation`, `counters`, `meters`, `support_timeout`, ...
    pub properties: Vec<Property>,
    /// The number of [`Program::externs`](super::Program::externs) that are declared before the table.
    pub externs_before: u32,
    pub span: Span,
}

impl Table {
    /// The entries, the one first that wins; those of one priority are in the program's order.
    pub fn entries_by_priority(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by(|a, b| match (&a.priority, &b.priority) {
            (Some(a), Some(b)) if self.largest_priority_wins => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            _ => std::cmp::Ordering::Equal,
        });
        entries
    }
}

#[derive(Clone, Debug)]
pub struct Key {
    pub expr: Expr,
    pub match_kind: String,
    /// The name in `@name`, else the expression as the specification derives it (`hdr.ipv4.dst`, `hdr.x.$valid$`, `f[3:0]`).
    pub name: String,
    pub annotations: Annotations,
}

#[derive(Clone, Debug)]
pub struct ActionUse {
    pub action: ActionId,
    /// Arguments for the parameters with a direction, bound where the table lists the action.
    pub args: Vec<Expr>,
    pub annotations: Annotations,
}

#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// Index in [`Table::actions`]; `None` only in a table that lists no `NoAction`: nothing happens then.
    pub action: Option<usize>,
    /// The values of the directionless parameters.
    pub args: Vec<Value>,
    pub is_const: bool,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub keyset: Vec<KeySet>,
    /// As written or derived, for tables where priorities matter.
    pub priority: Option<BigInt>,
    pub is_const: bool,
    /// Index in [`Table::actions`].
    pub action: usize,
    pub args: Vec<Value>,
    pub annotations: Annotations,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub value: Value,
    pub span: Span,
}

/// One element of a key set in a `select` case or table entry. Values have the key's type.
#[derive(Clone, Debug)]
pub enum KeySet {
    DontCare,
    Value(Expr),
    Mask(Expr, Expr),
    Range(Expr, Expr),
    ValueSet(ValueSetId),
}

#[derive(Clone, Debug)]
pub struct ValueSet {
    pub name: String,
    pub annotations: Annotations,
    pub element: Type,
    pub size: u64,
    pub span: Span,
}
