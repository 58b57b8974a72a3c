// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The seam between what P4-16 itself defines and what an architecture adds: the programmable blocks, the functions and
//! objects that it declares, and the properties of tables that name them.

use quench_p4_frontend::ir::{self, ExternId, Type};
use quench_p4_frontend::SourceMap;

use crate::error::{Result, Warnings};
use crate::json;
use crate::lower::{Lower, LoweredTable, Value};

pub trait Architecture {
    /// As P4Info names it.
    fn name(&self) -> &'static str;

    /// The JSON model of a program, and warnings with their places.
    fn translate(
        &self,
        ir: &ir::Program,
        sources: &SourceMap,
        program_name: &str,
    ) -> Result<(json::Program, Warnings)>;

    /// A call of a function of the architecture, or of the core library's `verify`.
    fn function(
        &self,
        lower: &mut Lower<'_>,
        name: &str,
        type_args: &[Type],
        call: &ir::Call,
    ) -> Result<Option<Value>>;

    /// A call of a method of an object.
    fn method(
        &self,
        lower: &mut Lower<'_>,
        instance: ExternId,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Value>>;

    /// What a table's property means that is not the language's.
    fn property(
        &self,
        lower: &mut Lower<'_>,
        property: &ir::Property,
        table: &mut LoweredTable,
    ) -> Result<()>;

    /// Warns about what a lowered table does differently from what its source says.
    fn check_table(&self, lower: &mut Lower<'_>, table: &ir::Table, lowered: &LoweredTable);

    /// The kind of match in the JSON, apart from `selector`; `None` where there is none.
    fn match_kind(&self, kind: &str) -> Option<&'static str>;

    /// Looks at a parser's state that can go to `reject`.
    fn rejects(&self, lower: &mut Lower<'_>, state: &ir::State);

    /// Whether headers that are not whole bytes get bits at their end.
    fn pads_headers(&self) -> bool;

    /// The primitive that makes a header valid.
    fn set_valid(&self) -> &'static str;
}
