// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations and statements, which are in each other, and the states of parsers.

use super::annotations::Annotation;
use super::expressions::{Argument, BinaryOp, Expr, Type};
use super::names::Name;
use super::tables::TableProperty;
use crate::span::Span;

/// A declaration, at the top level or inside a parser, control or block.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    pub annotations: Vec<Annotation>,
    pub kind: DeclKind,
    /// The declared name; empty for `error` and `match_kind`.
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DeclKind {
    Const {
        ty: Type,
        value: Expr,
    },
    Variable {
        ty: Type,
        value: Option<Expr>,
    },
    /// `T(args) name;`, with the abstract methods' bodies if there are any.
    Instantiation {
        ty: Type,
        args: Vec<Argument>,
        body: Vec<Decl>,
    },
    Struct {
        type_params: Vec<Name>,
        fields: Vec<Field>,
    },
    Header {
        type_params: Vec<Name>,
        fields: Vec<Field>,
    },
    HeaderUnion {
        type_params: Vec<Name>,
        fields: Vec<Field>,
    },
    Enum {
        members: Vec<Name>,
    },
    SerEnum {
        ty: Type,
        members: Vec<(Name, Expr)>,
    },
    Error {
        members: Vec<Name>,
    },
    MatchKind {
        members: Vec<Name>,
    },
    Typedef {
        ty: Type,
    },
    /// `type T name;`.
    Newtype {
        ty: Type,
    },
    ParserType(Signature),
    ControlType(Signature),
    Package(Signature),
    Parser {
        signature: Signature,
        constructor_params: Vec<Parameter>,
        locals: Vec<Decl>,
        states: Vec<State>,
    },
    Control {
        signature: Signature,
        constructor_params: Vec<Parameter>,
        locals: Vec<Decl>,
        body: Block,
    },
    /// An extern object; `methods` includes its constructors (named as the extern).
    Extern {
        type_params: Vec<Name>,
        methods: Vec<Method>,
    },
    ExternFunction(Prototype),
    Function {
        prototype: Prototype,
        body: Block,
    },
    Action {
        params: Vec<Parameter>,
        body: Block,
    },
    Table(Vec<TableProperty>),
    /// `value_set<T>(size) name;`.
    ValueSet {
        ty: Type,
        size: Expr,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub annotations: Vec<Annotation>,
    pub ty: Type,
    pub name: Name,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    #[default]
    None,
    In,
    Out,
    InOut,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub annotations: Vec<Annotation>,
    pub direction: Direction,
    pub ty: Type,
    pub name: Name,
    pub default: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub type_params: Vec<Name>,
    pub params: Vec<Parameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    pub name: Name,
    pub type_params: Vec<Name>,
    /// `None` for a constructor.
    pub result: Option<Type>,
    pub params: Vec<Parameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    pub annotations: Vec<Annotation>,
    pub is_abstract: bool,
    pub prototype: Prototype,
}

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
