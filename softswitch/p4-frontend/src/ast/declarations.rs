// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations: types, externs, parsers, controls, functions, actions, variables and constants.

use super::{Annotation, Argument, Block, Expr, Name, State, TableProperty, Type};
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
