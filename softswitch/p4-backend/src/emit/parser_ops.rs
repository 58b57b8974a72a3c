// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Operations of a parser's state.

use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;
use serde_json::json;

use super::primitive::{check, primitive, source_info};
use crate::error::{not_supported, Result};
use crate::flat::{Extract, ExtractTarget, Stmt, StmtKind};
use crate::json::{Expr, ParserOp};

pub fn operation(stmt: &Stmt, sources: &SourceMap) -> Result<ParserOp> {
    let op = plain_operation(stmt, sources)?;
    // A primitive has its own.
    let source_info = match op.op {
        "primitive" => None,
        _ => source_info(sources, stmt.span),
    };
    Ok(ParserOp { source_info, ..op })
}

fn plain_operation(stmt: &Stmt, sources: &SourceMap) -> Result<ParserOp> {
    Ok(match &stmt.kind {
        StmtKind::Primitive("assign", parameters) if matches!(parameters[0], Expr::Field(..)) => {
            check(&parameters[1], stmt.span)?;
            set(&parameters[0], &parameters[1])
        }
        StmtKind::Primitive(op, parameters) => {
            let primitive = primitive(op, parameters, stmt.span, sources)?;
            ParserOp::new("primitive", vec![json!(primitive)])
        }
        StmtKind::Extract(of) => extract(of, stmt.span)?,
        StmtKind::Advance(bits) => {
            check(bits, stmt.span)?;
            ParserOp::new("advance", vec![bits.parameter()])
        }
        StmtKind::Verify(condition, error) => {
            check(condition, stmt.span)?;
            check(error, stmt.span)?;
            ParserOp::new("verify", vec![condition.operand(), error.operand()])
        }
        StmtKind::Exit => return not_supported(stmt.span, "`exit` in a parser"),
        _ => return not_supported(stmt.span, "this statement in a parser"),
    })
}

fn extract(of: &Extract, span: Span) -> Result<ParserOp> {
    let target = match &of.target {
        ExtractTarget::Header(name) => json!({"type": "regular", "value": name}),
        ExtractTarget::Stack(name) => json!({"type": "stack", "value": name}),
        ExtractTarget::UnionStack(stack, member) => {
            json!({"type": "union_stack", "value": [stack, member]})
        }
    };
    Ok(match &of.variable_bits {
        None => ParserOp::new("extract", vec![target]),
        Some(bits) => {
            check(bits, span)?;
            let bits = json!({"type": "expression", "value": bits.operand()});
            ParserOp::new("extract_VL", vec![target, bits])
        }
    })
}

pub fn set(target: &Expr, source: &Expr) -> ParserOp {
    ParserOp::new("set", vec![target.parameter(), source.parameter()])
}
