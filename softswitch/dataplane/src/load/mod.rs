// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From BMv2 JSON to an executable program and its initial state.
//!
//! All names are resolved here; a reference to something that does not exist, or a value of the wrong kind, is an
//! error that says where, and nothing of the program is kept.
//!
//! Begin with `Loader::run` below, which lists the steps in order; `json.rs` is the shape of the input, `program` that
//! of the result.

mod action;
mod arrays;
mod blocks;
mod calc;
mod cost;
mod declared;
mod deparser;
mod entries;
mod expr;
mod flow;
mod headers;
mod info;
mod json;
mod labels;
mod layout;
mod limits;
mod lists;
mod loader;
mod operator;
mod parser;
mod primitive;
mod tables;
mod unit;
mod value;
mod width;

use std::sync::Arc;

use serde::Deserialize;

use crate::arch::Architecture;
use crate::exec::core::Start;
use crate::exec::proof::prove;
use crate::externs::clock::ChipClock;
use crate::externs::faults::Faults;
use crate::externs::random::Random;
use crate::externs::Externs;
use crate::model::config::SwitchConfig;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::Program;
use expr::Locals;
use loader::Loader;

/// A program, where its architecture finds what both share, and the state that it starts with.
pub struct Loaded {
    pub architecture: Architecture,
    pub start: Start,
}

/// Refuses a text that is larger than any program may be, without reading it.
pub fn check_size(text: &str) -> LoadResult<()> {
    limits::JSON_BYTES.allow(text.len() as u64)?;
    let Extent { levels, values } = extent(text);
    limits::NESTING.allow(levels)?;
    limits::JSON_VALUES.allow(values)
}

pub fn load(text: &str) -> LoadResult<Loaded> {
    check_size(text)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let root = json::Root::deserialize(&mut reader).and_then(|root| reader.end().map(|()| root));
    match root {
        Ok(root) => Loader::new(&root)?.run(),
        Err(error) => fail(format!("not a BMv2 JSON: {error}")),
    }
}

/// The depth and size of a JSON text.
struct Extent {
    /// The depth to which arrays and objects lie inside each other.
    levels: u64,
    /// At least as many as there are values.
    values: u64,
}

fn extent(text: &str) -> Extent {
    let (mut depth, mut deepest, mut values) = (0u64, 0, 1);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
                values += 1;
            }
            b',' if !in_string => values += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => (),
        }
    }
    Extent {
        levels: deepest,
        values,
    }
}

impl Loader<'_> {
    fn run(mut self) -> LoadResult<Loaded> {
        self.arrays = arrays::build(self.root, self.kind, &self.memory)?;
        Architecture::check(self.kind, &self)?;
        self.var_lengths()?;
        self.load_calculations()?;
        self.load_actions()?;
        let mut states = Vec::new();
        let parsers = self.load_parsers(&mut states)?;
        let deparsers = self.load_deparsers()?;
        let mark = self.b.mark();
        let control = self.load_pipelines()?;
        let checksums = self.load_checksums()?;
        let parsed = states.iter().map(|state| u64::from(state.work));
        let applied = control.pipelines.iter();
        let applied = applied.map(|pipeline| self.work_of_pipeline(pipeline, &control.tables));
        let deparsed = deparsers.iter().map(|deparser| u64::from(deparser.work));
        let conditions = self.b.work_since(&mark);
        let pass_work = cost::pass(parsed.chain(applied).chain(deparsed).chain([conditions]));
        let field_lists = self.load_field_lists()?;
        let digests = self.load_digests()?;
        let architecture = Architecture::bind(self.kind, &self)?;
        let info = info::build(&self, &control)?;
        let labels = self.load_labels()?;
        let errors = self.error_codes()?;
        let pipelines = self.pipelines()?;
        limits::EXPRESSIONS.allow(self.b.exprs.len() as u64)?;
        let externs = Externs {
            registers: self.arrays.registers.into(),
            counters: self.arrays.counters.into(),
            meters: self.arrays.meters,
            filters: self.arrays.filters,
            math_units: self.arrays.math_units,
            hashers: self.hashers,
            random: Random::new(0),
            clock: ChipClock::default(),
            drop_port: SwitchConfig::default().drop_port,
            faults: Faults::default(),
            scratch: Default::default(),
            hash_input: Vec::new(),
        };
        let program = Program {
            layout: self.headers.layout,
            exprs: self.b.exprs,
            states,
            errors,
            parsers,
            pipelines: control.pipelines,
            deparsers,
            actions: self.actions,
            tables: control.tables,
            calculations: self.calculations,
            selectors: control.selectors,
            checksums,
            field_lists,
            digests,
            pass_work,
            info,
            coverage: None,
            labels,
        };
        #[cfg(test)]
        let program = crate::exec::proof::damage::damaged(program);
        if let Err(reason) = prove(&program, &externs, architecture.slots().into_iter()) {
            return fail(format!("it would not stay inside its state: {reason}"));
        }
        let mut tables = control.state;
        entries::insert(
            &pipelines,
            &program,
            &mut tables,
            &self.action_ids,
            &self.memory,
        )?;
        let value_sets = self.root.parse_vsets.iter().map(|_| Vec::new()).collect();
        let start = Start {
            program: Arc::new(program),
            externs,
            tables: Arc::new(tables),
            value_sets,
        };
        Ok(Loaded {
            architecture,
            start,
        })
    }

    /// Lengths that header types give for their variable-length fields (P4-14).
    fn var_lengths(&mut self) -> LoadResult<()> {
        for id in 0..self.headers.layout.headers.len() {
            let kind = &self.root.header_types[self.headers.layout.headers[id].kind as usize];
            if !kind.length_exp.is_null() && self.headers.layout.headers[id].var.is_some() {
                let length = self.exact(&kind.length_exp, Locals::Header(id as u32));
                let length = length.within(|| format!("length of header type '{}'", kind.name))?;
                self.headers.layout.headers[id].var_length = Some(length);
            }
        }
        Ok(())
    }
}
