// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements, and the states of parsers.

use super::{Annotation, Argument, BinaryOp, Decl, Expr, Name, Type};
use crate::span::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub annotations: Vec<Annotation>,
    pub statements: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Empty,
    Decl(Box<Decl>),
    /// `a = e`, or `a += e` with the operator.
    Assign {
        target: Expr,
        op: Option<BinaryOp>,
        value: Expr,
    },
    /// A call whose result is not used.
    Call(Expr),
    /// `T.apply(args);`: an instance that exists for this call alone. Type arguments are in `ty`.
    DirectApply {
        ty: Type,
        args: Vec<Argument>,
    },
    Block(Block),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Switch {
        on: Expr,
        cases: Vec<SwitchCase>,
    },
    Return(Option<Expr>),
    Exit,
    /// `for (init; condition; update) body`.
    For {
        annotations: Vec<Annotation>,
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Box<Stmt>,
    },
    /// `for (T x in a .. b) body`.
    ForIn {
        annotations: Vec<Annotation>,
        /// `None` where an existing variable is used.
        ty: Option<Type>,
        variable: Name,
        collection: Expr,
        body: Box<Stmt>,
    },
    Break,
    Continue,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// `None` is `default`.
    pub label: Option<Expr>,
    /// `None` falls through to the next case.
    pub body: Option<Block>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub annotations: Vec<Annotation>,
    pub name: Name,
    pub statements: Vec<Stmt>,
    pub transition: Transition,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// No `transition`: `reject`.
    None,
    To(Name),
    Select {
        keys: Vec<Expr>,
        cases: Vec<SelectCase>,
        span: Span,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// One per key, or one `DontCare` for all.
    pub keyset: Vec<Expr>,
    pub state: Name,
    pub span: Span,
}
