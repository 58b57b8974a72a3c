// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Blocks, and the tables and actions of one as lowering leaves them.

use quench_p4_frontend::ir::{ActionId, ExternId};

use crate::flat::Stmt;
use crate::json::{self, Expr};
use crate::place::Scalar;

/// A programmable block of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// As messages have it, such as "the parser".
    pub name: &'static str,
}

/// The abilities of a kind of programmable block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Parser,
    /// Tables and actions.
    Pipeline,
    Checksums,
    Deparser,
}

/// A table that is applied somewhere.
#[derive(Clone, Debug)]
pub struct LoweredTable {
    pub block: Block,
    /// Those that are matched, without `selector`s.
    pub keys: Vec<Key>,
    /// The `selector` keys.
    pub selector_input: Vec<Expr>,
    /// Fields of all keys, in order.
    pub(super) fields: Vec<(String, String)>,
    /// Indices of the lowered actions.
    pub actions: Vec<usize>,
    pub profile: Option<Profile>,
    pub direct_counter: Option<ExternId>,
    pub direct_meter: Option<ExternId>,
    /// Other objects with a cell for each entry.
    pub direct_objects: Vec<ExternId>,
    /// The field that gets the number of the entry that matches.
    pub entry_index: Option<(String, String)>,
    pub support_timeout: bool,
}

#[derive(Clone, Debug)]
pub struct Profile {
    pub instance: ExternId,
    pub size: u64,
    /// Still without the fields that it hashes.
    pub selector: Option<json::Selector>,
    pub groups: json::Groups,
    /// Whether the table runs its default action where no entry matches.
    pub has_default: bool,
}

#[derive(Clone, Debug)]
pub struct Key {
    pub match_kind: String,
    pub name: String,
    pub field: (String, String),
    pub scalar: Scalar,
    /// Position among the table's keys.
    pub index: usize,
}

/// An action with its body as a table runs it.
#[derive(Clone, Debug)]
pub struct LoweredAction {
    pub id: ActionId,
    pub name: String,
    /// Name and width in bits of the parameters that come from the control plane.
    pub parameters: Vec<(String, u32)>,
    pub body: Vec<Stmt>,
    /// Has no arguments bound by a table, so any table can use it.
    pub(super) shared: bool,
}
