// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The deparser: headers in order.

use quench_p4_frontend::ir;

use super::emitter::Emitter;
use super::primitive::primitive;
use crate::error::{not_supported, Result};
use crate::flat::{Stmt, StmtKind};
use crate::json;
use crate::simplify::simplify;

impl Emitter<'_> {
    pub fn deparser(&mut self, control: &ir::Control, body: Vec<Stmt>) -> Result<()> {
        let mut order = Vec::new();
        let mut primitives = Vec::new();
        for stmt in simplify(body) {
            match &stmt.kind {
                StmtKind::Emit(header) => order.push(header.clone()),
                // BMv2 runs primitives before it writes the first header.
                StmtKind::Primitive(op, parameters) if order.is_empty() => {
                    primitives.push(primitive(op, parameters, stmt.span, self.sources)?);
                }
                StmtKind::Primitive(..) => {
                    return not_supported(stmt.span, "a statement after an emit in the deparser")
                }
                _ => return not_supported(
                    stmt.span,
                    "a branch or loop in the deparser; emit writes nothing for an invalid header",
                ),
            }
        }
        let deparser = json::Deparser {
            name: "deparser".to_owned(),
            id: 0,
            source_info: self.source_info(control.span),
            order,
            primitives,
        };
        self.program.deparsers.push(deparser);
        Ok(())
    }
}
