// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types, the fields of a program, and what code of a control can see of them.

use std::fmt;

use super::choices::Choices;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    Bit(u32),
    Int(u32),
    Bool,
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bit(bits) => write!(f, "bit<{bits}>"),
            Ty::Int(bits) => write!(f, "int<{bits}>"),
            Ty::Bool => f.write_str("bool"),
        }
    }
}

/// Widths that fill bytes and words in every way; the usual ones are there more than once.
const WIDTHS: [u32; 28] = [
    8, 16, 32, 1, 9, 8, 16, 32, 1, 9, 2, 3, 7, 12, 15, 17, 20, 24, 31, 33, 48, 63, 64, 65, 100,
    127, 128, 128,
];

impl Ty {
    pub fn bit(c: &mut Choices<'_>) -> Self {
        Ty::Bit(*c.of(&WIDTHS))
    }

    pub fn number(c: &mut Choices<'_>) -> Self {
        let bits = *c.of(&WIDTHS);
        match c.one_in(4) {
            true => Ty::Int(bits.max(2)),
            false => Ty::Bit(bits),
        }
    }

    pub fn any(c: &mut Choices<'_>) -> Self {
        match c.one_in(8) {
            true => Ty::Bool,
            false => Self::number(c),
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Ty::Bit(bits) | Ty::Int(bits) => bits,
            Ty::Bool => 1,
        }
    }
}

#[derive(Clone)]
pub(super) struct Field {
    pub path: String,
    pub ty: Ty,
    pub writable: bool,
}

#[derive(Clone)]
pub(super) struct Header {
    pub path: String,
    /// The name of its type.
    pub ty: String,
}

#[derive(Clone)]
pub(super) struct Stack {
    pub path: String,
    pub size: usize,
}

/// The names that code may use.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub fields: Vec<Field>,
    /// Elements of stacks among them.
    pub headers: Vec<Header>,
    pub stacks: Vec<Stack>,
}

impl Scope {
    pub fn add(&mut self, path: impl Into<String>, ty: Ty, writable: bool) {
        let path = path.into();
        self.fields.push(Field { path, ty, writable });
    }

    pub fn any<'a>(&'a self, c: &mut Choices<'_>) -> &'a Field {
        c.of(&self.fields)
    }

    /// A field that matches, if there is one.
    pub fn where_<'a>(
        &'a self,
        c: &mut Choices<'_>,
        matches: impl Fn(&Field) -> bool,
    ) -> Option<&'a Field> {
        let found: Vec<_> = self.fields.iter().filter(|field| matches(field)).collect();
        (!found.is_empty()).then(|| *c.of(&found))
    }

    pub fn of_type(&self, c: &mut Choices<'_>, ty: Ty) -> Option<&Field> {
        self.where_(c, |field| field.ty == ty)
    }

    pub fn target(&self, c: &mut Choices<'_>) -> &Field {
        let found = self.where_(c, |field| field.writable);
        found.expect("metadata can be written")
    }
}
