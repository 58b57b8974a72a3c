// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Headers and metadata, which both pipelines have alike.

use std::fmt::Write;

use super::choices::Choices;
use super::scope::{self, Header, Scope, Ty};

/// Fields of headers: their names follow from their numbers.
pub(super) struct Shape {
    pub headers: Vec<Vec<Ty>>,
    pub stacks: Vec<Stack>,
    metadata: Vec<(String, Ty)>,
}

pub(super) struct Stack {
    pub fields: Vec<Ty>,
    pub size: usize,
}

const MAX_HEADER_BITS: u32 = 512;
const MAX_ELEMENT_BITS: u32 = 128;

impl Shape {
    /// Stacks have a piece of their own.
    pub fn new(c: &mut Choices<'_>, stacked: &mut Choices<'_>) -> Self {
        let headers = (0..1 + c.below(4))
            .map(|_| header(c, 5, MAX_HEADER_BITS))
            .collect();
        let count = stacked.below(3);
        let stack = |_| Stack {
            fields: header(stacked, 3, MAX_ELEMENT_BITS),
            size: 1 + stacked.below(4),
        };
        let stacks = (0..count).map(stack).collect();
        // Results of externs have a place of their width.
        let fixed = [1, 8, 9, 10, 16, 32].map(|bits| (format!("m{bits}"), Ty::Bit(bits)));
        let signed = [8, 16, 32].map(|bits| (format!("s{bits}"), Ty::Int(bits)));
        let mut metadata: Vec<_> = fixed.into_iter().chain(signed).collect();
        metadata.push(("flag".to_owned(), Ty::Bool));
        for number in 0..c.below(5) {
            metadata.push((format!("x{number}"), Ty::any(c)));
        }
        Self {
            headers,
            stacks,
            metadata,
        }
    }

    pub fn source(&self) -> String {
        let mut out = String::new();
        let mut declare = |name: String, fields: &[Ty]| {
            let _ = writeln!(out, "header {name}_t {{");
            for (field, ty) in fields.iter().enumerate() {
                let _ = writeln!(out, "    {ty} f{field};");
            }
            out.push_str("}\n");
        };
        for (number, fields) in self.headers.iter().enumerate() {
            declare(format!("h{number}"), fields);
        }
        for (number, stack) in self.stacks.iter().enumerate() {
            declare(format!("s{number}"), &stack.fields);
        }
        out.push_str("struct headers_t {\n");
        for number in 0..self.headers.len() {
            let _ = writeln!(out, "    h{number}_t h{number};");
        }
        for (number, stack) in self.stacks.iter().enumerate() {
            let _ = writeln!(out, "    s{number}_t[{}] s{number};", stack.size);
        }
        out.push_str("}\nstruct metadata_t {\n");
        for (name, ty) in &self.metadata {
            let _ = writeln!(out, "    {ty} {name};");
        }
        out.push_str("}\n");
        out
    }

    pub fn scope(&self) -> Scope {
        let mut scope = Scope::default();
        for (name, ty) in &self.metadata {
            scope.add(format!("md.{name}"), *ty, true);
        }
        let mut add = |path: String, ty: String, fields: &[Ty]| {
            for (field, ty) in fields.iter().enumerate() {
                scope.add(format!("{path}.f{field}"), *ty, true);
            }
            scope.headers.push(Header { path, ty });
        };
        for (number, fields) in self.headers.iter().enumerate() {
            add(format!("hdr.h{number}"), format!("h{number}_t"), fields);
        }
        for (number, stack) in self.stacks.iter().enumerate() {
            for element in 0..stack.size {
                let path = format!("hdr.s{number}[{element}]");
                add(path, format!("s{number}_t"), &stack.fields);
            }
        }
        for (number, stack) in self.stacks.iter().enumerate() {
            scope.stacks.push(scope::Stack {
                path: format!("hdr.s{number}"),
                size: stack.size,
            });
        }
        scope
    }

    /// Bytes of all headers together.
    pub fn bytes(&self) -> usize {
        let bytes = |fields: &[Ty]| fields.iter().map(|ty| ty.bits() as usize).sum::<usize>() / 8;
        let headers = self.headers.iter().map(|fields| bytes(fields));
        let stacks = self.stacks.iter();
        let stacks = stacks.map(|stack| stack.size * bytes(&stack.fields));
        headers.chain(stacks).sum()
    }
}

/// Whole bytes: a last field fills them up.
fn header(c: &mut Choices<'_>, most_fields: usize, most_bits: u32) -> Vec<Ty> {
    let mut fields = Vec::new();
    let mut bits = 0;
    for _ in 0..1 + c.below(most_fields) {
        let ty = Ty::number(c);
        if bits + ty.bits() <= most_bits {
            bits += ty.bits();
            fields.push(ty);
        }
    }
    if bits % 8 != 0 {
        fields.push(Ty::Bit(8 - bits % 8));
    }
    fields
}
