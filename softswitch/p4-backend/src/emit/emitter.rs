// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state that all emitters share.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use quench_p4_frontend::ir;
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;

use super::primitive::source_info;
use crate::json::{self, SourceInfo};
use crate::lower::Lower;
use crate::names::Names;

pub struct Emitter<'a> {
    pub ir: &'a ir::Program,
    pub sources: &'a SourceMap,
    pub program: json::Program,
    pub action_names: Names,
    /// Names of tables: other nodes have different ones.
    table_names: HashSet<&'a str>,
    pub(super) table_count: usize,
    pub(super) conditional_count: usize,
    pub(super) profile_count: usize,
}

pub(super) struct Mark {
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
            table_names: ir.tables.iter().map(|table| table.name.as_str()).collect(),
            table_count: 0,
            conditional_count: 0,
            profile_count: 0,
        }
    }

    pub fn source_info(&self, span: Span) -> Option<SourceInfo> {
        source_info(self.sources, span)
    }

    /// The state before a pipeline.
    pub(super) fn mark(&self) -> Mark {
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

    pub(super) fn is_table(&self, name: &str) -> bool {
        self.table_names.contains(name)
    }

    /// Forgets what a pipeline has added.
    pub(super) fn reset(&mut self, mark: &Mark) {
        self.action_names = mark.action_names.clone();
        self.program.actions.truncate(mark.actions);
        self.table_count = mark.tables;
        self.conditional_count = mark.conditionals;
        self.profile_count = mark.profiles;
    }

    /// Such as `router42` for code in line 42 of router.p4.
    pub(super) fn name_of_line(&self, span: Span) -> String {
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
