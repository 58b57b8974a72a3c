// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The evaluator for numbers of more than 128 bits: a stack of limbs, reused from packet to packet.

use std::cmp::Ordering;

use super::eval::Ctx;
use crate::externs::faults::Faults;
use crate::model::ids::NodeId;
use crate::program::expr::Node;
use crate::state::wide;

impl Ctx<'_> {
    /// Evaluates and looks at the limbs.
    pub(super) fn wide_then<R>(
        &self,
        node: NodeId,
        limbs: u16,
        look: impl FnOnce(&[u64]) -> R,
    ) -> R {
        let limbs = usize::from(limbs);
        self.wide(node, limbs);
        self.pop(limbs, look)
    }

    pub(super) fn wide_cmp(&self, a: NodeId, b: NodeId, limbs: usize) -> Ordering {
        self.wide(a, limbs);
        self.wide(b, limbs);
        self.pop(2 * limbs, |both| wide::cmp(&both[..limbs], &both[limbs..]))
    }

    /// Clamps the number on the top of the stack.
    pub(super) fn wide_saturate(&self, limbs: usize, bits: u32, signed: bool) {
        self.push(limbs, |_| ());
        self.combine(limbs, |a, spare| wide::saturate(a, spare, bits, signed));
    }

    /// Pushes the value of `node`, in two's complement of `limbs` limbs.
    pub(super) fn wide(&self, node: NodeId, limbs: usize) {
        match self.exprs.nodes[node as usize] {
            Node::Const(value) => self.push(limbs, |out| {
                out.fill(if value < 0 { u64::MAX } else { 0 });
                out[0] = value as u64;
            }),
            Node::BigConst(index) => self.push(limbs, |out| {
                let constant = &self.exprs.constants[index as usize];
                let fill = if wide::is_negative(constant) {
                    u64::MAX
                } else {
                    0
                };
                for (i, limb) in out.iter_mut().enumerate() {
                    *limb = constant.get(i).copied().unwrap_or(fill);
                }
            }),
            Node::Field(loc) => self.push(limbs, |out| loc.read_limbs(&self.phv.bytes, out)),
            Node::Param(loc) => self.push(limbs, |out| loc.read_limbs(self.params, out)),
            Node::HeaderField(header, loc) => {
                let header = self.header(header);
                self.push(limbs, |out| {
                    if let Some(id) = header {
                        let base = self.layout.headers[id as usize].byte;
                        loc.rebased(base).read_limbs(&self.phv.bytes, out);
                    }
                });
            }
            Node::Register(register, index) => {
                let cell = self.cell(register, index);
                self.push(limbs, |out| {
                    for (slot, &limb) in out.iter_mut().zip(cell.unwrap_or_default()) {
                        *slot = limb;
                    }
                });
            }
            Node::Add(a, b) => self.binary(a, b, limbs, |a, b| wide::add(a, b)),
            Node::Sub(a, b) => self.binary(a, b, limbs, |a, b| wide::sub(a, b)),
            Node::Mul(a, b) => {
                self.wide(a, limbs);
                self.wide(b, limbs);
                self.push(limbs, |_| ());
                let mut scratch = self.scratch.borrow_mut();
                let start = scratch.len() - 3 * limbs;
                let (inputs, product) = scratch[start..].split_at_mut(2 * limbs);
                wide::mul(&inputs[..limbs], &inputs[limbs..], product);
                scratch.copy_within(start + 2 * limbs.., start);
                scratch.truncate(start + limbs);
            }
            Node::Div(a, b) => self.divide(a, b, limbs, false),
            Node::Rem(a, b) => self.divide(a, b, limbs, true),
            Node::And(a, b) => self.binary(a, b, limbs, |a, b| {
                a.iter_mut().zip(b).for_each(|(x, y)| *x &= *y)
            }),
            Node::Or(a, b) => self.binary(a, b, limbs, |a, b| {
                a.iter_mut().zip(b).for_each(|(x, y)| *x |= *y)
            }),
            Node::Xor(a, b) => self.binary(a, b, limbs, |a, b| {
                a.iter_mut().zip(b).for_each(|(x, y)| *x ^= *y)
            }),
            Node::Not(a) => self.unary(a, limbs, wide::not),
            Node::Shl(a, amount) => {
                let amount = self.amount(amount);
                self.unary(a, limbs, |a| wide::shl(a, amount));
            }
            Node::Shr(a, amount) => {
                let amount = self.amount(amount);
                self.unary(a, limbs, |a| wide::shr(a, amount));
            }
            Node::Wrap(a, bits) => self.unary(a, limbs, |a| wide::sign_extend(a, bits)),
            Node::UnsignedSat(a, bits) => {
                self.wide(a, limbs);
                self.wide_saturate(limbs, bits, false);
            }
            Node::SignedSat(a, bits) => {
                self.wide(a, limbs);
                self.wide_saturate(limbs, bits, true);
            }
            Node::Select(cond, a, b) => self.wide(if self.bool(cond) { a } else { b }, limbs),
            Node::FromBool(_) | Node::LastIndex(_) | Node::Count(_) => {
                let value = self.word::<i64>(node) as u64;
                self.push(limbs, |out| out[0] = value);
            }
        }
    }

    fn push(&self, limbs: usize, fill: impl FnOnce(&mut [u64])) {
        let mut scratch = self.scratch.borrow_mut();
        let start = scratch.len();
        scratch.resize(start + limbs, 0);
        fill(&mut scratch[start..]);
    }

    fn pop<R>(&self, limbs: usize, look: impl FnOnce(&[u64]) -> R) -> R {
        let mut scratch = self.scratch.borrow_mut();
        let start = scratch.len() - limbs;
        let result = look(&scratch[start..]);
        scratch.truncate(start);
        result
    }

    /// Replaces the two numbers on the top of the stack by the first, changed by `apply`.
    fn combine(&self, limbs: usize, apply: impl FnOnce(&mut [u64], &mut [u64])) {
        let mut scratch = self.scratch.borrow_mut();
        let start = scratch.len() - 2 * limbs;
        let (a, b) = scratch[start..].split_at_mut(limbs);
        apply(a, b);
        scratch.truncate(start + limbs);
    }

    fn unary(&self, a: NodeId, limbs: usize, apply: impl FnOnce(&mut [u64])) {
        self.wide(a, limbs);
        let mut scratch = self.scratch.borrow_mut();
        let start = scratch.len() - limbs;
        apply(&mut scratch[start..]);
    }

    fn binary(
        &self,
        a: NodeId,
        b: NodeId,
        limbs: usize,
        apply: impl FnOnce(&mut [u64], &mut [u64]),
    ) {
        self.wide(a, limbs);
        self.wide(b, limbs);
        self.combine(limbs, apply);
    }

    fn divide(&self, a: NodeId, b: NodeId, limbs: usize, want_remainder: bool) {
        self.binary(a, b, limbs, |a, b| {
            if wide::is_zero(b) {
                Faults::count(&self.faults.division_by_zero);
            }
            wide::div_rem(a, b, want_remainder);
        });
    }
}
