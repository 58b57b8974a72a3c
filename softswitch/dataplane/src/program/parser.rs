// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: states, what each does, and what follows it.

use std::ops::Range;

use super::action::Op;
use super::expr::HeaderNode;
use crate::model::ids::{CondId, HeaderId, Value, END};
use crate::state::loc::Loc;

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
    /// The error of parser counters, which only TNA declares.
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
