// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Running actions.

use std::fmt;

use super::budget::MAX_WORK;
use super::calc;
use super::env::Env;
use super::eval::Ctx;
use super::packet::Abort;
use crate::externs::faults::Faults;
use crate::externs::meter::Color;
use crate::model::ids::{HeaderId, Tier, Value};
use crate::program::expr::{HeaderNode, UnionNode};
use crate::program::{Jump, Op, Target};
use crate::state::stored::Stored;

impl Env<'_> {
    /// Runs primitives, jumps included. `params` are the action's parameters. A traced packet has a record.
    pub fn run<const TRACED: bool>(&mut self, ops: &[Op], params: &[u8]) {
        let mut at = 0;
        while let Some(op) = ops.get(at) {
            let seen = if TRACED {
                self.look(op, at, params)
            } else {
                None
            };
            at += 1;
            match op {
                Op::Assign(loc, value) => {
                    let stored = self.ctx(params).store(*value, *loc);
                    stored.write(*loc, &mut self.packet.phv.bytes, &self.externs.scratch);
                }
                Op::Jump(Jump { to, work }) => {
                    if !self.pay(*work) {
                        return;
                    }
                    at = *to as usize;
                }
                Op::JumpIfZero(value, Jump { to, work }) => {
                    if self.ctx(params).low64_or_any(*value) == 0 {
                        if !self.pay(*work) {
                            return;
                        }
                        at = *to as usize;
                    }
                }
                Op::Nop => (),
                Op::Exit => {
                    self.packet.requests.exit = true;
                    return;
                }
                Op::Assert(value, place) => {
                    if self.ctx(params).low64_or_any(*value) == 0 {
                        tracing::error!("assertion failed, packet dropped: {place}");
                        self.packet.requests.abort = Some(Abort::Assertion);
                        self.packet.requests.exit = true;
                        return;
                    }
                }
                other => self.primitive(other, params),
            }
            if TRACED {
                self.note_primitive(seen);
            }
        }
    }

    /// Pays for going back; false where the packet is to be dropped.
    pub fn pay(&mut self, work: u32) -> bool {
        if work == 0 || self.packet.budget.spend(work) {
            return true;
        }
        tracing::error!("a loop went on for {MAX_WORK} units of work, packet dropped");
        self.packet.requests.abort = Some(Abort::EndlessLoop);
        self.packet.requests.exit = true;
        false
    }

    fn primitive(&mut self, op: &Op, params: &[u8]) {
        match op {
            Op::AssignTo(target, value) => {
                let shape = target.shape(|register| self.externs.registers[register as usize].bits);
                let stored = self.ctx(params).store(*value, shape);
                self.write(target, stored, params);
            }
            Op::ReadRegister(target, register, index) => {
                let index = self.ctx(params).index(*index);
                let stored = self.read_cell(*register, index);
                self.write(target, stored, params);
            }
            Op::WriteRegister(register, index, value) => {
                let ctx = self.ctx(params);
                let index = ctx.index(*index);
                let stored = ctx.store_number(*value);
                self.set_cell(*register, index, stored);
            }
            Op::Count(counter, index) => {
                let index = self.ctx(params).index(*index);
                let bytes = self.packet.ingress_bytes;
                if !self.externs.counters[*counter as usize].count(index, bytes) {
                    Faults::count(&self.externs.faults.counter_index);
                }
            }
            Op::ExecuteMeter(meter, index, target) => {
                let index = self.ctx(params).index(*index);
                let chip_ns = self.externs.chip_ns(self.now_ns);
                let meter = &mut self.externs.meters[*meter as usize];
                match meter.execute(index, chip_ns, self.packet.ingress_bytes, Color::Green) {
                    Some(color) => self.write(target, Stored::Small(color.into()), params),
                    None => Faults::count(&self.externs.faults.meter_index),
                }
            }
            Op::Random(target, lo, hi) => {
                let ctx = self.ctx(params);
                let (lo, hi) = (ctx.low64(*lo), ctx.low64(*hi));
                if lo <= hi {
                    let drawn = self.externs.random.uniform(lo, hi);
                    self.write(target, Stored::Medium(i128::from(drawn)), params);
                }
            }
            Op::Time(target) => self.time(target, params),
            Op::Enqueued(targets) => self.enqueued(targets, params),
            Op::QueueDepth(queue, targets) => self.queue_depth(*queue, targets, params),
            Op::Hash(target, base, calculation, size) => {
                let ctx = self.ctx(params);
                let (base, size) = (ctx.low64(*base), ctx.low64(*size).max(1));
                let calculation = &self.program.calculations[*calculation as usize];
                let hash = calc::compute(self.program, calculation, self.externs, self.packet);
                let result = (hash % size).wrapping_add(base);
                self.write(target, Stored::Medium(i128::from(result)), params);
            }
            Op::MarkToDrop(egress_spec, mcast_grp) => {
                let bytes = &mut self.packet.phv.bytes;
                egress_spec.write_u64(bytes, u64::from(self.externs.drop_port));
                if let Some(mcast_grp) = mcast_grp {
                    mcast_grp.write_u64(bytes, 0);
                }
            }
            Op::Clone(session, list) => {
                let ctx = self.ctx(params);
                self.packet.requests.clone =
                    Some((ctx.low64(*session) as u16, ctx.low64(*list) as u16));
            }
            Op::Resubmit(list) => {
                self.packet.requests.resubmit = self.ctx(params).low64(*list) as u16
            }
            Op::Recirculate(list) => {
                self.packet.requests.recirculate = self.ctx(params).low64(*list) as u16
            }
            Op::Digest(list) => self.packet.requests.digest = self.ctx(params).low64(*list) as u16,
            Op::Truncate(length) => {
                let length = u32::try_from(self.ctx(params).index(*length)).unwrap_or(u32::MAX);
                let requests = &mut self.packet.requests;
                requests.truncate_bytes = requests.truncate_bytes.min(length);
            }
            Op::Log(format, values) => {
                let ctx = self.ctx(params);
                tracing::info!(target: "p4", "{}", Filled { ctx, format, values });
            }
            Op::Unit(unit) => self.unit(unit, params),
            _ => self.headers(op, params),
        }
    }

    /// Primitives on headers, stacks and unions.
    fn headers(&mut self, op: &Op, params: &[u8]) {
        let layout = &self.program.layout;
        match op {
            Op::AddHeader(header) => {
                if let Some(id) = self.header(*header, params) {
                    if !self.packet.phv.is_valid(layout, id) {
                        self.packet.phv.zero_header(layout, id);
                        self.packet.phv.set_valid(layout, id);
                        let bytes = self.packet.phv.header_bytes(layout, id);
                        self.packet.length = self.packet.length.saturating_add(bytes);
                    }
                }
            }
            Op::MarkValid(header) => {
                if let Some(id) = self.header(*header, params) {
                    self.packet.phv.set_valid(layout, id);
                }
            }
            Op::RemoveHeader(header) => {
                if let Some(id) = self.header(*header, params) {
                    if self.packet.phv.is_valid(layout, id) {
                        let bytes = self.packet.phv.header_bytes(layout, id);
                        self.packet.length = self.packet.length.saturating_sub(bytes);
                        self.packet.phv.set_invalid(layout, id);
                    }
                }
            }
            Op::AssignHeader(dst, src) => {
                if let (Some(dst), Some(src)) =
                    (self.header(*dst, params), self.header(*src, params))
                {
                    self.packet.phv.copy_header(layout, src, dst);
                }
            }
            Op::AssignVar(dst, src) => {
                if let (Some(dst), Some(src)) =
                    (self.header(*dst, params), self.header(*src, params))
                {
                    self.packet.phv.copy_var(layout, src, dst);
                }
            }
            Op::AssignUnion(dst, src) => {
                if let (Some(dst), Some(src)) = (self.union(*dst, params), self.union(*src, params))
                {
                    self.packet.phv.copy_union(layout, src, dst);
                }
            }
            Op::AssignStack(dst, src) => {
                let (to, from) = (&layout.stacks[*dst as usize], &layout.stacks[*src as usize]);
                let phv = &mut self.packet.phv;
                phv.next[to.next as usize] = phv.next[from.next as usize];
                for (&dst, &src) in to.headers.iter().zip(&from.headers) {
                    phv.copy_header(layout, src, dst);
                }
            }
            Op::AssignUnionStack(dst, src) => {
                let (to, from) = (
                    &layout.union_stacks[*dst as usize],
                    &layout.union_stacks[*src as usize],
                );
                let phv = &mut self.packet.phv;
                phv.next[to.next as usize] = phv.next[from.next as usize];
                for (&dst, &src) in to.unions.iter().zip(&from.unions) {
                    phv.copy_union(layout, src, dst);
                }
            }
            Op::Push(stack, count) => {
                let count = self.ctx(params).index(*count);
                self.packet
                    .phv
                    .push_front(layout, &layout.stacks[*stack as usize], count);
            }
            Op::Pop(stack, count) => {
                let count = self.ctx(params).index(*count);
                self.packet
                    .phv
                    .pop_front(layout, &layout.stacks[*stack as usize], count);
            }
            Op::PushUnion(stack, count) => {
                let count = self.ctx(params).index(*count);
                self.packet.phv.push_front_union(
                    layout,
                    &layout.union_stacks[*stack as usize],
                    count,
                );
            }
            Op::PopUnion(stack, count) => {
                let count = self.ctx(params).index(*count);
                self.packet.phv.pop_front_union(
                    layout,
                    &layout.union_stacks[*stack as usize],
                    count,
                );
            }
            _ => unreachable!("every primitive is handled in one of the three places"),
        }
    }

    fn header(&self, header: HeaderNode, params: &[u8]) -> Option<HeaderId> {
        self.ctx(params).header(header)
    }

    fn union(&self, union: UnionNode, params: &[u8]) -> Option<u32> {
        self.ctx(params).union(union)
    }

    /// Writes an evaluated number to wherever it belongs.
    pub(super) fn write(&mut self, target: &Target, stored: Stored, params: &[u8]) {
        let loc = match *target {
            Target::Field(loc) => loc,
            Target::HeaderField(header, rel) => match self.header(header, params) {
                Some(id) => rel.rebased(self.program.layout.headers[id as usize].byte),
                None => return stored.discard(&self.externs.scratch),
            },
            Target::Register(register, index) => {
                let index = self.ctx(params).index(index);
                return self.set_cell(register, index, stored);
            }
        };
        let stored = if loc.saturating {
            stored.clamped(loc, &self.externs.scratch)
        } else {
            stored
        };
        stored.write(loc, &mut self.packet.phv.bytes, &self.externs.scratch);
    }

    /// A register cell as a positive number; 0 where there is no such cell.
    fn read_cell(&mut self, register: u32, index: u64) -> Stored {
        match self.externs.registers[register as usize].cell(index) {
            Some(&[limb]) => Stored::Medium(i128::from(limb)),
            Some(cell) => {
                let mut scratch = self.externs.scratch.borrow_mut();
                scratch.extend_from_slice(cell);
                scratch.push(0);
                Stored::Wide(cell.len() + 1)
            }
            None => {
                Faults::count(&self.externs.faults.register_index);
                Stored::Small(0)
            }
        }
    }

    fn set_cell(&mut self, register: u32, index: u64, stored: Stored) {
        let array = &mut self.externs.registers[register as usize];
        let done = match stored {
            Stored::Small(value) => array.set(index, &[value as u64]),
            Stored::Medium(value) => array.set(index, &[value as u64, (value >> 64) as u64]),
            Stored::Wide(limbs) => {
                let mut scratch = self.externs.scratch.borrow_mut();
                let start = scratch.len() - limbs;
                let done = array.set(index, &scratch[start..]);
                scratch.truncate(start);
                done
            }
        };
        if !done {
            Faults::count(&self.externs.faults.register_index);
        }
    }
}

/// A text of `log_msg` with its values: worked out only where somebody reads it.
struct Filled<'a> {
    ctx: Ctx<'a>,
    format: &'a str,
    values: &'a [Value],
}

impl fmt::Display for Filled<'_> {
    /// A brace behind a backslash is text, and the backslash goes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.format;
        let mut values = self.values.iter();
        while let Some(at) = rest.find(['\\', '{']) {
            f.write_str(&rest[..at])?;
            rest = &rest[at..];
            if let Some(brace) = rest.strip_prefix('\\') {
                let text = if brace.starts_with(['{', '}']) {
                    brace
                } else {
                    rest
                };
                f.write_str(&text[..1])?;
                rest = &text[1..];
            } else if let Some(close) = closing_brace(rest) {
                match values.next() {
                    Some(value) => f.write_str(&self.ctx.decimal(*value))?,
                    None => f.write_str("{}")?,
                }
                rest = &rest[close + 1..];
            } else {
                f.write_str("{")?;
                rest = &rest[1..];
            }
        }
        f.write_str(rest)
    }
}

/// The first closing brace without a backslash before it.
fn closing_brace(text: &str) -> Option<usize> {
    let mut braces = text.match_indices('}').map(|(at, _)| at);
    braces.find(|&at| !text[..at].ends_with('\\'))
}

impl Ctx<'_> {
    /// The number where it has at most 64 bits; otherwise anything that is 0 only for 0.
    fn low64_or_any(&self, value: Value) -> u64 {
        match value.tier {
            Tier::W64 => self.low64(value),
            _ => u64::from(self.non_zero(value)),
        }
    }
}
