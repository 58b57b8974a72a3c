// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From flat statements to BMv2's JSON.
//!
//! In: flat statements (`flat.rs`). Out: the model of `json`. Begin with `control.rs`.
//!
//! | file | writes |
//! |---|---|
//! | `control.rs` | ingress and egress: a graph of tables and conditionals |
//! | `table.rs`, `entries.rs` | tables, their entries |
//! | `action.rs` | bodies of actions |
//! | `parser.rs`, `parser_ops.rs`, `parser_select.rs` | the parser: states, operations in a state, choices |
//! | `checksum.rs`, `deparser.rs` | the other blocks |

mod action;
mod checksum;
mod control;
mod deparser;
mod entries;
mod followers;
mod parser;
mod parser_ops;
mod parser_select;
mod profile;
mod sites;
mod table;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use quench_p4_frontend::ir;
use quench_p4_frontend::limits::{MAX_OUTPUT_HEIGHT, MAX_SHOWN_CHARS};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;

use crate::error::{not_supported, Result};
use crate::json::{self, Expr, SourceInfo};
use crate::lower::Lower;
use crate::names::Names;

pub use action::primitives;
pub use parser::{parser, ParserKind};
pub use table::{enum_argument, size_argument, DEFAULT_SIZE};

/// The state that all emitters share.
pub struct Emitter<'a> {
    pub ir: &'a ir::Program,
    pub sources: &'a SourceMap,
    pub program: json::Program,
    pub action_names: Names,
    table_count: usize,
    conditional_count: usize,
    profile_count: usize,
}

struct Mark {
    action_names: Names,
    actions: usize,
    tables: usize,
    conditionals: usize,
    profiles: usize,
}

impl<'a> Emitter<'a> {
    pub fn new(ir: &'a ir::Program, sources: &'a SourceMap) -> Emitter<'a> {
        Emitter {
            ir,
            sources,
            program: json::Program::default(),
            action_names: Names::default(),
            table_count: 0,
            conditional_count: 0,
            profile_count: 0,
        }
    }

    pub fn source_info(&self, span: Span) -> Option<SourceInfo> {
        source_info(self.sources, span)
    }

    /// The state before a pipeline.
    fn mark(&self) -> Mark {
        Mark {
            action_names: self.action_names.clone(),
            actions: self.program.actions.len(),
            tables: self.table_count,
            conditionals: self.conditional_count,
            profiles: self.profile_count,
        }
    }

    /// Forgets the tables that stand only in code that never runs. They are not written, so they have no objects, and the
    /// bodies of their actions are empty.
    pub fn forget_unwritten_tables(&mut self, lower: &mut Lower<'_>) {
        let written = self.program.pipelines.iter().flat_map(|p| &p.tables);
        let written: HashSet<&str> = written.map(|table| table.name.as_str()).collect();
        let ir = self.ir;
        let mut unused: BTreeSet<usize> = BTreeSet::new();
        lower.tables.retain(|id, table| {
            let kept = written.contains(ir.tables[id.index()].name.as_str());
            if !kept {
                unused.extend(&table.actions);
            }
            kept
        });
        for table in lower.tables.values() {
            table.actions.iter().for_each(|action| {
                unused.remove(action);
            });
        }
        // Their numbers are those of the lowered actions.
        for action in unused {
            self.program.actions[action].primitives.clear();
        }
    }

    /// Forgets what a pipeline has added.
    fn reset(&mut self, mark: &Mark) {
        self.action_names = mark.action_names.clone();
        self.program.actions.truncate(mark.actions);
        self.table_count = mark.tables;
        self.conditional_count = mark.conditionals;
        self.profile_count = mark.profiles;
    }

    /// Such as `router42` for code in line 42 of router.p4.
    fn name_of_line(&self, span: Span) -> String {
        let Some(info) = self.source_info(span) else {
            return "act".to_owned();
        };
        let stem: String = Path::new(&info.filename)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default()
            .chars()
            .skip_while(|c| !c.is_ascii_alphabetic())
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        match stem.chars().last() {
            None => "act".to_owned(),
            // A digit before the line number would make it ambiguous.
            Some(last) if last.is_ascii_digit() => format!("{stem}l{}", info.line),
            Some(_) => format!("{stem}{}", info.line),
        }
    }
}

/// `None` where the span is of no file.
pub fn source_info(sources: &SourceMap, span: Span) -> Option<SourceInfo> {
    if span == Span::default() {
        return None;
    }
    let location = sources.location(span);
    let fragment = sources.snippet(span);
    let line = fragment.lines().next().unwrap_or("").trim_end();
    let shown: String = line.chars().take(MAX_SHOWN_CHARS).collect();
    Some(SourceInfo {
        filename: location.path.to_string_lossy().into_owned(),
        line: location.line,
        // BMv2 counts from 0.
        column: location.column.saturating_sub(1),
        source_fragment: if shown.len() < line.len() || fragment.contains('\n') {
            format!("{shown} ...")
        } else {
            shown
        },
    })
}

/// A primitive call.
pub fn primitive(
    op: &'static str,
    parameters: &[Expr],
    span: Span,
    sources: &SourceMap,
) -> Result<json::Primitive> {
    for parameter in parameters {
        check(parameter, span)?;
    }
    Ok(json::Primitive {
        op,
        parameters: parameters.iter().map(Expr::parameter).collect(),
        source_info: source_info(sources, span),
    })
}

/// Refuses expressions that BMv2 can evaluate in parser keys only, and those nested too deeply for a reader of JSON.
pub fn check(expr: &Expr, span: Span) -> Result<()> {
    if !expr.fits(MAX_OUTPUT_HEIGHT) {
        return not_supported(
            span,
            format_args!(
                "an expression of more than {MAX_OUTPUT_HEIGHT} operations in each other: use variables"
            ),
        );
    }
    if expr.any(&mut |e| matches!(e, Expr::UnionStackField(..))) {
        return not_supported(
            span,
            "a field of a union stack's `last` other than as a key of `select`",
        );
    }
    Ok(())
}
