// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From BMv2 JSON to an executable program and its initial state.
//!
//! All names are resolved here; a reference to something that does not exist, or a value of the wrong kind, is an
//! error that says where, and nothing of the program is kept.
//!
//! Begin with `Loader::run` below, which lists the steps in order; `json.rs` is the shape of the input, `exec::program` that
//! of the result.

mod action;
mod arrays;
mod blocks;
mod calc;
mod cost;
mod deparser;
mod entries;
mod expr;
mod flow;
mod info;
mod json;
mod labels;
mod layout;
mod limits;
mod lists;
mod operator;
mod parser;
mod primitive;
mod tables;
mod units;
mod value;
mod width;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;

use crate::arch::{Architecture, Kind};
use crate::exec::core::Start;
use crate::exec::proof::prove;
use crate::externs::clock::ChipClock;
use crate::externs::faults::Faults;
use crate::externs::hash::Hasher;
use crate::externs::random::Random;
use crate::externs::Externs;
use crate::model::ids::HeaderId;
use crate::model::load_error::Within;
pub(crate) use crate::model::load_error::{fail, LoadResult};
use crate::program::{Action, Calculation, Program};
use crate::state::layout::Layout;
use crate::state::loc::Loc;
use arrays::Arrays;
use expr::Locals;
use layout::LayoutNames;
use limits::Total;
use width::Builder;

/// The major version of the format, and the newest minor version that is known.
const VERSION: (u32, u32) = (2, 24);

/// A program, where its architecture finds what both share, and the state that it starts with.
pub struct Loaded {
    pub architecture: Architecture,
    pub start: Start,
}

/// The compiler's state: everything loaded so far, and indices by name.
pub(crate) struct Loader<'a> {
    root: &'a json::Root,
    kind: Kind,
    layout: Layout,
    names: LayoutNames,
    aliases: HashMap<&'a str, (&'a str, &'a str)>,
    /// The fields that something in the program names; without a field, the whole header.
    named: RefCell<HashSet<(HeaderId, Option<usize>)>>,
    b: Builder,
    /// The memory that the program's state takes.
    memory: Total,
    arrays: Arrays,
    calculations: Vec<Calculation>,
    calculation_names: HashMap<&'a str, u32>,
    hashers: Vec<Hasher>,
    actions: Vec<Action>,
    /// By the JSON's id.
    action_ids: HashMap<u32, u32>,
    /// The first value set's use gives the widths of its fields.
    value_set_bits: Vec<Vec<u32>>,
}

/// A field, or the hidden validity bit of a header.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    Fixed(HeaderId, Loc),
    Var(HeaderId),
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
    /// How deep arrays and objects lie inside each other.
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

impl<'a> Loader<'a> {
    fn new(root: &'a json::Root) -> LoadResult<Self> {
        if let Some((major, minor)) = root.meta.as_ref().and_then(|meta| meta.version) {
            if major != VERSION.0 {
                return fail(format!(
                    "version {major}.{minor} of the format; {}.x is supported",
                    VERSION.0
                ));
            }
            if minor > VERSION.1 {
                tracing::warn!(
                    "version {major}.{minor} of the JSON format is newer than {}.{}",
                    VERSION.0,
                    VERSION.1
                );
            }
        }
        if let Some(instance) = root.extern_instances.first() {
            return fail(format!(
                "extern '{}': the type '{}' is not supported",
                instance.name, instance.kind
            ));
        }
        let meta = root.meta.as_ref();
        let name = meta.and_then(|meta| meta.architecture.as_deref());
        let Some(kind) = Kind::named(name) else {
            let name = name.unwrap_or_default();
            return fail(format!("the architecture '{name}' is not supported"));
        };
        let memory = Total::of(limits::MEMORY_BYTES);
        let (layout, names) = layout::build(root, &memory)?;
        let aliases = root.field_aliases.iter();
        let aliases = aliases
            .map(|(name, (header, field))| (name.as_str(), (header.as_str(), field.as_str())));
        Ok(Self {
            root,
            kind,
            layout,
            names,
            aliases: aliases.collect(),
            named: RefCell::default(),
            b: Builder::default(),
            memory,
            arrays: Arrays::default(),
            calculations: Vec::new(),
            calculation_names: HashMap::new(),
            hashers: Vec::new(),
            actions: Vec::new(),
            action_ids: HashMap::new(),
            value_set_bits: root.parse_vsets.iter().map(|_| Vec::new()).collect(),
        })
    }

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
            faults: Faults::default(),
            scratch: Default::default(),
            hash_input: Vec::new(),
        };
        let program = Program {
            layout: self.layout,
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
        for id in 0..self.layout.headers.len() {
            let kind = &self.root.header_types[self.layout.headers[id].kind as usize];
            if !kind.length_exp.is_null() && self.layout.headers[id].var.is_some() {
                let length = self.exact(&kind.length_exp, Locals::Header(id as u32));
                let length = length.within(|| format!("length of header type '{}'", kind.name))?;
                self.layout.headers[id].var_length = Some(length);
            }
        }
        Ok(())
    }

    /// A header as a whole, named by the program.
    pub(crate) fn header(&self, name: &str) -> LoadResult<HeaderId> {
        let id = self.names.header(name)?;
        self.named.borrow_mut().insert((id, None));
        Ok(id)
    }

    /// A field that the program names.
    pub(crate) fn find_field(&self, header: &str, field: &str) -> LoadResult<Found> {
        let (id, index) = self.place(header, field)?;
        let def = &self.layout.headers[id as usize];
        let Some(index) = index else {
            return Ok(Found::Fixed(id, def.valid));
        };
        self.named.borrow_mut().insert((id, Some(index)));
        Ok(match self.layout.header_type(id).fields[index].is_var {
            true => Found::Var(id),
            false => Found::Fixed(id, def.fields[index]),
        })
    }

    /// A header's field by its names, aliases first; without an index it is the header's validity.
    fn place(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Option<usize>)> {
        let full = format!("{header}.{field}");
        let (header, field) = self
            .aliases
            .get(full.as_str())
            .copied()
            .unwrap_or((header, field));
        let id = self.names.header(header)?;
        if field == "$valid$" {
            return Ok((id, None));
        }
        match self.layout.header_type(id).field(field) {
            Some(index) => Ok((id, Some(index))),
            None => fail(format!("header '{header}' has no field '{field}'")),
        }
    }

    /// A field of fixed width.
    pub(crate) fn field(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Loc)> {
        match self.find_field(header, field)? {
            Found::Fixed(id, loc) => Ok((id, loc)),
            Found::Var(_) => fail(format!(
                "'{header}.{field}' has a variable length and is no number"
            )),
        }
    }

    /// A field of a header type, relative to the header.
    pub(crate) fn type_field(&self, kind: u32, field: &str) -> LoadResult<Loc> {
        let def = &self.layout.types[kind as usize];
        match def.field(field) {
            Some(index) if def.fields[index].is_var => fail(format!(
                "'{field}' of header type '{}' has a variable length and is no number",
                def.name
            )),
            Some(index) => Ok(def.fields[index].rel),
            None => fail(format!("header type '{}' has no field '{field}'", def.name)),
        }
    }
}
