// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4Info: the part of a program that P4Runtime sees (p4info.proto of the P4Runtime specification, 1.4), with the ids and
//! names that p4c gives.
//!
//! An architecture is one implementation of [`Dialect`].
//!
//! In: the typed program. Out: one message, as text and as bytes. Begin with `tables.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `reach.rs` | the objects of a program that P4Info lists, in their order |
//! | `symbols.rs` | their ids and aliases |
//! | `entries.rs` | entries of the program as a request to write them |
//! | `tables.rs`, `package.rs`, `types.rs` | the messages of each kind |
//! | `v1model.rs` | v1model's objects, as p4c's BMv2 back end has them |
//! | `tofino/` | TNA's objects, as p4c's Tofino back end has them |
//! | `describe.rs`, `literal.rs` | preambles and annotations |
//! | `named.rs`, `values.rs` | names of types and fields; widths and bytes of values |
//! | `message.rs` | a message as a tree, and both its formats |

mod describe;
mod entries;
mod literal;
mod message;
mod named;
mod package;
mod reach;
mod symbols;
mod tables;
pub mod tofino;
mod types;
pub mod v1model;
mod values;

use std::collections::{HashMap, HashSet};

use quench_p4_frontend::ir::{
    ActionId, Direction, ExternId, Program, Table, TableId, Type, TypeDef, TypeDefKind, Value,
    VarKind,
};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::{Diagnostics, Warning};

use crate::annotation;
use crate::error::{Error, Result};
use crate::object_names::ObjectNames;
use describe::Lists;
use message::Message;
use reach::Reachable;
use symbols::{Prefix, Symbols};
use types::TypeInfo;

/// The messages of P4Runtime about a program.
#[derive(Clone, Debug, PartialEq)]
pub struct P4Runtime {
    pub info: File,
    /// `p4.v1.WriteRequest` that inserts the program's entries.
    pub entries: File,
}

/// A message that is a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Path of the `.proto`, and the message's full name.
    kind: (&'static str, &'static str),
    message: Message,
}

const P4INFO: (&str, &str) = ("p4/config/v1/p4info.proto", "p4.config.v1.P4Info");
const WRITE_REQUEST: (&str, &str) = ("p4/v1/p4runtime.proto", "p4.v1.WriteRequest");

impl File {
    /// The text format, with the heading that p4c writes.
    pub fn to_text(&self) -> String {
        let (file, name) = self.kind;
        format!(
            "# proto-file: {file}\n# proto-message: {name}\n\n{}",
            self.message.to_text()
        )
    }

    /// The binary format.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.message.encode()
    }
}

/// The parts of P4Info that p4c's back end for an architecture writes in its own way.
pub trait Dialect {
    /// The name of the architecture in P4Info.
    fn name(&self) -> &'static str;

    /// The names of the objects.
    fn names<'a>(&self, program: &'a Program) -> ObjectNames<'a>;

    /// Annotations that the architecture adds and whose body is a list of expressions.
    fn lists(&self) -> Lists;

    /// The property of a table whose entries can time out.
    fn timeout_property(&self) -> &'static str;

    /// Entries of a table that asks for none.
    fn default_size(&self, table: &Table) -> u64;

    /// Whether the program has something, other than tables, objects and headers for the controller, where p4c looks for
    /// types.
    fn looks_for_types(&self, reachable: &Reachable) -> bool;

    fn collect_objects(&self, generator: &mut Generator<'_>, names: &mut Names) -> Result<()>;

    fn add_objects(&self, generator: &mut Generator<'_>, digests: &[Digest]) -> Result<()>;

    /// A table's action profile, and the counter and meter of each entry.
    fn add_resources(
        &self,
        generator: &mut Generator<'_>,
        table: TableId,
        message: &mut Message,
    ) -> Result<()>;
}

/// P4Info and entries of a program for an architecture; `None` after an error in `diagnostics`.
pub fn generate(
    program: &Program,
    dialect: &'static dyn Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<P4Runtime> {
    let lists = dialect.lists();
    let mut generator = Generator {
        program,
        dialect,
        lists,
        names: dialect.names(program),
        reachable: reach::reachable(program),
        symbols: Symbols::default(),
        types: TypeInfo::new(lists),
        info: Message::new(),
    };
    let result = generator
        .collect_symbols(diagnostics)
        .and_then(|digests| generator.fill(&digests))
        .and_then(|()| generator.write_request());
    match result {
        Ok(entries) => Some(P4Runtime {
            info: File {
                kind: P4INFO,
                message: generator.info,
            },
            entries: File {
                kind: WRITE_REQUEST,
                message: entries,
            },
        }),
        Err(error) => {
            diagnostics.error(error.span, error.message);
            None
        }
    }
}

/// Names that are taken: a controller distinguishes objects of one kind by their names.
#[derive(Default)]
pub struct Names(HashSet<(Prefix, String)>);

impl Names {
    fn take(&mut self, prefix: Prefix, name: &str, span: Span) -> Result<()> {
        match self.0.insert((prefix.namespace(), name.to_owned())) {
            true => Ok(()),
            false => taken(name, span),
        }
    }
}

fn taken<T>(name: &str, span: Span) -> Result<T> {
    let message = format!(
        "the control plane knows another object of this kind as '{name}': change its @name"
    );
    Err(Error::new(span, message))
}

/// A digest: the control plane's name of its data, and where it is called.
pub struct Digest {
    name: String,
    data: Type,
    span: Span,
}

pub struct Generator<'a> {
    program: &'a Program,
    dialect: &'static dyn Dialect,
    lists: Lists,
    names: ObjectNames<'a>,
    reachable: Reachable,
    symbols: Symbols,
    types: TypeInfo,
    info: Message,
}

impl<'a> Generator<'a> {
    /// Actions of one name are one action to the control plane: no table has two of them, and they have the same parameters.
    /// Each block has its copy of an action of the top level, and programs that were P4-14 have one declaration a block.
    fn check_actions(&self) -> Result<()> {
        let program = self.program;
        let parameters = |id: ActionId| {
            let vars = program.actions[id.index()].params.iter();
            let vars = vars.map(|var| &program.vars[var.index()]);
            vars.filter(|var| var.kind == VarKind::Param(Direction::None))
                .map(|var| (&var.name, &var.ty))
        };
        let mut known = HashMap::new();
        for table in &self.reachable.tables {
            let mut own = HashSet::new();
            for listed in &program.tables[table.index()].actions {
                let action = &program.actions[listed.action.index()];
                let first = *known.entry(&action.name).or_insert(listed.action);
                if !own.insert(&action.name) || !parameters(first).eq(parameters(listed.action)) {
                    return taken(self.names.action(action), action.span);
                }
            }
        }
        Ok(())
    }

    /// Collects all names: ids and aliases depend on all of them.
    fn collect_symbols(&mut self, diagnostics: &mut Diagnostics) -> Result<Vec<Digest>> {
        let program = self.program;
        let mut names = Names::default();
        self.check_actions()?;
        for id in &self.reachable.actions {
            let action = &program.actions[id.index()];
            let name = self.names.action(action);
            self.symbols
                .add(Prefix::Action, name, &action.annotations, action.span)?;
        }
        for id in &self.reachable.tables {
            let table = &program.tables[id.index()];
            let name = self.names.table(table);
            names.take(Prefix::Table, &name, table.span)?;
            self.symbols
                .add(Prefix::Table, &name, &table.annotations, table.span)?;
        }
        for id in &self.reachable.value_sets {
            let set = &program.value_sets[id.index()];
            let name = self.names.local(&set.name);
            names.take(Prefix::ValueSet, name, set.span)?;
            self.symbols
                .add(Prefix::ValueSet, name, &set.annotations, set.span)?;
        }
        self.dialect.collect_objects(self, &mut names)?;
        for def in self.controller_headers() {
            if let Some(name) = annotation::string(&def.annotations, "controller_header") {
                names.take(Prefix::ControllerHeader, &name, def.span)?;
            }
            let name = named::type_name(def);
            self.symbols
                .add(Prefix::ControllerHeader, &name, &def.annotations, def.span)?;
        }
        let digests = self.digests(diagnostics);
        for digest in &digests {
            self.symbols
                .add(Prefix::Digest, &digest.name, &[], digest.span)?;
        }
        self.symbols.assign();
        Ok(digests)
    }

    /// Calls of `digest`, one for each type of data that has a name.
    fn digests(&self, diagnostics: &mut Diagnostics) -> Vec<Digest> {
        let mut digests: Vec<Digest> = Vec::new();
        let mut unnamed = 0;
        for (data, span) in &self.reachable.digests {
            let name = named::def(self.program, data)
                .map(named::type_name)
                .unwrap_or_else(|| {
                    let name = format!("digest_{unnamed}");
                    unnamed += 1;
                    let message = format!(
                        "the data of this digest has no name: P4Runtime knows it as '{name}'"
                    );
                    diagnostics.warning(Warning::Mismatch, *span, message);
                    name
                });
            if !digests.iter().any(|digest| digest.name == name) {
                digests.push(Digest {
                    name,
                    data: data.clone(),
                    span: *span,
                });
            }
        }
        digests
    }

    /// Headers that packets to and from the controller begin with.
    fn controller_headers(&self) -> Vec<&'a TypeDef> {
        let defs = self.program.declared_types.iter();
        defs.map(|id| &self.program.types[id.index()])
            .filter(|def| matches!(def.kind, TypeDefKind::Header(_)))
            .filter(|def| annotation::find(&def.annotations, "controller_header").is_some())
            .collect()
    }

    fn fill(&mut self, digests: &[Digest]) -> Result<()> {
        self.add_package()?;
        for id in self.reachable.tables.clone() {
            self.add_table(id)?;
        }
        for id in self.reachable.actions.clone() {
            self.add_action(id)?;
        }
        self.dialect.add_objects(self, digests)?;
        for def in self.controller_headers() {
            self.add_controller_header(def)?;
        }
        let types = std::mem::take(&mut self.types).into_message();
        // p4c also writes an empty message, if some object could have had a type in it.
        let looked = !self.reachable.tables.is_empty()
            || !self.program.externs.is_empty()
            || self.dialect.looks_for_types(&self.reachable)
            || !self.controller_headers().is_empty();
        if looked || !types.is_empty() {
            self.info.message(200, "type_info", types);
        }
        Ok(())
    }

    fn table_id(&self, id: TableId) -> u32 {
        let table = &self.program.tables[id.index()];
        self.symbols.id(Prefix::Table, &self.names.table(table))
    }

    fn action_id(&self, id: ActionId) -> u32 {
        let action = &self.program.actions[id.index()];
        self.symbols.id(Prefix::Action, self.names.action(action))
    }

    /// The extern object that a table property names.
    fn property_extern(&self, id: TableId, property: &str) -> Option<ExternId> {
        let properties = &self.program.tables[id.index()].properties;
        match properties.iter().find(|p| p.name == property)?.value {
            Value::Extern(id) => Some(id),
            _ => None,
        }
    }
}

fn hidden(annotations: &[quench_p4_frontend::ast::Annotation]) -> bool {
    annotation::find(annotations, "hidden").is_some()
}

#[cfg(test)]
mod tests;
