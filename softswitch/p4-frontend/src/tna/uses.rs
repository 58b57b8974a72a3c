// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Uses of what a packet may use only once.

use std::collections::BTreeMap;

use super::instance;
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

/// Which other uses of the same are too many.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    Any,
    /// Not those in the same action: `read` and `write` of a register may be one access there, and so may those of an
    /// `apply`, which have no action.
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

    /// Reports the use at `span` after the one at `first`.
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

/// What may have been used where two ways meet.
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
