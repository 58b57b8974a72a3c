// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types and expressions as they are written.

use num_bigint::BigInt;

use super::names::{Name, Path};
use crate::span::Span;

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    Void,
    Bool,
    Error,
    MatchKind,
    String,
    /// `int`: arbitrary precision.
    InfInt,
    /// `bit`, `bit<8>`, `bit<(W)>`.
    Bit(Option<Box<Expr>>),
    Int(Box<Expr>),
    Varbit(Box<Expr>),
    Named(Path),
    /// `P<A, B>`.
    Specialized(Path, Vec<Type>),
    /// `T[n]`.
    Stack(Box<Type>, Box<Expr>),
    Tuple(Vec<Type>),
    /// `list<T>`.
    List(Box<Type>),
    /// `_` as a type argument.
    DontCare,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Bool(bool),
    /// An integer literal; `width` is `(bits, signed)` of `8w1` and `8s1`.
    Integer {
        value: BigInt,
        width: Option<(u32, bool)>,
    },
    String(String),
    Path(Path),
    /// `this` inside an abstract method's implementation.
    This,
    /// A type used as an expression: the left side of `T.member`, or the callee of a constructor call.
    Type(Type),
    /// `a.b` (also `error.NoError`, `E.member` with a type on the left).
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    /// `a[hi:lo]`.
    Slice {
        base: Box<Expr>,
        hi: Box<Expr>,
        lo: Box<Expr>,
    },
    /// `a[lo +: width]`.
    PlusSlice {
        base: Box<Expr>,
        lo: Box<Expr>,
        width: Box<Expr>,
    },
    /// `{a, b}`; `rest` where it ends in `...`.
    List {
        items: Vec<Expr>,
        rest: bool,
    },
    /// `{a = 1, b = 2}`; `rest` where it ends in `...`.
    Record {
        fields: Vec<(Name, Expr)>,
        rest: bool,
    },
    /// `{#}`.
    Invalid,
    /// `...` alone: the default value.
    Default,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Ternary {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Cast(Type, Box<Expr>),
    /// `f<T>(a, name = b, _)`.
    Call {
        callee: Box<Expr>,
        type_args: Vec<Type>,
        args: Vec<Argument>,
    },
    /// `value &&& mask`, only in key sets.
    Mask(Box<Expr>, Box<Expr>),
    /// `low .. high`, only in key sets and `for`.
    Range(Box<Expr>, Box<Expr>),
    /// `default` or `_` as a key set.
    DontCare,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// `name = value`.
    pub name: Option<Name>,
    /// `None` is `_`.
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negate,
    /// `+`
    Plus,
}

impl UnaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Complement => "~",
            Self::Negate => "-",
            Self::Plus => "+",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    /// `|+|`
    AddSat,
    /// `|-|`
    SubSat,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `++`
    Concat,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::AddSat => "|+|",
            Self::SubSat => "|-|",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::And => "&&",
            Self::Or => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Concat => "++",
        }
    }
}
