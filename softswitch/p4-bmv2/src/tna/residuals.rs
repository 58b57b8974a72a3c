// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `subtract_all_and_deposit`: each header that the parser extracts after it is subtracted too. Which those are depends on
//! the packet, so a bit says whether the method has run. Another says whether an odd number of bytes came since.

use quench_p4_frontend::ir::ExternId;
use quench_p4_frontend::span::Span;

use super::checksums::{add_fields, field, put, unit};
use super::state;
use super::validity::bodies;
use crate::error::{not_supported, Result};
use crate::flat::{Extract, ExtractTarget, StateGraph, Stmt, StmtKind};
use crate::json::Expr;
use crate::lower::Lower;
use crate::place::Place;

/// Bits of the words that a checksum adds.
const WORD_BITS: u32 = 16;

/// A unit that deposits.
struct Deposit {
    unit: ExternId,
    residual: Place,
    /// The method has run.
    active: Expr,
    /// The next byte is the second of a word.
    odd: Expr,
}

/// Adds the subtractions to a parser. Its units are its own: no other parser has them.
pub fn add_extracted(lower: &mut Lower<'_>, graph: &mut StateGraph) -> Result<()> {
    let mut units: Vec<ExternId> = state::of(lower).checksums.keys().copied().collect();
    units.sort();
    let mut deposits = Vec::new();
    for id in units {
        if let Some((residual, active)) = unit(lower, id)?.deposit {
            deposits.push(Deposit {
                unit: id,
                residual,
                active,
                odd: field(lower, "checksum_odd", 1)?,
            });
        }
        let known = state::of_mut(lower).checksums.entry(id);
        known.and_modify(|unit| unit.deposit = None);
    }
    if deposits.is_empty() {
        return Ok(());
    }
    after_extracts(lower, &mut graph.entry, &deposits)?;
    let mut states = graph.states.iter_mut();
    states.try_for_each(|state| after_extracts(lower, &mut state.body, &deposits))
}

fn after_extracts(
    lower: &mut Lower<'_>,
    stmts: &mut Vec<Stmt>,
    deposits: &[Deposit],
) -> Result<()> {
    let mut result = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        for body in bodies(&mut stmt.kind) {
            after_extracts(lower, body, deposits)?;
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
                let mut deposits = deposits.iter();
                deposits.try_for_each(|deposit| subtract(lower, deposit, &fields))
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

fn subtract(lower: &mut Lower<'_>, deposit: &Deposit, fields: &[(Expr, u32)]) -> Result<()> {
    let is = |bit: &Expr| Expr::unary("d2b", bit.clone());
    let then = lower.nested(|lower| {
        let mut copies = Vec::new();
        for (field, bits) in fields {
            copies.push(copied(lower, field, *bits)?);
        }
        let aligned = lower.nested(|lower| add_fields(lower, deposit.unit, copies.clone()))?;
        let shifted = lower.nested(|lower| {
            let first = Expr::hex(0, WORD_BITS / 2);
            let behind = [first].into_iter().chain(copies).collect();
            add_fields(lower, deposit.unit, behind)
        })?;
        lower.push(StmtKind::If {
            arms: vec![(is(&deposit.odd), shifted)],
            otherwise: aligned,
        });
        let bits: u32 = fields.iter().map(|(_, bits)| bits).sum();
        if bits % WORD_BITS != 0 {
            let flipped = Expr::binary("^", deposit.odd.clone(), Expr::hex(1, 1));
            lower.primitive("assign", vec![deposit.odd.clone(), flipped]);
        }
        let sum = unit(lower, deposit.unit)?.sum;
        put(lower, &deposit.residual, sum)
    })?;
    lower.push(StmtKind::If {
        arms: vec![(is(&deposit.active), then)],
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
