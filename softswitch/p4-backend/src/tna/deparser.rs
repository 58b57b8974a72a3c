// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A deparser: headers in their order, and before them all other statements, which is the same as the program's order where
//! none of them changes a header that is emitted already.

use std::collections::BTreeSet;

use quench_p4_frontend::ir;

use super::blocks::Gress;
use super::validity::written;
use crate::emit::{primitives, Emitter};
use crate::error::{not_supported, Result};
use crate::flat::{Stmt, StmtKind};
use crate::json::{self, Expr};
use crate::simplify::{any, simplify};

pub fn add(
    emitter: &mut Emitter<'_>,
    gress: &Gress,
    control: &ir::Control,
    body: Vec<Stmt>,
) -> Result<()> {
    let mut order = Vec::new();
    let mut emitted = BTreeSet::new();
    let mut code = Vec::new();
    for stmt in simplify(body) {
        if let StmtKind::Emit(header) = stmt.kind {
            emitted.insert(header.clone());
            order.push(header);
            continue;
        }
        if any(&stmt, &|kind| matches!(kind, StmtKind::Emit(_))) {
            return not_supported(stmt.span, "an emit that does not run for every packet");
        }
        if any(&stmt, &|kind| matches!(kind, StmtKind::Exit)) {
            return not_supported(stmt.span, "`exit` in a deparser");
        }
        if any(&stmt, &|kind| changes(kind, &emitted)) {
            return not_supported(stmt.span, "a change of a header after its emit");
        }
        code.push(stmt);
    }
    let deparser = json::Deparser {
        name: gress.deparser_name.to_owned(),
        id: emitter.program.deparsers.len(),
        source_info: emitter.source_info(control.span),
        order,
        primitives: primitives(&code, emitter.sources)?,
    };
    emitter.program.deparsers.push(deparser);
    Ok(())
}

/// Whether the statement itself writes one of the headers, or a stack of them.
fn changes(kind: &StmtKind, headers: &BTreeSet<String>) -> bool {
    if let Some((header, _)) = written(kind) {
        return headers.contains(&header);
    }
    let StmtKind::Primitive(_, parameters) = kind else {
        return false;
    };
    match parameters.first() {
        Some(Expr::Header(name)) => headers.contains(name),
        Some(
            Expr::HeaderStack(stack) | Expr::HeaderUnion(stack) | Expr::HeaderUnionStack(stack),
        ) => {
            let within = |header: &String| header.strip_prefix(stack.as_str()).is_some();
            headers.iter().any(within)
        }
        // A header at an index that is known only at run time.
        Some(target) => target.any(&mut |e| {
            matches!(e, Expr::HeaderStack(stack)
                if headers.iter().any(|header| header.starts_with(stack.as_str())))
        }),
        None => false,
    }
}
