// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of objects' methods. p4c copies an action to each table and each statement that uses it, and functions to their
//! calls, before it counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use quench_p4_frontend::ir::visit::{self, Visitor};
use quench_p4_frontend::ir::{
    ActionId, Call, Callee, ExprKind, ExternId, FunctionId, Program, Stmt, Value,
};

use super::super::reach::Reachable;

/// More than one counts as two.
type Counts = BTreeMap<ExternId, u32>;

#[derive(Default)]
pub struct Calls<'a> {
    counts: Counts,
    /// A call of each object.
    examples: HashMap<ExternId, &'a Call>,
    /// The register whose action reads a `RegisterParam`.
    readers: HashMap<ExternId, ExternId>,
    /// Names of objects of which a call has two arguments.
    two_arguments: HashSet<&'a str>,
}

impl<'a> Calls<'a> {
    pub fn of(program: &'a Program, reachable: &Reachable) -> Self {
        let mut walk = Walk {
            program,
            actions: HashMap::new(),
            functions: HashMap::new(),
            found: Self::default(),
        };
        for id in &reachable.controls {
            visit::control(&mut walk, &program.controls[id.index()]);
        }
        for id in &reachable.tables {
            for used in &program.tables[id.index()].actions {
                walk.action(used.action);
            }
        }
        walk.found.readers = readers(program);
        walk.found
    }

    /// The register whose actions read a parameter.
    pub fn reader(&self, param: ExternId) -> Option<ExternId> {
        self.readers.get(&param).copied()
    }

    pub fn count(&self, id: ExternId) -> u32 {
        self.counts.get(&id).copied().unwrap_or(0)
    }

    /// The call of an object that has just one.
    pub fn only(&self, id: ExternId) -> Option<&'a Call> {
        match self.count(id) {
            1 => self.examples.get(&id).copied(),
            _ => None,
        }
    }

    /// Whether some call of the object has two arguments, which p4c takes for an index and a colour.
    pub fn two_arguments(&self, name: &str) -> bool {
        self.two_arguments.contains(name)
    }
}

struct Walk<'a> {
    program: &'a Program,
    actions: HashMap<ActionId, Counts>,
    functions: HashMap<FunctionId, Counts>,
    found: Calls<'a>,
}

impl<'a> Walk<'a> {
    fn action(&mut self, id: ActionId) {
        let counts = match self.actions.get(&id) {
            Some(counts) => counts.clone(),
            None => {
                let counts = self.counts_of(&self.program.actions[id.index()].body);
                self.actions.insert(id, counts.clone());
                counts
            }
        };
        self.add(&counts);
    }

    fn function(&mut self, id: FunctionId) {
        let counts = match self.functions.get(&id) {
            Some(counts) => counts.clone(),
            None => {
                let counts = self.counts_of(&self.program.functions[id.index()].body);
                self.functions.insert(id, counts.clone());
                counts
            }
        };
        self.add(&counts);
    }

    fn counts_of(&mut self, body: &'a [Stmt]) -> Counts {
        let outer = std::mem::take(&mut self.found.counts);
        self.statements(body);
        std::mem::replace(&mut self.found.counts, outer)
    }

    fn add(&mut self, counts: &Counts) {
        for (id, count) in counts {
            let known = self.found.counts.entry(*id).or_default();
            *known = (*known + count).min(2);
        }
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn call(&mut self, call: &'a Call) {
        visit::call(self, call);
        match &call.callee {
            Callee::Action(id) => self.action(*id),
            Callee::Function(id) => self.function(*id),
            Callee::ExternMethod { instance, .. } => {
                self.add(&Counts::from([(*instance, 1)]));
                self.found.examples.entry(*instance).or_insert(call);
                let given = call.args.iter();
                let given = given.filter(|arg| !matches!(arg.expr.kind, ExprKind::DontCare));
                if given.count() == 2 {
                    let object = &self.program.externs[instance.index()];
                    self.found.two_arguments.insert(&object.name);
                }
            }
            _ => {}
        }
    }
}

/// By parameter: of several registers the last one counts.
fn readers(program: &Program) -> HashMap<ExternId, ExternId> {
    let mut readers = Readers {
        program,
        register: None,
        found: HashMap::new(),
    };
    for action in &program.externs {
        let register = action.args.iter().find_map(|(name, value)| match value {
            Value::Extern(id) if name == "reg" => Some(*id),
            _ => None,
        });
        readers.register = register;
        for (_, function) in action.methods.iter().filter(|_| register.is_some()) {
            readers.statements(&program.functions[function.index()].body);
        }
    }
    readers.found
}

struct Readers<'a> {
    program: &'a Program,
    register: Option<ExternId>,
    found: HashMap<ExternId, ExternId>,
}

impl<'a> Visitor<'a> for Readers<'a> {
    fn call(&mut self, call: &'a Call) {
        visit::call(self, call);
        if let (Callee::ExternMethod { instance, .. }, Some(register)) =
            (&call.callee, self.register)
        {
            let object = &self.program.externs[instance.index()];
            if object.type_name == "RegisterParam" {
                self.found.insert(*instance, register);
            }
        }
    }
}
