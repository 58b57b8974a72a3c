// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A loaded program: everything that packets do not change.

mod action;
mod calculation;
pub mod coverage;
mod deparser;
pub mod expr;
pub mod labels;
mod lists;
mod parser;
mod pipeline;
pub mod table;
mod target;
pub mod unit;

use crate::model::info::ProgramInfo;
use crate::state::layout::Layout;
pub use action::{Action, Jump, Op};
pub use calculation::{CalcInput, Calculation, Checksum, ChecksumKind};
use coverage::Coverage;
pub use deparser::Deparser;
use expr::Exprs;
use labels::Labels;
pub use lists::{CopiedField, DigestField, FieldList};
pub use parser::{ErrorCodes, KeyPart, KeySource, ParseCase, ParseOp, ParseState, Parser};
pub use pipeline::{ControlNode, Pipeline};
use table::TableDef;
pub use target::Target;

#[derive(Debug)]
pub struct Program {
    pub layout: Layout,
    pub exprs: Exprs,
    /// The states of all parsers.
    pub states: Vec<ParseState>,
    pub errors: ErrorCodes,
    /// The programmable blocks, in the order in which the architecture names them.
    pub parsers: Vec<Parser>,
    pub pipelines: Vec<Pipeline>,
    pub deparsers: Vec<Deparser>,
    pub actions: Vec<Action>,
    pub tables: Vec<TableDef>,
    pub calculations: Vec<Calculation>,
    /// Inputs of the selectors' hash functions, by profile; empty for plain profiles.
    pub selectors: Vec<Option<Calculation>>,
    pub checksums: Vec<Checksum>,
    /// Fields that clones, resubmitted and recirculated packets keep, by id.
    pub field_lists: Vec<FieldList>,
    /// Digests, by id; `None` where the program has none.
    pub digests: Vec<Option<Vec<DigestField>>>,
    /// The cost of every copy, and of every pass of a packet but its first.
    pub pass_work: u32,
    pub info: ProgramInfo,
    /// Counts of the parts that packets reached, where they are recorded.
    pub coverage: Option<Coverage>,
    pub labels: Labels,
}
