// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: every state a block. States that do more than extract, assign, verify and select are left to the
//! interpreter, one by one; parsers that may come back to a state are left to it as a whole.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Value as Ssa};
use cranelift_frontend::{Switch, Variable};

use super::buffer::flags;
use super::emit::Emitter;
use super::frame::{Frame, KEY_WORDS};
use super::helpers::{Call, FAILED_SHIFT};
use crate::model::ids::HeaderId;
use crate::program::{KeySource, Op, ParseCase, ParseOp, ParseState, Parser};

/// Headers of more bytes are copied by the interpreter.
pub const MAX_HEADER_BYTES: u32 = 128;

/// Blocks that the states of one parser lead to.
struct Ways {
    /// The number of the first of the states.
    first: u32,
    states: Vec<Block>,
    accept: Block,
    /// Takes the error.
    fail: Block,
    /// Bytes that are consumed.
    parsed: Variable,
}

impl Ways {
    fn to(&self, state: u32) -> Block {
        let own = state.checked_sub(self.first);
        let known = own.and_then(|at| self.states.get(at as usize));
        known.copied().unwrap_or(self.accept)
    }
}

impl Emitter<'_, '_> {
    /// The whole parser; gives the error in the frame.
    pub fn parser(&mut self, parser: &Parser) {
        let own = parser.states.start as usize..parser.states.end as usize;
        let states = &self.program.states[own];
        let ways = Ways {
            first: parser.states.start,
            states: states.iter().map(|_| self.b.create_block()).collect(),
            accept: self.b.create_block(),
            fail: self.b.create_block(),
            parsed: Variable::from_u32(0),
        };
        self.b.declare_var(ways.parsed, I64);
        self.b.append_block_param(ways.fail, I32);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.def_var(ways.parsed, zero);
        self.b.ins().jump(ways.to(parser.first), &[]);
        for (number, state) in parser.states.clone().zip(states) {
            self.b.switch_to_block(ways.to(number));
            if self.covers_state(state) {
                self.state(state, &ways);
            } else {
                self.interpret_state(number, state, &ways);
            }
        }
        self.b.switch_to_block(ways.accept);
        let none = self.number(self.program.errors.no_error);
        self.b.ins().jump(ways.fail, &[none.into()]);
        self.b.switch_to_block(ways.fail);
        let error = self.b.block_params(ways.fail)[0];
        self.leave_parsed(&ways);
        let (frame, flags) = (self.frame, flags(AliasRegion::Vmctx));
        self.b.ins().store(flags, error, frame, Frame::ERROR);
        self.verify();
        let end = self.end;
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
        self.b.ins().return_(&[]);
    }

    fn leave_parsed(&mut self, ways: &Ways) {
        let parsed = self.b.use_var(ways.parsed);
        let (frame, flags) = (self.frame, flags(AliasRegion::Vmctx));
        self.b.ins().store(flags, parsed, frame, Frame::PARSED);
    }

    fn covers_state(&self, state: &ParseState) -> bool {
        let layout = &self.program.layout;
        let ops = state.ops.iter().all(|op| match op {
            ParseOp::Extract(header) => {
                let def = &layout.headers[*header as usize];
                def.var.is_none() && def.union.is_none() && def.fixed_bytes <= MAX_HEADER_BYTES
            }
            ParseOp::Primitive(Op::Assign(loc, value)) => loc.bits <= 128 && self.covers(*value),
            ParseOp::Verify(cond, error) => self.covers_cond(*cond) && self.covers(*error),
            _ => false,
        });
        let key = state.key.iter().all(|part| {
            matches!(part.source, KeySource::Field(_)) && (1..=64).contains(&part.bits)
        });
        let cases = state
            .cases
            .iter()
            .all(|case| matches!(case, ParseCase::Masked(..)));
        ops && key && cases && state.key_bytes <= KEY_WORDS * 8
    }

    fn interpret_state(&mut self, number: u32, state: &ParseState, ways: &Ways) {
        self.leave_parsed(ways);
        let number = self.number(number);
        let result = self.call(Call::ParseState, &[number]);
        let parsed = self.frame_word(Frame::PARSED);
        self.b.def_var(ways.parsed, parsed);
        let failed = self.b.ins().ushr_imm(result, i64::from(FAILED_SHIFT));
        let next = self.b.ins().ireduce(I32, result);
        let on = self.b.create_block();
        self.b
            .ins()
            .brif(failed, ways.fail, &[next.into()], on, &[]);
        self.b.switch_to_block(on);
        let mut switch = Switch::new();
        let nodes: std::collections::BTreeSet<u32> = state.followers().collect();
        for node in nodes {
            switch.set_entry(u128::from(node), ways.to(node));
        }
        switch.emit(&mut self.b, next, ways.accept);
    }

    fn state(&mut self, state: &ParseState, ways: &Ways) {
        for op in &state.ops {
            match op {
                ParseOp::Extract(header) => self.extract(*header, ways),
                ParseOp::Primitive(Op::Assign(loc, value)) => {
                    let value = self.value(*value);
                    self.assign(*loc, value);
                }
                ParseOp::Verify(cond, error) => {
                    let holds = self.cond(*cond);
                    let error = self.low64(*error);
                    let error = self.b.ins().ireduce(I32, error);
                    let on = self.b.create_block();
                    self.b
                        .ins()
                        .brif(holds, on, &[], ways.fail, &[error.into()]);
                    self.b.switch_to_block(on);
                }
                _ => unreachable!("covered states have no other operations"),
            }
        }
        if state.key.is_empty() {
            self.b.ins().jump(ways.to(state.default), &[]);
            return;
        }
        let key = self.select_key(state);
        for case in &state.cases {
            let ParseCase::Masked(value, mask, next) = case else {
                unreachable!("covered states have no other cases");
            };
            let mut diff = None;
            for ((key, value), mask) in key.iter().zip(value).zip(mask) {
                let Some(key) = *key else { continue };
                let part = self.b.ins().bxor_imm(key, *value as i64);
                let part = self.b.ins().band_imm(part, *mask as i64);
                self.join(&mut diff, part);
            }
            let on = self.b.create_block();
            match diff {
                Some(diff) => {
                    let to = ways.to(*next);
                    self.b.ins().brif(diff, on, &[], to, &[]);
                }
                None => {
                    self.b.ins().jump(ways.to(*next), &[]);
                }
            }
            self.b.switch_to_block(on);
        }
        self.b.ins().jump(ways.to(state.default), &[]);
    }

    fn select_key(&mut self, state: &ParseState) -> Vec<Option<Ssa>> {
        let phv = self.phv;
        let mut words = vec![None; state.key_bytes / 8];
        for part in &state.key {
            let KeySource::Field(loc) = part.source else {
                unreachable!("covered states have no other keys");
            };
            let value = self.read_u64(phv, loc);
            self.put(&mut words, part.at, part.bits.div_ceil(8), value);
        }
        words
    }

    fn extract(&mut self, header: HeaderId, ways: &Ways) {
        let def = &self.program.layout.headers[header as usize];
        let (byte, fixed, valid) = (def.byte as i32, def.fixed_bytes, def.valid.byte as i32);
        let start = self.b.use_var(ways.parsed);
        let end = self.b.ins().iadd_imm(start, i64::from(fixed));
        let length = self.frame_word(Frame::DATA_BYTES);
        let fits = self
            .b
            .ins()
            .icmp(IntCC::UnsignedLessThanOrEqual, end, length);
        let short = self.number(self.program.errors.packet_too_short);
        let (on, beyond) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(beyond);
        self.b.ins().brif(fits, on, &[], beyond, &[]);
        self.b.switch_to_block(beyond);
        let fits = self.call(Call::Lengthen, &[end]);
        self.b.ins().brif(fits, on, &[], ways.fail, &[short.into()]);
        self.b.switch_to_block(on);
        self.b.def_var(ways.parsed, end);

        let (phv, heap) = (self.phv.start, flags(AliasRegion::Heap));
        let data = self.frame_word(Frame::DATA);
        let from = self.b.ins().iadd(data, start);
        let packet = (from, 0, AliasRegion::Table);
        self.copy(packet, (phv, byte, AliasRegion::Heap), fixed);
        let one = self.b.ins().iconst(I8, 1);
        self.b.ins().store(heap, one, phv, valid);
    }
}
