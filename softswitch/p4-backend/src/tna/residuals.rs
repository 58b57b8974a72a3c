// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `subtract_all_and_deposit`: each header that the parser extracts after it is subtracted too. Which those are depends on
//! the packet, so a bit of each call says whether it has run. Another says whether an odd number of bytes came since.

use quench_p4_frontend::ir::ExternId;
use quench_p4_frontend::span::Span;

use super::checksums::{add_fields, field, put, unit};
use super::deposits;
use super::state::{self, Deposit};
use super::validity::bodies;
use crate::error::{not_supported, Result};
use crate::flat::{Extract, ExtractTarget, StateGraph, Stmt, StmtKind};
use crate::json::Expr;
use crate::lower::{ops, Lower};

/// Bits of the words that a checksum adds.
const WORD_BITS: u32 = 16;

/// A unit that deposits.
struct Residual {
    unit: ExternId,
    deposits: Vec<Deposit>,
    /// The next byte is the second of a word.
    odd: Expr,
}

/// Adds the subtractions to a parser. Its units are its own: no other parser has them.
pub fn add_extracted(lower: &mut Lower<'_>, graph: &mut StateGraph) -> Result<()> {
    let mut residuals = Vec::new();
    let units: Vec<ExternId> = state::of(lower).checksums.keys().copied().collect();
    for id in units {
        let Some(unit) = state::of_mut(lower).checksums.get_mut(&id) else {
            continue;
        };
        let deposits = std::mem::take(&mut unit.deposits);
        if deposits.is_empty() {
            continue;
        }
        deposits::check(graph, &deposits)?;
        residuals.push(Residual {
            unit: id,
            deposits,
            odd: field(lower, "checksum_odd", 1)?,
        });
    }
    if residuals.is_empty() {
        return Ok(());
    }
    after_extracts(lower, &mut graph.entry, &residuals)?;
    let mut states = graph.states.iter_mut();
    states.try_for_each(|state| after_extracts(lower, &mut state.body, &residuals))
}

fn after_extracts(
    lower: &mut Lower<'_>,
    stmts: &mut Vec<Stmt>,
    residuals: &[Residual],
) -> Result<()> {
    let mut result = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        for body in bodies(&mut stmt.kind) {
            after_extracts(lower, body, residuals)?;
        }
        let extracted = match &stmt.kind {
            StmtKind::Extract(extract) => Some(extract.clone()),
            _ => None,
        };
        let span = stmt.span;
        result.push(stmt);
        if let Some(extracted) = extracted {
            lower.span = span;
            let fields = fields(lower, &extracted, span)?;
            result.extend(lower.nested(|lower| {
                let mut residuals = residuals.iter();
                residuals.try_for_each(|residual| subtract(lower, residual, &fields))
            })?);
        }
    }
    *stmts = result;
    Ok(())
}

/// The fields of the header, with their widths.
fn fields(lower: &Lower<'_>, extracted: &Extract, span: Span) -> Result<Vec<(Expr, u32)>> {
    let fields = match &extracted.target {
        ExtractTarget::Header(name) => lower.layout.header_fields_of(name),
        ExtractTarget::Stack(stack) => lower.layout.last_fields_of(stack),
        ExtractTarget::UnionStack(..) => None,
    };
    match fields {
        Some(fields) => Ok(fields),
        None => not_supported(
            span,
            "extracting a varbit field or into a stack of unions in a parser with subtract_all_and_deposit",
        ),
    }
}

fn subtract(lower: &mut Lower<'_>, residual: &Residual, fields: &[(Expr, u32)]) -> Result<()> {
    let is = |bit: &Expr| Expr::unary("d2b", bit.clone());
    let then = lower.nested(|lower| {
        let mut copies = Vec::new();
        for (field, bits) in fields {
            copies.push(copied(lower, field, *bits)?);
        }
        let aligned = lower.nested(|lower| add_fields(lower, residual.unit, copies.clone()))?;
        let shifted = lower.nested(|lower| {
            let first = Expr::hex(0, WORD_BITS / 2);
            let behind = [first].into_iter().chain(copies).collect();
            add_fields(lower, residual.unit, behind)
        })?;
        lower.push(StmtKind::If {
            arms: vec![(is(&residual.odd), shifted)],
            otherwise: aligned,
        });
        let bits: u32 = fields.iter().map(|(_, bits)| bits).sum();
        if bits % WORD_BITS != 0 {
            let flipped = Expr::binary("^", residual.odd.clone(), Expr::hex(1, 1));
            lower.primitive("assign", vec![residual.odd.clone(), flipped]);
        }
        let sum = unit(lower, residual.unit)?.sum;
        if let [only] = residual.deposits.as_slice() {
            return put(lower, &only.residual, sum);
        }
        let mut arms = Vec::new();
        for deposit in &residual.deposits {
            let body = lower.nested(|lower| put(lower, &deposit.residual, sum.clone()))?;
            arms.push((is(&deposit.active), body));
        }
        lower.push(StmtKind::If {
            arms,
            otherwise: Vec::new(),
        });
        Ok(())
    })?;
    let active = residual.deposits.iter().map(|deposit| is(&deposit.active));
    lower.push(StmtKind::If {
        arms: vec![(ops::any(active.collect()), then)],
        otherwise: Vec::new(),
    });
    Ok(())
}

/// A field that a calculation can read.
fn copied(lower: &mut Lower<'_>, source: &Expr, bits: u32) -> Result<Expr> {
    if let Expr::Field(..) = source {
        return Ok(source.clone());
    }
    let copy = field(lower, "tmp", bits)?;
    lower.primitive("assign", vec![copy.clone(), source.clone()]);
    Ok(copy)
}
