// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types, and values that are known at compile time.

use num_bigint::BigInt;

use super::ids::{ControlId, ExternId, ParserId, TypeId};
use crate::ast;
use crate::span::Span;

pub type Annotations = Vec<ast::Annotation>;

/// A type after resolution: typedefs are looked through.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Bool,
    String,
    Error,
    MatchKind,
    /// `int`; only of compile-time values.
    InfInt,
    Bit(u32),
    Int(u32),
    Varbit(u32),
    /// A struct, header, header union, enum, serializable enum or newtype: see [`TypeDef`].
    Named(TypeId),
    /// Header or header-union stack, or an array of other values.
    Stack(Box<Type>, u32),
    Tuple(Vec<Type>),
    List(Box<Type>),
    /// An extern object's type, by its name, with type arguments.
    Extern(String, Vec<Type>),
    /// The type of `{#}` before it meets a header, and of don't-care arguments.
    Unknown,
    /// A type parameter while its declaration is checked, or a type argument that is not inferred yet: only inside the
    /// checker, never in a finished program.
    Variable(u32),
}

#[derive(Clone, Debug)]
pub struct TypeDef {
    /// Source name; copies of a generic type have the arguments in it (`S<bit<8>>`).
    pub name: String,
    pub annotations: Annotations,
    pub kind: TypeDefKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeDefKind {
    Struct(Vec<Field>),
    Header(Vec<Field>),
    HeaderUnion(Vec<Field>),
    /// An enum without representation, such as `HashAlgorithm`; the index is the value.
    Enum(Vec<String>),
    /// An enum over `bit<W>` or `int<W>`.
    SerEnum {
        repr: Type,
        members: Vec<(String, BigInt)>,
    },
    /// `type T name`.
    Newtype(Type),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    pub annotations: Annotations,
    /// Name of the typedef or newtype that the field was declared with, if any (P4Info wants it).
    pub declared_as: Option<String>,
}

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    /// Already reduced to its type's width and sign.
    Int(BigInt),
    String(String),
    /// Index in [`Program::errors`](super::Program::errors).
    Error(u32),
    MatchKind(String),
    /// Index of the member in its enum's list. Serializable enums are `Int`s of their representation.
    Enum(TypeId, u32),
    /// Struct, header (valid), tuple or list.
    Aggregate(Vec<Value>),
    Extern(ExternId),
    Parser(ParserId),
    Control(ControlId),
    Package(Box<PackageInstance>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PackageInstance {
    /// Such as `V1Switch`.
    pub type_name: String,
    pub type_args: Vec<Type>,
    /// Parameter name and argument, in order.
    pub args: Vec<(String, Value)>,
}
