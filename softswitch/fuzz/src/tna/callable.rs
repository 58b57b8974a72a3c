// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions, actions, parsers and controls that code calls, with parameters of all directions: values, headers, and
//! the metadata as a whole.

use super::choices::Choices;
use super::expression::{constant, expression};
use super::scope::{Field, Header, Scope, Ty};

#[derive(Clone, PartialEq, Eq)]
enum What {
    Value(Ty),
    /// A header of the type with this name.
    Header(String),
    Metadata,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Param {
    direction: &'static str,
    name: String,
    what: What,
}

#[derive(Clone)]
pub(super) struct Callable {
    pub name: String,
    pub params: Vec<Param>,
    pub result: Option<Ty>,
}

/// Parameters for which there are arguments in `scope`; their names begin with `kind`.
pub(super) fn params(c: &mut Choices<'_>, scope: &Scope, kind: &str) -> Vec<Param> {
    let param = |number, c: &mut Choices<'_>| {
        let (direction, what) = match c.below(8) {
            0..=2 => ("in", What::Value(Ty::any(c))),
            3 | 4 => ("inout", What::Value(scope.target(c).ty)),
            5 => ("out", What::Value(scope.target(c).ty)),
            6 => ("inout", What::Header(c.of(&scope.headers).ty.clone())),
            _ => ("in", What::Value(scope.any(c).ty)),
        };
        let name = format!("{kind}{number}");
        Param {
            direction,
            name,
            what,
        }
    };
    (0..c.below(4)).map(|number| param(number, c)).collect()
}

/// All metadata, under their own name.
pub(super) fn metadata() -> Param {
    Param {
        direction: "inout",
        name: "md".to_owned(),
        what: What::Metadata,
    }
}

impl Param {
    pub fn source(&self) -> String {
        let Self {
            direction, name, ..
        } = self;
        match &self.what {
            What::Value(ty) => format!("{direction} {ty} {name}"),
            What::Header(ty) => format!("{direction} {ty} {name}"),
            What::Metadata => format!("{direction} metadata_t {name}"),
        }
    }

    /// The code behind the parameter can name it, and its fields as `around` has them.
    pub fn enter(&self, scope: &mut Scope, around: &Scope) {
        let within = |path: &str, scope: &mut Scope| {
            for Field { path: full, ty, .. } in &around.fields {
                if let Some(rest) = full.strip_prefix(path).and_then(|r| r.strip_prefix('.')) {
                    scope.add(format!("{}.{rest}", self.name), *ty, true);
                }
            }
        };
        match &self.what {
            What::Value(ty) => scope.add(self.name.clone(), *ty, self.direction != "in"),
            What::Metadata => within("md", scope),
            What::Header(ty) => {
                let like = around.headers.iter().find(|header| header.ty == *ty);
                let like = like.expect("the type was taken from there");
                within(&like.path, scope);
                let (path, ty) = (self.name.clone(), ty.clone());
                scope.headers.push(Header { path, ty });
            }
        }
    }

    /// An `out` parameter has no value before it is written, so it is written first.
    pub fn start(&self, c: &mut Choices<'_>) -> String {
        match (&self.what, self.direction) {
            (What::Value(ty), "out") => format!("        {} = {};\n", self.name, constant(c, *ty)),
            _ => String::new(),
        }
    }

    fn argument(&self, c: &mut Choices<'_>, scope: &Scope) -> String {
        match &self.what {
            What::Value(ty) if self.direction == "in" => expression(c, scope, *ty, 2),
            What::Value(ty) => place(c, scope, *ty),
            What::Metadata => self.name.clone(),
            What::Header(ty) => {
                let same: Vec<_> = scope.headers.iter().filter(|h| h.ty == *ty).collect();
                c.of(&same).path.clone()
            }
        }
    }
}

/// A place to which a value of the type can be written: a field, or a part of a wider one.
fn place(c: &mut Choices<'_>, scope: &Scope, ty: Ty) -> String {
    if let (Ty::Bit(bits), true) = (ty, c.one_in(4)) {
        let wider = |field: &Field| {
            field.writable && matches!(field.ty, Ty::Bit(_)) && field.ty.bits() > bits
        };
        if let Some(field) = scope.where_(c, wider) {
            let low = c.below((field.ty.bits() - bits + 1) as usize) as u32;
            return format!("{}[{}:{low}]", field.path, low + bits - 1);
        }
    }
    let field = scope.where_(c, |field| field.writable && field.ty == ty);
    let field = field.expect("the type is one of a field that can be written");
    field.path.clone()
}

pub(super) fn arguments(c: &mut Choices<'_>, scope: &Scope, params: &[Param]) -> Vec<String> {
    let each = params.iter();
    each.map(|param| param.argument(c, scope)).collect()
}

pub(super) fn list(params: &[Param]) -> String {
    let each: Vec<_> = params.iter().map(Param::source).collect();
    each.join(", ")
}
