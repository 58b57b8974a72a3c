// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The objects that a program reaches from its package: P4Info lists only those, as p4c does.

use std::collections::{BTreeSet, HashSet};

use quench_p4_frontend::ir::visit::{self, Visitor};
use quench_p4_frontend::ir::{
    ActionId, Call, Callee, ControlId, FunctionId, KeySet, PackageInstance, ParserId, Program,
    TableId, Type, Value, ValueSetId,
};
use quench_p4_frontend::span::Span;

/// Objects in the order of their declarations, those in an instance at the place of the instance. Ids are given in that
/// order.
#[derive(Debug, Default)]
pub struct Reachable {
    pub tables: Vec<TableId>,
    pub actions: Vec<ActionId>,
    pub value_sets: Vec<ValueSetId>,
    /// Data types of the calls of `digest`, those in actions before those in the bodies of controls.
    pub digests: Vec<(Type, Span)>,
    /// Some control calls a function of the architecture.
    pub calls_externs: bool,
    /// Controls that the package names, and all the instances in them.
    pub controls: Vec<ControlId>,
    /// Parsers that the package names.
    pub parsers: Vec<ReachedParser>,
}

/// A parser that the package names, with what is in it and in the parsers that it calls.
#[derive(Debug)]
pub struct ReachedParser {
    pub id: ParserId,
    pub value_sets: Vec<ValueSetId>,
    pub calls_externs: bool,
    /// Type of TNA's port metadata.
    pub port_metadata: Option<Type>,
}

pub fn reachable(program: &Program) -> Reachable {
    let mut walk = Walk {
        program,
        block: Block::default(),
        in_action: false,
        in_parser: false,
        actions: HashSet::new(),
        controls: HashSet::new(),
        parsers: HashSet::new(),
        functions: HashSet::new(),
        value_sets: HashSet::new(),
        found: Reachable::default(),
    };
    if let Some(main) = &program.main {
        walk.package(main);
    }
    let sets = (0..program.value_sets.len() as u32).map(ValueSetId);
    walk.found.value_sets = sets.filter(|id| walk.value_sets.contains(id)).collect();
    walk.found
}

/// Objects in a control that the package names, and in all the instances in it.
#[derive(Default)]
struct Block {
    controls: Vec<ControlId>,
    applied: BTreeSet<TableId>,
    /// Actions called by name from a control, not through a table nor from another action.
    called: Vec<ActionId>,
    digests: Vec<(Type, Span)>,
}

struct Walk<'a> {
    program: &'a Program,
    block: Block,
    in_action: bool,
    in_parser: bool,
    actions: HashSet<ActionId>,
    controls: HashSet<ControlId>,
    parsers: HashSet<ParserId>,
    functions: HashSet<FunctionId>,
    value_sets: HashSet<ValueSetId>,
    found: Reachable,
}

impl<'a> Walk<'a> {
    /// In TNA a switch is a package of pipelines, which are packages.
    fn package(&mut self, package: &'a PackageInstance) {
        for (_, value) in &package.args {
            match value {
                Value::Parser(id) => self.root_parser(*id),
                Value::Control(id) => self.block(*id),
                Value::Package(inner) => self.package(inner),
                _ => {}
            }
        }
    }

    fn root_parser(&mut self, id: ParserId) {
        self.found.parsers.push(ReachedParser {
            id,
            value_sets: Vec::new(),
            calls_externs: false,
            port_metadata: None,
        });
        self.in_parser = true;
        self.parser(id);
        self.in_parser = false;
        if let Some(parser) = self.found.parsers.last_mut() {
            parser.value_sets.sort();
            parser.value_sets.dedup();
        }
    }

    fn extern_function_in_parser(&mut self, name: &str, type_args: &[Type]) {
        if let Some(parser) = self.found.parsers.last_mut() {
            parser.calls_externs = true;
            if let ("port_metadata_unpack", [data, ..]) = (name, type_args) {
                parser.port_metadata.get_or_insert_with(|| data.clone());
            }
        }
    }

    fn parser(&mut self, id: ParserId) {
        if self.parsers.insert(id) {
            visit::parser(self, &self.program.parsers[id.index()]);
        }
    }

    /// A control that the package names. p4c writes P4Info after it has inlined the instances in it.
    fn block(&mut self, id: ControlId) {
        self.control(id);
        let in_bodies = std::mem::take(&mut self.block.digests);
        let tables: Vec<TableId> = self.block.applied.iter().copied().collect();
        for action in self.block_actions(&tables) {
            self.action(action);
            // Each block has its copy of an action of the top level; the control plane knows one.
            let name = &self.program.actions[action.index()].name;
            let mut known = self.found.actions.iter();
            if !known.any(|id| self.program.actions[id.index()].name == *name) {
                self.found.actions.push(action);
            }
        }
        self.found.tables.extend(tables);
        let block = std::mem::take(&mut self.block);
        for (data, span) in block.digests.into_iter().chain(in_bodies) {
            if !self.found.digests.iter().any(|(_, known)| *known == span) {
                self.found.digests.push((data, span));
            }
        }
    }

    /// The actions of the tables and those that controls call. Those of the top level come first, as they are used: p4c copies
    /// them into the block.
    fn block_actions(&self, tables: &[TableId]) -> Vec<ActionId> {
        let listed = tables
            .iter()
            .flat_map(|id| &self.program.tables[id.index()].actions)
            .map(|listed| listed.action);
        let mut known = HashSet::new();
        let mut actions: Vec<ActionId> = listed
            .chain(self.block.called.iter().copied())
            .filter(|id| known.insert(*id))
            .collect();
        let inside = |id: &ActionId| {
            let span = self.program.actions[id.index()].span;
            self.block.controls.iter().any(|id| {
                let control = self.program.controls[id.index()].span;
                span.file == control.file && control.start <= span.start && span.end <= control.end
            })
        };
        actions.sort_by_key(|id| inside(id).then_some(*id));
        actions
    }

    fn control(&mut self, id: ControlId) {
        if !self.controls.insert(id) {
            return;
        }
        self.block.controls.push(id);
        self.found.controls.push(id);
        visit::control(self, &self.program.controls[id.index()]);
    }

    fn action(&mut self, id: ActionId) {
        let in_action = std::mem::replace(&mut self.in_action, true);
        if self.actions.insert(id) {
            self.statements(&self.program.actions[id.index()].body);
        }
        self.in_action = in_action;
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn apply(&mut self, id: TableId, _: Span) {
        if self.block.applied.insert(id) {
            visit::table(self, &self.program.tables[id.index()]);
        }
    }

    fn keyset(&mut self, key: &'a KeySet) {
        if let KeySet::ValueSet(id) = key {
            self.value_sets.insert(*id);
            if let Some(parser) = self.found.parsers.last_mut() {
                parser.value_sets.push(*id);
            }
        }
    }

    fn call(&mut self, call: &'a Call) {
        visit::call(self, call);
        match &call.callee {
            Callee::Action(id) if self.in_action => self.action(*id),
            Callee::Action(id) => self.block.called.push(*id),
            Callee::Parser(id) => self.parser(*id),
            Callee::Control(id) => self.control(*id),
            Callee::Function(id) => {
                if self.functions.insert(*id) {
                    self.statements(&self.program.functions[id.index()].body);
                }
            }
            Callee::ExternFunction { name, type_args } if self.in_parser => {
                self.extern_function_in_parser(name, type_args);
            }
            Callee::ExternFunction { name, type_args } => {
                self.found.calls_externs = true;
                if let ("digest", Some(data)) = (name.as_str(), type_args.first()) {
                    self.block.digests.push((data.clone(), call.span));
                }
            }
            Callee::Table(_)
            | Callee::Builtin { .. }
            | Callee::ExternMethod { .. }
            | Callee::ParamMethod { .. } => {}
        }
    }
}
