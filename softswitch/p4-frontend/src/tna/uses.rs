// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Uses of the externs and tables that a packet may use only once.

use std::collections::BTreeMap;

use super::instances::{instance, register_of};
use crate::diagnostics::Diagnostics;
use crate::ir::{ActionId, ExternId, Program, TableId};
use crate::span::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Resource {
    Extern(ExternId),
    Table(TableId),
}

#[derive(Clone, Copy)]
pub(super) struct Use {
    pub span: Span,
    pub scope: Scope,
}

/// The other uses of the same resource that a packet cannot have beside this one.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    Any,
    /// Those in other actions. In one action `read` and `write` of a register may be one access; so they may in an `apply`,
    /// which is no action.
    OtherActions(Option<ActionId>),
}

impl Use {
    /// Whether one packet cannot have both.
    pub fn excludes(&self, other: &Use) -> bool {
        match (self.scope, other.scope) {
            (Scope::OtherActions(a), Scope::OtherActions(b)) => {
                a.is_some() && b.is_some() && a != b
            }
            _ => true,
        }
    }
}

pub(super) type Uses = BTreeMap<Resource, Use>;

impl Resource {
    pub fn is_direct(self, program: &Program) -> bool {
        match self {
            Resource::Extern(id) => instance(program, id).type_name.starts_with("Direct"),
            Resource::Table(_) => false,
        }
    }

    /// Reports the use at `span` after that at `first`.
    pub fn report(self, program: &Program, span: Span, first: Span, diagnostics: &mut Diagnostics) {
        let message = match self {
            Resource::Table(id) => {
                let name = &program.tables[id.index()].name;
                format!("table `{name}` is applied twice on one path: Tofino applies a table once for each packet")
            }
            Resource::Extern(id) => {
                let instance = instance(program, id);
                let kind = match instance.type_name.as_str() {
                    "Register" | "DirectRegister" => "register",
                    "Counter" | "DirectCounter" => "counter",
                    "Meter" | "DirectMeter" => "meter",
                    "Lpf" | "DirectLpf" => "filter",
                    _ => "WRED",
                };
                format!(
                    "{kind} `{}` is accessed twice on one path: Tofino allows one access for each packet",
                    instance.name
                )
            }
        };
        let diagnostic = diagnostics.error(span, message);
        match first == span {
            true => diagnostic.note(None, "the code that has this access is called twice"),
            false => diagnostic.note(first, "the first is here"),
        };
    }
}

/// The use that is a call of an extern's method at `span`, in `action` if in one; `None` of a method that accesses nothing.
pub(super) fn access(
    program: &Program,
    id: ExternId,
    method: &str,
    span: Span,
    action: Option<ActionId>,
) -> Option<(Resource, Use)> {
    let type_name = instance(program, id).type_name.as_str();
    let (accessed, scope) = match (type_name, method) {
        ("RegisterAction", "execute" | "execute_log") | ("DirectRegisterAction", "execute") => {
            (register_of(program, id)?, Scope::Any)
        }
        ("Register" | "DirectRegister", "read" | "write") => (id, Scope::OtherActions(action)),
        ("Counter" | "DirectCounter", "count")
        | ("Meter" | "DirectMeter" | "Lpf" | "DirectLpf" | "Wred" | "DirectWred", "execute") => {
            (id, Scope::Any)
        }
        _ => return None,
    };
    Some((Resource::Extern(accessed), Use { span, scope }))
}

/// Uses behind the point where two ways meet.
pub(super) fn either(a: Option<Uses>, b: Option<Uses>) -> Option<Uses> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            for (resource, used) in b {
                a.entry(resource).or_insert(used);
            }
            Some(a)
        }
        (one, other) => one.or(other),
    }
}
