// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A loaded program: everything that packets do not change.

use std::ops::Range;

use super::coverage::Coverage;
use super::expr::{Exprs, HeaderNode, UnionNode};
use super::labels::Labels;
use super::unit::Unit;
use crate::model::ids::{CondId, HeaderId, Value, END};
use crate::model::info::ProgramInfo;
use crate::state::layout::Layout;
use crate::state::loc::Loc;
use crate::tables::def::TableDef;

#[derive(Debug)]
pub struct Program {
    pub layout: Layout,
    pub exprs: Exprs,
    /// The states of all parsers.
    pub states: Vec<ParseState>,
    pub errors: ErrorCodes,
    /// The programmable blocks, in the order in which the architecture names them.
    pub parsers: Vec<Parser>,
    pub pipelines: Vec<Pipeline>,
    pub deparsers: Vec<Deparser>,
    pub actions: Vec<Action>,
    pub tables: Vec<TableDef>,
    pub calculations: Vec<Calculation>,
    /// Inputs of the selectors' hash functions, by profile; empty for plain profiles.
    pub selectors: Vec<Option<Calculation>>,
    pub checksums: Vec<Checksum>,
    /// Fields that clones, resubmitted and recirculated packets keep, by id.
    pub field_lists: Vec<FieldList>,
    /// Digests, by id; `None` where the program has none.
    pub digests: Vec<Option<Vec<DigestField>>>,
    /// The cost of every copy, and of every pass of a packet but its first.
    pub pass_work: u32,
    pub info: ProgramInfo,
    /// Counts of the parts that packets reached, where they are recorded.
    pub coverage: Option<Coverage>,
    pub labels: Labels,
}

/// Where an action writes a number.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    Field(Loc),
    /// A field of a header known at run time, relative to it.
    HeaderField(HeaderNode, Loc),
    Register(u32, Value),
}

impl Target {
    /// Width and signedness of what is written.
    pub fn shape(&self, register_bits: impl Fn(u32) -> u32) -> Loc {
        match *self {
            Self::Field(loc) | Self::HeaderField(_, loc) => loc,
            Self::Register(register, _) => Loc::unsigned(0, 0, register_bits(register)),
        }
    }
}

/// One step of an action.
#[derive(Debug)]
pub enum Op {
    Assign(Loc, Value),
    AssignTo(Target, Value),
    /// Between variable-length fields: destination and source header.
    AssignVar(HeaderNode, HeaderNode),
    AssignHeader(HeaderNode, HeaderNode),
    AssignUnion(UnionNode, UnionNode),
    AssignStack(u32, u32),
    AssignUnionStack(u32, u32),
    AddHeader(HeaderNode),
    /// Sets the flag alone (`add_header_fast`).
    MarkValid(HeaderNode),
    RemoveHeader(HeaderNode),
    Push(u32, Value),
    Pop(u32, Value),
    PushUnion(u32, Value),
    PopUnion(u32, Value),
    /// The fields that it sets, of the switch's metadata or of a copy of it: `egress_spec` and `mcast_grp`.
    MarkToDrop(Loc, Option<Loc>),
    Count(u32, Value),
    ExecuteMeter(u32, Value, Target),
    ReadRegister(Target, u32, Value),
    WriteRegister(u32, Value, Value),
    /// Destination, lowest and highest value.
    Random(Target, Value, Value),
    /// Destination, base, calculation and modulus.
    Hash(Target, Value, u32, Value),
    /// Session and field list.
    Clone(Value, Value),
    Resubmit(Value),
    Recirculate(Value),
    Digest(Value),
    Truncate(Value),
    Unit(Unit),
    Nop,
    Exit,
    Jump(Jump),
    JumpIfZero(Value, Jump),
    Log(String, Vec<Value>),
    /// Where the assertion stands.
    Assert(Value, String),
}

/// A jump to a primitive, or to the end.
#[derive(Debug, Clone, Copy)]
pub struct Jump {
    pub to: u32,
    /// The cost of a jump back (`exec::budget`): all that it may run again. 0 for a jump forwards.
    pub work: u32,
}

#[derive(Debug)]
pub struct Action {
    pub name: String,
    pub params: Vec<Loc>,
    /// Size of the parameters, padding included.
    pub data_bytes: usize,
    pub ops: Vec<Op>,
    /// Primitives, and numbers and conditions in their expressions.
    pub parts: usize,
    /// The cost of running all primitives once.
    pub work: u32,
}

#[derive(Debug, Default)]
pub struct Pipeline {
    pub name: String,
    /// Among the program's pipelines.
    pub number: u32,
    pub nodes: Vec<ControlNode>,
    pub first: u32,
    /// The cost of one visit of each node; empty where no node can be reached from itself.
    pub work: Vec<u32>,
}

impl Pipeline {
    /// The tables, which come before all other nodes.
    pub fn tables(&self) -> impl Iterator<Item = u32> + '_ {
        let tables = self.nodes.iter().map(|node| match node {
            ControlNode::Table(table) => Some(*table),
            _ => None,
        });
        tables.map_while(|table| table)
    }
}

#[derive(Debug, Clone, Copy)]
pub enum ControlNode {
    Table(u32),
    /// Condition, next when true, next when false.
    Branch(CondId, u32, u32),
    /// Action and next.
    Call(u32, u32),
}

impl ControlNode {
    pub fn is_branch(&self) -> bool {
        matches!(self, Self::Branch(..))
    }
}

#[derive(Debug, Default)]
pub struct Parser {
    pub name: String,
    /// Its own among the program's states.
    pub states: Range<u32>,
    pub first: u32,
    /// Some state can be reached from itself: each state is paid for.
    pub loops: bool,
}

/// The values that a program gives to the errors of the core library.
#[derive(Debug, Default, Clone, Copy)]
pub struct ErrorCodes {
    pub no_error: u32,
    pub packet_too_short: u32,
    pub stack_out_of_bounds: u32,
    pub header_too_short: u32,
    pub parser_timeout: u32,
    pub parser_invalid_argument: u32,
    /// Of parser counters: only TNA declares it.
    pub counter_range: Option<u32>,
}

#[derive(Debug, Default)]
pub struct ParseState {
    pub ops: Vec<ParseOp>,
    pub key: Vec<KeyPart>,
    /// Size of the key, rounded up to whole words.
    pub key_bytes: usize,
    pub cases: Vec<ParseCase>,
    pub default: u32,
    /// The cost of one visit where the parser loops.
    pub work: u32,
}

impl ParseState {
    /// States that may follow.
    pub fn followers(&self) -> impl Iterator<Item = u32> + '_ {
        let cases = self.cases.iter().map(|case| match case {
            ParseCase::Masked(_, _, next) | ParseCase::ValueSet(_, _, next) => *next,
        });
        cases.chain([self.default]).filter(|&next| next != END)
    }
}

#[derive(Debug)]
pub enum ParseOp {
    /// A header of fixed length.
    Extract(HeaderId),
    /// A header with the length in bits of its variable-length field.
    ExtractVar(HeaderId, Value),
    ExtractNext(u32, Option<Value>),
    /// Stack of unions, member, length of the variable-length field.
    ExtractNextUnion(u32, u32, Option<Value>),
    SetVar(HeaderId, HeaderId),
    /// Field, offset in bits and width.
    Lookahead(Loc, u32, u32),
    /// Condition and error.
    Verify(CondId, Value),
    /// A number of bits.
    Advance(Value),
    Primitive(Op),
}

/// A part of a parser's `select`, at a byte of the key.
#[derive(Debug)]
pub struct KeyPart {
    pub source: KeySource,
    pub at: u32,
    pub bits: u32,
}

#[derive(Debug)]
pub enum KeySource {
    Field(Loc),
    HeaderField(HeaderNode, Loc),
    /// Offset in bits behind what was parsed.
    Lookahead(u32),
}

#[derive(Debug)]
pub enum ParseCase {
    /// Value, mask and next state.
    Masked(Box<[u64]>, Box<[u64]>, u32),
    /// Value set, further mask and next state.
    ValueSet(u32, Option<Box<[u64]>>, u32),
}

#[derive(Debug, Default)]
pub struct Deparser {
    pub name: String,
    /// Among the program's deparsers.
    pub number: u32,
    pub order: Vec<HeaderId>,
    pub ops: Vec<Op>,
    /// The cost of running all primitives once.
    pub work: u32,
}

/// The input of a hash function.
#[derive(Debug, Clone)]
pub struct Calculation {
    pub input: Vec<CalcInput>,
    pub payload: bool,
    /// Index of the function in `Externs::hashers`.
    pub hasher: u32,
}

#[derive(Debug, Clone)]
pub enum CalcInput {
    /// A field, left out where its header is not valid.
    Field(HeaderId, Loc),
    VarField(HeaderId),
    Header(HeaderId),
    /// Bits at the end of whole bytes.
    Constant(Vec<u8>, u32),
}

#[derive(Debug)]
pub struct Checksum {
    pub target: Loc,
    pub header: HeaderId,
    pub kind: ChecksumKind,
    pub condition: Option<CondId>,
    pub verify: bool,
    pub update: bool,
}

#[derive(Debug)]
pub enum ChecksumKind {
    Calculation(u32),
    /// Of an IPv4 header as a whole; the argument is the checksum field.
    Ipv4,
}

pub type FieldList = Vec<CopiedField>;

#[derive(Debug, Clone)]
pub enum CopiedField {
    Field(Loc),
    Var(HeaderId),
    /// A number in whole bytes, and its width in bits.
    Constant(Vec<u8>, u32),
}

#[derive(Debug)]
pub enum DigestField {
    Field(Loc),
    Constant(Vec<u8>),
}
