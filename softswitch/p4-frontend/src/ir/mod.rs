// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The typed and evaluated program: the checker makes it from the syntax tree, and a back end sees nothing else.
//!
//! * Every name is resolved, every expression has its type, every constant is folded.
//! * Generic declarations are gone: each use has its own copy with the types put in.
//! * Evaluation has started from `main`: each instance of a parser or control is an own [`Parser`] or [`Control`] with its
//!   constructor arguments put in; extern objects are [`ExternInstance`]s that expressions name by index.
//! * P4 has no recursion, so every variable and parameter of every instance, action and function has one static
//!   [`VarId`] in [`Program::vars`].
//! * Default arguments and named arguments are put in order: a call has exactly one argument per parameter.
//! * Implicit casts are explicit [`ExprKind::Cast`]s.

mod code;
mod ids;
mod tables;
mod types;
pub mod visit;

pub use crate::ast::{BinaryOp, Direction, UnaryOp};
use crate::span::Span;

pub use code::*;
pub use ids::*;
pub use tables::*;
pub use types::*;

/// The whole program, from `main` down: only what is reachable.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: Vec<TypeDef>,
    /// All members of `error`, in order of declaration (those of core.p4 first): the index is the code.
    pub errors: Vec<String>,
    pub match_kinds: Vec<String>,
    pub vars: Vec<Var>,
    pub functions: Vec<Function>,
    pub actions: Vec<Action>,
    pub tables: Vec<Table>,
    pub value_sets: Vec<ValueSet>,
    pub externs: Vec<ExternInstance>,
    pub parsers: Vec<Parser>,
    pub controls: Vec<Control>,
    /// `main`.
    pub main: Option<PackageInstance>,
    /// Every struct, header, enum and newtype declared at the top level (by source name), reachable or not:
    /// P4Info lists the `@controller_header`s among them.
    pub declared_types: Vec<TypeId>,
    /// Annotations of `main`'s instantiation (`@pkginfo` and the like).
    pub main_annotations: Annotations,
    pub main_span: Span,
}

/// A variable, parameter or temporary with static storage.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub kind: VarKind,
    pub annotations: Annotations,
    /// Name of the typedef or newtype in its declaration, if any.
    pub declared_as: Option<String>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    Local,
    /// A parameter of a parser, control, function or action; an action's directionless ones come from the control
    /// plane.
    Param(Direction),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<VarId>,
    pub result: Type,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Action {
    /// Control-plane name: hierarchical, or what `@name` says.
    pub name: String,
    pub annotations: Annotations,
    pub params: Vec<VarId>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ExternInstance {
    /// Such as `register`.
    pub type_name: String,
    pub type_args: Vec<Type>,
    /// The constructor's parameters by name, with evaluated arguments.
    pub args: Vec<(String, Value)>,
    /// Control-plane name.
    pub name: String,
    pub annotations: Annotations,
    /// Implemented abstract methods.
    pub methods: Vec<(String, FunctionId)>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Parser {
    /// Hierarchical instance name.
    pub name: String,
    /// Name of the declared type.
    pub type_name: String,
    pub params: Vec<VarId>,
    /// Variable declarations of the parser itself: `Declare` statements, run on each entry.
    pub locals: Vec<Stmt>,
    /// `states[0]` is `start`.
    pub states: Vec<State>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct State {
    /// The name in `@name`, else the name in the source.
    pub name: String,
    pub annotations: Annotations,
    pub body: Vec<Stmt>,
    pub transition: Transition,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Transition {
    To(Target),
    /// No case matches: `error.NoMatch` and reject.
    Select {
        keys: Vec<Expr>,
        cases: Vec<(Vec<KeySet>, Target)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Accept,
    Reject,
    /// Index in [`Parser::states`].
    State(u32),
}

#[derive(Clone, Debug)]
pub struct Control {
    /// Hierarchical instance name.
    pub name: String,
    pub type_name: String,
    pub params: Vec<VarId>,
    /// Variable declarations of the control itself, run on each entry.
    pub locals: Vec<Stmt>,
    /// In order of declaration, with those of instances inside not included.
    pub tables: Vec<TableId>,
    pub actions: Vec<ActionId>,
    pub externs: Vec<ExternId>,
    pub controls: Vec<ControlId>,
    pub body: Vec<Stmt>,
    pub span: Span,
}
