// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Actions, primitive by primitive; those that are rare or do much are left to the interpreter.

use std::mem::size_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I128, I64};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Value as Ssa};

use super::buffer::flags;
use super::emit::Emitter;
use super::frame::Frame;
use super::helpers::{Call, Fault};
use crate::externs::counter::CounterArray;
use crate::externs::register::RegisterArray;
use crate::model::ids::{Tier, Value};
use crate::model::values::CounterValue;
use crate::program::expr::HeaderNode;
use crate::program::{Op, Target};
use crate::state::loc::Loc;

/// Stands for all primitives of an action.
const WHOLE: u32 = u32::MAX;

impl Emitter<'_, '_> {
    /// Runs an action whose parameters are in `self.params`, then goes to `next`.
    pub fn action(&mut self, action: u32, next: Block) {
        let program = self.program;
        let ops = &program.actions[action as usize].ops;
        let target = |op: &Op| match op {
            Op::Jump(jump) | Op::JumpIfZero(_, jump) => Some(jump.to as usize),
            _ => None,
        };
        let loops = ops
            .iter()
            .enumerate()
            .any(|(at, op)| target(op).is_some_and(|to| to <= at));
        let opaque = ops
            .iter()
            .any(|op| matches!(op, Op::JumpIfZero(value, _) if !self.covers(*value)));
        if loops || opaque {
            self.interpret(action, WHOLE);
            self.b.ins().jump(next, &[]);
            return;
        }
        let mut blocks = vec![None; ops.len() + 1];
        blocks[ops.len()] = Some(next);
        for to in ops.iter().filter_map(target) {
            blocks[to].get_or_insert_with(|| self.b.create_block());
        }
        let mut reachable = true;
        for (at, op) in ops.iter().enumerate() {
            if let Some(block) = blocks[at] {
                if reachable {
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
                reachable = true;
            }
            if !reachable {
                continue;
            }
            match op {
                Op::Jump(jump) => {
                    let to = blocks[jump.to as usize].expect("targets have blocks");
                    self.b.ins().jump(to, &[]);
                    reachable = false;
                }
                Op::JumpIfZero(value, jump) => {
                    let to = blocks[jump.to as usize].expect("targets have blocks");
                    let on = self.b.create_block();
                    let value = self.value(*value);
                    let value = self.nonzero(value);
                    self.b.ins().brif(value, on, &[], to, &[]);
                    self.b.switch_to_block(on);
                }
                Op::Exit => {
                    let end = self.end;
                    self.b.ins().jump(end, &[]);
                    reachable = false;
                }
                op => self.primitive(op, action, at as u32),
            }
        }
        if reachable {
            self.b.ins().jump(next, &[]);
        }
    }

    fn nonzero(&mut self, value: Ssa) -> Ssa {
        if self.b.func.dfg.value_type(value) != I128 {
            return self.b.ins().icmp_imm(IntCC::NotEqual, value, 0);
        }
        let (low, high) = self.b.ins().isplit(value);
        let any = self.b.ins().bor(low, high);
        self.b.ins().icmp_imm(IntCC::NotEqual, any, 0)
    }

    fn interpret(&mut self, action: u32, at: u32) {
        let (action, at) = (self.number(action), self.number(at));
        let stop = self.call(Call::Perform, &[action, at]);
        self.stop_if(stop);
    }

    fn primitive(&mut self, op: &Op, action: u32, at: u32) {
        match op {
            Op::Nop => (),
            Op::Assign(loc, value) | Op::AssignTo(Target::Field(loc), value)
                if loc.bits <= 128 && self.covers(*value) =>
            {
                let value = self.value(*value);
                self.assign(*loc, value);
            }
            Op::ReadRegister(Target::Field(loc), register, index)
                if loc.bits <= 128 && self.has_words(*register) && self.is_index(*index) =>
            {
                self.read_register(*loc, *register, *index)
            }
            Op::WriteRegister(register, index, value)
                if self.has_words(*register) && self.is_index(*index) && self.covers(*value) =>
            {
                self.write_register(*register, *index, *value)
            }
            Op::Count(counter, index) if self.is_index(*index) => self.count(*counter, *index),
            Op::Random(Target::Field(loc), lo, hi)
                if loc.bits <= 128 && self.covers(*lo) && self.covers(*hi) =>
            {
                self.random(*loc, *lo, *hi)
            }
            Op::MarkToDrop(egress_spec, mcast_grp)
                if egress_spec.bits <= 128 && mcast_grp.is_none_or(|loc| loc.bits <= 128) =>
            {
                let phv = self.phv;
                let port = self.frame_word(Frame::DROP_PORT);
                self.write(phv, *egress_spec, port);
                if let Some(mcast_grp) = mcast_grp {
                    let zero = self.b.ins().iconst(I64, 0);
                    self.write(phv, *mcast_grp, zero);
                }
            }
            Op::RemoveHeader(HeaderNode::Fixed(header)) => {
                // Most programs remove headers that are not there: nothing has to be known of these.
                let valid = self.is_valid(*header);
                let (remove, on) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(valid, remove, &[], on, &[]);
                self.b.switch_to_block(remove);
                self.interpret(action, at);
                self.b.ins().jump(on, &[]);
                self.b.switch_to_block(on);
            }
            _ => self.interpret(action, at),
        }
    }

    pub fn assign(&mut self, loc: Loc, value: Ssa) {
        let value = if loc.saturating {
            self.clamp_to(value, loc)
        } else {
            value
        };
        let phv = self.phv;
        self.write(phv, loc, value);
    }

    /// Whether a register's cells are single words.
    fn has_words(&self, register: u32) -> bool {
        self.register_cells[register as usize].0 <= 64
    }

    fn is_index(&self, index: Value) -> bool {
        index.tier == Tier::W64 && self.covers(index)
    }

    /// Goes on to the first block where the index is that of a cell, to the second otherwise. Negative indices are
    /// none: they are large numbers without their sign.
    fn check(&mut self, index: Ssa, cells: u64) -> (Block, Block) {
        let (inside, outside) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(outside);
        let fits = self
            .b
            .ins()
            .icmp_imm(IntCC::UnsignedLessThan, index, cells as i64);
        self.b.ins().brif(fits, inside, &[], outside, &[]);
        (inside, outside)
    }

    /// The address of a cell of `size` bytes; the address of its array's cells is `offset` bytes into a list of the
    /// frame's.
    fn cell(&mut self, list: i32, offset: usize, index: Ssa, size: i64) -> Ssa {
        let list = self.frame_word(list);
        let flags = flags(AliasRegion::Vmctx).with_readonly();
        let cells = self.b.ins().load(I64, flags, list, offset as i32);
        let offset = self.b.ins().imul_imm(index, size);
        self.b.ins().iadd(cells, offset)
    }

    fn register_cell(&mut self, register: u32, index: Ssa) -> Ssa {
        let offset = register as usize * size_of::<RegisterArray>() + RegisterArray::START;
        self.cell(Frame::REGISTERS, offset, index, 8)
    }

    fn read_register(&mut self, loc: Loc, register: u32, index: Value) {
        let cells = self.register_cells[register as usize].1;
        let index = self.value(index);
        let (inside, outside) = self.check(index, cells);
        let done = self.b.create_block();
        self.b.append_block_param(done, I64);

        self.b.switch_to_block(outside);
        self.fault(Fault::RegisterIndex);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().jump(done, &[zero.into()]);

        self.b.switch_to_block(inside);
        let cell = self.register_cell(register, index);
        let value = self.b.ins().load(I64, flags(AliasRegion::Table), cell, 0);
        self.b.ins().jump(done, &[value.into()]);

        self.b.switch_to_block(done);
        let value = self.b.block_params(done)[0];
        self.assign_unsigned(loc, value);
    }

    /// A number of 64 bits without sign goes to a field.
    fn assign_unsigned(&mut self, loc: Loc, value: Ssa) {
        let value = if loc.saturating || loc.bits > 64 {
            self.b.ins().uextend(I128, value)
        } else {
            value
        };
        self.assign(loc, value);
    }

    fn write_register(&mut self, register: u32, index: Value, value: Value) {
        let (bits, cells) = self.register_cells[register as usize];
        let index = self.value(index);
        let value = self.low64(value);
        let (inside, outside) = self.check(index, cells);
        let done = self.b.create_block();

        self.b.switch_to_block(outside);
        self.fault(Fault::RegisterIndex);
        self.b.ins().jump(done, &[]);

        self.b.switch_to_block(inside);
        let cell = self.register_cell(register, index);
        let value = match bits {
            64.. => value,
            bits => self.b.ins().band_imm(value, ((1u64 << bits) - 1) as i64),
        };
        self.b
            .ins()
            .store(flags(AliasRegion::Table), value, cell, 0);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }

    fn count(&mut self, counter: u32, index: Value) {
        let cells = self.counter_cells[counter as usize];
        let index = self.value(index);
        let (inside, outside) = self.check(index, cells);
        let done = self.b.create_block();

        self.b.switch_to_block(outside);
        self.fault(Fault::CounterIndex);
        self.b.ins().jump(done, &[]);

        self.b.switch_to_block(inside);
        let bytes = self.frame_word(Frame::INGRESS_BYTES);
        let offset = counter as usize * size_of::<CounterArray>() + CounterArray::START;
        let size = size_of::<CounterValue>() as i64;
        let cell = self.cell(Frame::COUNTERS, offset, index, size);
        let flags = flags(AliasRegion::Table);
        let one = self.b.ins().iconst(I64, 1);
        for (offset, more) in [(0, one), (8, bytes)] {
            let old = self.b.ins().load(I64, flags, cell, offset);
            let new = self.b.ins().iadd(old, more);
            self.b.ins().store(flags, new, cell, offset);
        }
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }

    /// Draws nothing where the range is empty.
    fn random(&mut self, loc: Loc, lo: Value, hi: Value) {
        let (lo, hi) = (self.low64(lo), self.low64(hi));
        let (draw, done) = (self.b.create_block(), self.b.create_block());
        let some = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, lo, hi);
        self.b.ins().brif(some, draw, &[], done, &[]);
        self.b.switch_to_block(draw);
        let drawn = self.call(Call::Random, &[lo, hi]);
        self.assign_unsigned(loc, drawn);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }
}
