// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The syntax tree of a P4-16 program, as the grammar of the language specification gives it: nothing is resolved yet.

use num_bigint::BigInt;

use crate::span::Span;

/// An identifier where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `a` or `.a`: a name looked up from here, or from the top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub absolute: bool,
    pub name: Name,
}

/// `@name`, `@name(...)` or `@name[...]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    pub name: Name,
    pub body: AnnotationBody,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// No body at all.
    None,
    /// `(...)`: any tokens with balanced parentheses; what they mean is the annotation's business.
    Unstructured(Vec<AnnotationToken>),
    /// `[a, b]`.
    Expressions(Vec<Expr>),
    /// `[k = v, ...]`.
    KeyValues(Vec<(Name, Expr)>),
}

/// One token of an unstructured annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationToken {
    pub kind: AnnotationTokenKind,
    /// As written; for a string its contents without quotes and escapes.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationTokenKind {
    Identifier,
    Integer(BigInt),
    String,
    Punctuation,
}

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
pub struct Field {
    pub annotations: Vec<Annotation>,
    pub ty: Type,
    pub name: Name,
}

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

#[derive(Clone, Debug, PartialEq)]
pub struct TableProperty {
    pub annotations: Vec<Annotation>,
    pub is_const: bool,
    pub name: Name,
    pub value: PropertyValue,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    Key(Vec<KeyElement>),
    Actions(Vec<ActionRef>),
    Entries(Vec<TableEntry>),
    /// `size = e`, `default_action = f(x)`, `implementation = e`, any other.
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyElement {
    pub annotations: Vec<Annotation>,
    pub expr: Expr,
    pub match_kind: Path,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ActionRef {
    pub annotations: Vec<Annotation>,
    pub path: Path,
    /// Arguments bound at compile time: `a(hdr.x)`.
    pub args: Vec<Argument>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableEntry {
    pub annotations: Vec<Annotation>,
    pub is_const: bool,
    pub priority: Option<Expr>,
    pub keyset: Vec<Expr>,
    pub action: ActionRef,
    pub span: Span,
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

/// A whole program: the user's file with all that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub decls: Vec<Decl>,
}
