// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements, expressions and calls.

use super::ids::{ActionId, ControlId, ExternId, FunctionId, ParserId, TableId, VarId};
use super::types::{Type, Value};
use crate::ast::{BinaryOp, Direction, UnaryOp};
use crate::span::Span;

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A local comes to life: `value`, or undefined (headers in it: invalid).
    Declare(VarId, Option<Expr>),
    /// `op=` assignments are already written out; the target is an l-value: `Var`, `Field`, `Index`, `StackNext`, `StackLast`, `Slice`.
    Assign(Expr, Expr),
    /// A call for its effect.
    Call(Call),
    Block(Vec<Stmt>),
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `switch (t.apply().action_run)`.
    SwitchTable {
        table: TableId,
        cases: Vec<TableCase>,
    },
    /// `switch (expression)`; fall-through is resolved, `cases` holds all labels of one body.
    SwitchValue {
        on: Expr,
        cases: Vec<ValueCase>,
    },
    Return(Option<Expr>),
    Exit,
    /// A loop; `init` and constant bounds are left to the back end to unroll or refuse.
    For {
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Vec<Stmt>,
    },
    Break,
    Continue,
}

#[derive(Clone, Debug)]
pub struct TableCase {
    /// Indices in [`Table::actions`](super::Table::actions); empty is `default`.
    pub actions: Vec<usize>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct ValueCase {
    /// Empty is `default`.
    pub labels: Vec<Value>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(Value),
    Var(VarId),
    /// Field number `.1` of a struct, header, header union or tuple.
    Field(Box<Expr>, u32),
    /// Element of a header stack or array, or of a tuple by constant (then `Field` is used).
    Index(Box<Expr>, Box<Expr>),
    StackNext(Box<Expr>),
    StackLast(Box<Expr>),
    /// `stack.lastIndex`, `bit<32>`.
    StackLastIndex(Box<Expr>),
    /// Bits `hi` to `lo` of a `bit` or `int` value.
    Slice {
        base: Box<Expr>,
        hi: u32,
        lo: u32,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Ternary {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// To `Expr::ty`.
    Cast(Box<Expr>),
    /// Struct, header (valid), tuple or list of the given fields in order.
    Aggregate(Vec<Expr>),
    /// `{#}`, of a header, header union or stack type.
    Invalid,
    /// `isValid()` of a header or header union.
    IsValid(Box<Expr>),
    /// A function or extern with a result.
    Call(Box<Call>),
    /// `t.apply().hit`.
    TableHit(TableId),
    /// `t.apply().miss`.
    TableMiss(TableId),
    /// `_` as an `out` argument.
    DontCare,
}

impl Expr {
    /// The expressions directly inside of this one, from left to right, without the arguments of a call.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let (single, listed): ([Option<&Expr>; 3], &[Expr]) = match &self.kind {
            ExprKind::Field(base, _)
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::Unary(_, base)
            | ExprKind::Cast(base)
            | ExprKind::IsValid(base) => ([Some(base), None, None], &[]),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => ([Some(a), Some(b), None], &[]),
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => ([Some(condition), Some(then), Some(otherwise)], &[]),
            ExprKind::Aggregate(items) => ([None; 3], items),
            ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Invalid
            | ExprKind::DontCare
            | ExprKind::Call(_)
            | ExprKind::TableHit(_)
            | ExprKind::TableMiss(_) => ([None; 3], &[]),
        };
        single.into_iter().flatten().chain(listed)
    }

    /// Whether evaluating changes anything, or must not be moved: calls and table applications.
    pub fn has_effects(&self) -> bool {
        match &self.kind {
            ExprKind::Call(_) | ExprKind::TableHit(_) | ExprKind::TableMiss(_) => true,
            _ => self.operands().any(Expr::has_effects),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    /// One per parameter, with the parameter's direction. Arguments for `out` and `inout` are l-values or `DontCare`.
    pub args: Vec<Argument>,
    pub result: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Argument {
    /// Name of the parameter.
    pub name: String,
    pub direction: Direction,
    pub expr: Expr,
}

#[derive(Clone, Debug)]
pub enum Callee {
    Function(FunctionId),
    Action(ActionId),
    /// `t.apply()` whose result is not used.
    Table(TableId),
    Parser(ParserId),
    Control(ControlId),
    /// A free function of the architecture or core library: `mark_to_drop`, `verify`, `hash`, `clone_preserving_field_list`, ...
    ExternFunction {
        name: String,
        type_args: Vec<Type>,
    },
    /// A method of an instance that evaluation made: `register.read`, `counter.count`.
    ExternMethod {
        instance: ExternId,
        method: String,
        type_args: Vec<Type>,
    },
    /// A method of an extern that is a parameter: `packet.extract`, `packet.lookahead<T>`, `packet.emit`.
    ParamMethod {
        param: VarId,
        extern_type: String,
        method: String,
        type_args: Vec<Type>,
    },
    /// `setValid`, `setInvalid` of a header; `push_front`, `pop_front` of a stack; `minSizeInBits` and its kin are folded.
    Builtin {
        object: Box<Expr>,
        method: BuiltinMethod,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinMethod {
    SetValid,
    SetInvalid,
    PushFront,
    PopFront,
}
