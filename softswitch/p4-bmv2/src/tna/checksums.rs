// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksum units. In a parser, a unit is the one's complement sum of all that was added or subtracted (the hardware adds
//! in both cases), and what a program gets is its complement. In a deparser, `update` computes the checksum at once.

use quench_p4_frontend::ir::{self, ExternId, Type};
use quench_p4_frontend::span::Span;

use super::methods;
use crate::error::{not_supported, Result};
use crate::flat::{Extract, ExtractTarget, StateGraph, Stmt, StmtKind};
use crate::json::Expr;
use crate::lower::{ops, BlockKind, Lower, Parts, Value};
use crate::place::{Place, Scalar};

const SUM_BITS: u32 = 16;
const ALL_ONES: u32 = 0xffff;

/// A unit of a parser.
#[derive(Clone)]
pub struct Unit {
    sum: Expr,
    /// The method that has fed it: `add` or `subtract`.
    fed_by: Option<&'static str>,
    /// Where `subtract_all_and_deposit` puts the result, and the bit that says that it has run.
    deposit: Option<(Place, Expr)>,
}

pub fn call(
    lower: &mut Lower<'_>,
    id: ExternId,
    method: &str,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
    match (lower.block.kind, method, args.as_slice()) {
        (BlockKind::Deparser, "update", [data, zeros_as_ones]) => {
            update(lower, data, zeros_as_ones, call).map(Some)
        }
        (BlockKind::Parser, "add", [data]) => {
            feed(lower, id, "add", call)?;
            add(lower, id, data).map(|()| None)
        }
        (BlockKind::Parser, "subtract", [data]) => {
            feed(lower, id, "subtract", call)?;
            add(lower, id, data).map(|()| None)
        }
        (BlockKind::Parser, "verify", []) => {
            let sum = unit(lower, id)?.sum;
            let is_wrong = Expr::binary("!=", sum, Expr::hex(ALL_ONES, SUM_BITS));
            Ok(Some(Value::Scalar(is_wrong)))
        }
        (BlockKind::Parser, "get", []) => {
            let sum = unit(lower, id)?.sum;
            Ok(Some(Value::Scalar(complement(sum))))
        }
        (BlockKind::Parser, "subtract_all_and_deposit", [residual]) => {
            feed(lower, id, "subtract", call)?;
            deposit(lower, id, residual).map(|()| None)
        }
        _ => not_supported(
            call.span,
            format_args!("Checksum.{method} in {}", lower.block.name),
        ),
    }
}

fn update(
    lower: &mut Lower<'_>,
    data: &ir::Expr,
    zeros_as_ones: &ir::Expr,
    call: &ir::Call,
) -> Result<Value> {
    let input = lower.parts(data, Parts::Fields)?;
    let name = lower
        .objects
        .add_calculation("csum16".to_owned(), input, false, call.span);
    let sum = methods::result(lower, &call.result, |lower, destination| {
        lower.primitive("hash", vec![destination, Expr::Calculation(name)]);
    })?;
    if methods::is_omitted(zeros_as_ones) {
        return Ok(sum);
    }
    let (Value::Scalar(sum), ones) = (sum, lower.scalar(zeros_as_ones)?) else {
        unreachable!("a checksum is one number");
    };
    let is_zero = Expr::binary("==", sum.clone(), Expr::hex(0, SUM_BITS));
    let otherwise = sum.clone();
    let ones = ops::and(is_zero, ones);
    Ok(Value::Scalar(match ones {
        Expr::Bool(false) => sum,
        ones => Expr::ternary(ones, Expr::hex(ALL_ONES, SUM_BITS), otherwise),
    }))
}

/// Notes how a unit is fed: the hardware has units of either kind.
fn feed(lower: &mut Lower<'_>, id: ExternId, method: &'static str, call: &ir::Call) -> Result<()> {
    let known = unit(lower, id)?.fed_by;
    if known.is_some_and(|known| known != method) {
        return not_supported(call.span, "both `add` and `subtract` of one checksum unit");
    }
    if let Some(unit) = lower.tna.checksums.get_mut(&id) {
        unit.fed_by = Some(method);
    }
    Ok(())
}

fn unit(lower: &mut Lower<'_>, id: ExternId) -> Result<Unit> {
    if let Some(unit) = lower.tna.checksums.get(&id) {
        return Ok(unit.clone());
    }
    let unit = Unit {
        sum: field(lower, "checksum_sum", SUM_BITS)?,
        fed_by: None,
        deposit: None,
    };
    lower.tna.checksums.insert(id, unit.clone());
    Ok(unit)
}

fn field(lower: &mut Lower<'_>, name: &str, bits: u32) -> Result<Expr> {
    match lower.layout.allocate(name, &Type::Bit(bits), lower.span)? {
        Place::Scalar(leaf) => Ok(leaf.expr),
        _ => unreachable!("a number is one field"),
    }
}

fn complement(sum: Expr) -> Expr {
    Expr::binary("^", sum, Expr::hex(ALL_ONES, SUM_BITS))
}

fn add(lower: &mut Lower<'_>, id: ExternId, data: &ir::Expr) -> Result<()> {
    let input = lower.parts(data, Parts::Fields)?;
    add_fields(lower, id, input)
}

/// The algorithm gives the complement of the sum.
fn add_fields(lower: &mut Lower<'_>, id: ExternId, mut input: Vec<Expr>) -> Result<()> {
    let sum = unit(lower, id)?.sum;
    input.insert(0, sum.clone());
    let span = lower.span;
    let name = lower
        .objects
        .add_calculation("csum16".to_owned(), input, false, span);
    lower.primitive("hash", vec![sum.clone(), Expr::Calculation(name)]);
    lower.primitive("assign", vec![sum.clone(), complement(sum)]);
    Ok(())
}

fn deposit(lower: &mut Lower<'_>, id: ExternId, residual: &ir::Expr) -> Result<()> {
    let place = lower.place(residual, true)?;
    let sum = unit(lower, id)?.sum;
    let active = field(lower, "checksum_deposits", 1)?;
    lower.primitive("assign", vec![active.clone(), Expr::hex(1, 1)]);
    put(lower, &place, sum)?;
    if let Some(unit) = lower.tna.checksums.get_mut(&id) {
        if unit.deposit.is_some() {
            return not_supported(
                lower.span,
                "more than one subtract_all_and_deposit of one checksum unit",
            );
        }
        unit.deposit = Some((place, active));
    }
    Ok(())
}

fn put(lower: &mut Lower<'_>, residual: &Place, sum: Expr) -> Result<()> {
    let Place::Scalar(leaf) = residual else {
        return not_supported(lower.span, "a checksum in anything but a field");
    };
    let bits = Scalar::Bit(SUM_BITS);
    let value = ops::cast(complement(sum), bits, leaf.scalar);
    lower.assign(residual, Value::Scalar(value))
}

/// After `subtract_all_and_deposit` each header that the parser extracts is subtracted too.
pub fn add_extracted(lower: &mut Lower<'_>, graph: &mut StateGraph) -> Result<()> {
    let units: Vec<ExternId> = lower.tna.checksums.keys().copied().collect();
    let mut depositing = Vec::new();
    for id in units {
        if let Some((place, active)) = unit(lower, id)?.deposit {
            depositing.push((id, place, active));
        }
        // The units of a parser are its own.
        lower
            .tna
            .checksums
            .entry(id)
            .and_modify(|unit| unit.deposit = None);
    }
    depositing.sort_by_key(|(id, ..)| *id);
    if depositing.is_empty() {
        return Ok(());
    }
    after_extracts_of_graph(lower, graph, &depositing)
}

type Depositing = [(ExternId, Place, Expr)];

fn after_extracts_of_graph(
    lower: &mut Lower<'_>,
    graph: &mut StateGraph,
    units: &Depositing,
) -> Result<()> {
    after_extracts(lower, &mut graph.entry, units)?;
    let mut bodies = graph.states.iter_mut().map(|state| &mut state.body);
    bodies.try_for_each(|body| after_extracts(lower, body, units))
}

fn after_extracts(lower: &mut Lower<'_>, stmts: &mut Vec<Stmt>, units: &Depositing) -> Result<()> {
    let mut result = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        for body in super::validity::bodies(&mut stmt.kind) {
            after_extracts(lower, body, units)?;
        }
        let extracted = match &stmt.kind {
            StmtKind::Extract(extract) => Some(extract.clone()),
            _ => None,
        };
        let span = stmt.span;
        result.push(stmt);
        if let Some(extracted) = extracted {
            result.extend(subtracted(lower, &extracted, span, units)?);
        }
    }
    *stmts = result;
    Ok(())
}

fn subtracted(
    lower: &mut Lower<'_>,
    extracted: &Extract,
    span: Span,
    units: &Depositing,
) -> Result<Vec<Stmt>> {
    let fields = match &extracted.target {
        ExtractTarget::Header(name) => lower.layout.header_fields_of(name),
        ExtractTarget::Stack(stack) => lower.layout.last_fields_of(stack),
        ExtractTarget::UnionStack(..) => None,
    };
    let Some(fields) = fields else {
        return not_supported(span, "this header after subtract_all_and_deposit");
    };
    lower.span = span;
    lower.nested(|lower| {
        for (id, place, active) in units {
            let then = lower.nested(|lower| {
                let mut copies = Vec::new();
                for (field, bits) in &fields {
                    let copy = field_copy(lower, field, *bits)?;
                    copies.push(copy);
                }
                add_fields(lower, *id, copies)?;
                let sum = unit(lower, *id)?.sum;
                put(lower, place, sum)
            })?;
            lower.push(StmtKind::If {
                arms: vec![(Expr::unary("d2b", active.clone()), then)],
                otherwise: Vec::new(),
            });
        }
        Ok(())
    })
}

fn field_copy(lower: &mut Lower<'_>, source: &Expr, bits: u32) -> Result<Expr> {
    if let Expr::Field(..) = source {
        return Ok(source.clone());
    }
    let copy = field(lower, "tmp", bits)?;
    lower.primitive("assign", vec![copy.clone(), source.clone()]);
    Ok(copy)
}
