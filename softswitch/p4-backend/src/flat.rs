// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The program after lowering: no calls, no aggregates, no side effects in expressions; still structured.
//!
//! All that leaves a construct early (`return`, `break`, `continue`, the end of a parser) is a [`StmtKind::Break`] out of an
//! enclosing [`StmtKind::Block`], so every emitter needs only to know where a block ends.

use num_bigint::BigInt;
use quench_p4_frontend::ir;
use quench_p4_frontend::span::Span;

use crate::json::Expr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A primitive of BMv2 with its parameters.
    Primitive(&'static str, Vec<Expr>),
    /// Extraction of a header; parsers only.
    Extract(Extract),
    /// Skips this many bits; parsers only.
    Advance(Expr),
    /// Condition and error code; parsers only.
    Verify(Expr, Expr),
    /// Appends a header to the packet; deparsers only.
    Emit(String),
    /// Checks or sets a checksum; checksum controls only.
    Checksum(Checksum),
    /// The first arm whose condition holds runs. Arms are a list instead of nested, since there can be thousands.
    If {
        arms: Vec<(Expr, Vec<Stmt>)>,
        otherwise: Vec<Stmt>,
    },
    Block(Label, Vec<Stmt>),
    /// Runs until a `Break` out of a block around it.
    Loop(Vec<Stmt>),
    /// Continues behind the block.
    Break(Label),
    Exit,
    Apply(ir::TableId, Branches),
    Parser(StateGraph),
}

/// The code that follows a table and depends on its result.
#[derive(Clone, Debug)]
pub enum Branches {
    None,
    HitMiss(Vec<Stmt>, Vec<Stmt>),
    /// By index of the action in the table.
    Actions {
        cases: Vec<(Vec<usize>, Vec<Stmt>)>,
        default: Vec<Stmt>,
    },
}

#[derive(Clone, Debug)]
pub struct Extract {
    pub target: ExtractTarget,
    /// Bits of the field of variable width.
    pub variable_bits: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum ExtractTarget {
    Header(String),
    /// `stack.next`.
    Stack(String),
    /// `stack.next.member`.
    UnionStack(String, String),
}

#[derive(Clone, Debug)]
pub struct Checksum {
    pub verify: bool,
    pub with_payload: bool,
    pub condition: Expr,
    pub data: Vec<Expr>,
    pub target: (String, String),
    pub algorithm: String,
}

/// A parser, with its sub-parsers inside the states' bodies.
#[derive(Clone, Debug)]
pub struct StateGraph {
    pub entry: Vec<Stmt>,
    /// The first is `start`.
    pub states: Vec<State>,
}

#[derive(Clone, Debug)]
pub struct State {
    pub name: String,
    pub body: Vec<Stmt>,
    pub transition: Transition,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Transition {
    To(ir::Target),
    Select { keys: Vec<Key>, cases: Vec<Case> },
}

#[derive(Clone, Debug)]
pub struct Key {
    /// A field, a field of the last header of a stack, or lookahead.
    pub expr: Expr,
    pub bits: u32,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub pattern: Pattern,
    pub target: ir::Target,
}

#[derive(Clone, Debug)]
pub enum Pattern {
    /// Value and mask for each key; a mask of all ones is an exact match.
    Masked(Vec<(BigInt, BigInt)>),
    /// The value set matches all keys together.
    ValueSet(String),
    /// The value set matches the key at this position; the others have values and masks, and this one the mask 0.
    ValueSetAt(String, usize, Vec<(BigInt, BigInt)>),
}
