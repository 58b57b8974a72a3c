// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The typed and evaluated program: what the checker makes of the syntax tree, and all that a back end sees.
//!
//! * Every name is resolved, every expression has its type, every constant is folded.
//! * Generic declarations are gone: each use has its own copy with the types put in.
//! * Evaluation has started from `main`: each instance of a parser or control is an own [`Parser`] or [`Control`] with its
//!   constructor arguments put in; extern objects are [`ExternInstance`]s that expressions name by index.
//! * P4 has no recursion, so every variable and parameter of every instance, action and function has one static
//!   [`VarId`] in [`Program::vars`].
//! * Default arguments and named arguments are put in order: a call has exactly one argument per parameter.
//! * Implicit casts are explicit [`ExprKind::Cast`]s.

use num_bigint::BigInt;

use crate::ast;
pub use crate::ast::{BinaryOp, Direction, UnaryOp};
use crate::span::Span;

macro_rules! index {
    ($(#[$doc:meta] $name:ident;)*) => { $(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name { pub fn index(self) -> usize { self.0 as usize } }
    )* };
}

index! {
    /// In [`Program::types`].
    TypeId;
    /// In [`Program::vars`].
    VarId;
    /// In [`Program::functions`].
    FunctionId;
    /// In [`Program::actions`].
    ActionId;
    /// In [`Program::tables`].
    TableId;
    /// In [`Program::parsers`].
    ParserId;
    /// In [`Program::controls`].
    ControlId;
    /// In [`Program::externs`].
    ExternId;
    /// In [`Program::value_sets`].
    ValueSetId;
}

pub type Annotations = Vec<ast::Annotation>;

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
    /// Header or header-union stack.
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
    /// Index in [`Program::errors`].
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
    /// Of a parser, control, function or action; an action's directionless ones come from the control plane.
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
pub struct Table {
    /// Control-plane name.
    pub name: String,
    pub annotations: Annotations,
    pub keys: Vec<Key>,
    pub actions: Vec<ActionUse>,
    pub default_action: DefaultAction,
    /// `const entries`.
    pub const_entries: bool,
    pub entries: Vec<Entry>,
    pub size: Option<u64>,
    /// `largest_priority_wins`; true when not given.
    pub largest_priority_wins: bool,
    /// Every other property by name, with its evaluated value: `implementation`, `counters`, `meters`, `support_timeout`, ...
    pub properties: Vec<Property>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub value: Value,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Key {
    pub expr: Expr,
    pub match_kind: String,
    /// What `@name` says, else the expression as the specification derives it (`hdr.ipv4.dst`, `hdr.x.$valid$`, `f[3:0]`).
    pub name: String,
    pub annotations: Annotations,
}

#[derive(Clone, Debug)]
pub struct ActionUse {
    pub action: ActionId,
    /// Arguments for the parameters with a direction, bound where the table lists the action.
    pub args: Vec<Expr>,
    pub annotations: Annotations,
}

#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// Index in [`Table::actions`]; `None` only in a table that lists no `NoAction`: nothing happens then.
    pub action: Option<usize>,
    /// Of the directionless parameters.
    pub args: Vec<Value>,
    pub is_const: bool,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub keyset: Vec<KeySet>,
    /// As written or derived, for tables where priorities matter.
    pub priority: Option<BigInt>,
    pub is_const: bool,
    /// Index in [`Table::actions`].
    pub action: usize,
    pub args: Vec<Value>,
    pub annotations: Annotations,
    pub span: Span,
}

/// One element of a key set in a `select` case or table entry. Values have the key's type.
#[derive(Clone, Debug)]
pub enum KeySet {
    DontCare,
    Value(Expr),
    Mask(Expr, Expr),
    Range(Expr, Expr),
    ValueSet(ValueSetId),
}

#[derive(Clone, Debug)]
pub struct ValueSet {
    pub name: String,
    pub annotations: Annotations,
    pub element: Type,
    pub size: u64,
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
    /// What `@name` says, else the source name.
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
    /// Indices in [`Table::actions`]; empty is `default`.
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
    /// Element of a header stack, or of a tuple by constant (then `Field` is used).
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
