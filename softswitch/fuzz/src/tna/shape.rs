// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Headers and metadata, which both pipelines have alike.

use std::fmt::Write;

use super::choices::Choices;
use super::scope::{Scope, Ty};

/// Fields of headers: their names follow from their numbers.
pub(super) struct Shape {
    pub headers: Vec<Vec<Ty>>,
    metadata: Vec<(String, Ty)>,
}

const MAX_HEADER_BITS: u32 = 512;

impl Shape {
    pub fn new(c: &mut Choices<'_>) -> Self {
        let headers = (0..1 + c.below(4)).map(|_| header(c)).collect();
        // Results of externs have a place of their width.
        let fixed = [1, 8, 9, 10, 16, 32].map(|bits| (format!("m{bits}"), Ty::Bit(bits)));
        let signed = [8, 16, 32].map(|bits| (format!("s{bits}"), Ty::Int(bits)));
        let mut metadata: Vec<_> = fixed.into_iter().chain(signed).collect();
        metadata.push(("flag".to_owned(), Ty::Bool));
        for number in 0..c.below(5) {
            metadata.push((format!("x{number}"), Ty::any(c)));
        }
        Self { headers, metadata }
    }

    pub fn source(&self) -> String {
        let mut out = String::new();
        for (number, fields) in self.headers.iter().enumerate() {
            let _ = writeln!(out, "header h{number}_t {{");
            for (field, ty) in fields.iter().enumerate() {
                let _ = writeln!(out, "    {ty} f{field};");
            }
            out.push_str("}\n");
        }
        out.push_str("struct headers_t {\n");
        for number in 0..self.headers.len() {
            let _ = writeln!(out, "    h{number}_t h{number};");
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
        for (number, fields) in self.headers.iter().enumerate() {
            scope.headers.push(format!("hdr.h{number}"));
            for (field, ty) in fields.iter().enumerate() {
                scope.add(format!("hdr.h{number}.f{field}"), *ty, true);
            }
        }
        scope
    }

    /// Bytes of all headers together.
    pub fn bytes(&self) -> usize {
        let bits: u32 = self.headers.iter().flatten().map(|ty| ty.bits()).sum();
        bits as usize / 8
    }
}

/// Whole bytes: a last field fills them up.
fn header(c: &mut Choices<'_>) -> Vec<Ty> {
    let mut fields = Vec::new();
    let mut bits = 0;
    for _ in 0..1 + c.below(5) {
        let ty = Ty::number(c);
        if bits + ty.bits() <= MAX_HEADER_BITS {
            bits += ty.bits();
            fields.push(ty);
        }
    }
    if bits % 8 != 0 {
        fields.push(Ty::Bit(8 - bits % 8));
    }
    fields
}
