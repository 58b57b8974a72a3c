// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Evaluation of compiled expressions.

use std::cell::RefCell;
use std::cmp::Ordering;

use crate::externs::faults::Faults;
use crate::externs::register::RegisterArray;
use crate::model::ids::{CondId, HeaderId, NodeId, Tier, Value};
use crate::program::expr::{CmpOp, Cond, Exprs, HeaderNode, Node, UnionNode};
use crate::state::layout::Layout;
use crate::state::loc::Loc;
use crate::state::phv::Phv;
use crate::state::stored::Stored;
use crate::state::wide;
use crate::state::word::Word;

/// The inputs of an expression.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    pub exprs: &'a Exprs,
    pub layout: &'a Layout,
    pub phv: &'a Phv,
    /// Parameters of the running action.
    pub params: &'a [u8],
    pub registers: &'a [RegisterArray],
    pub faults: &'a Faults,
    /// Stack of limbs of the wide evaluator.
    pub scratch: &'a RefCell<Vec<u64>>,
}

impl Ctx<'_> {
    #[inline]
    pub fn bool(&self, cond: CondId) -> bool {
        match self.exprs.conds[cond as usize] {
            Cond::Const(value) => value,
            Cond::Cmp(op, a, b, tier) => {
                let ordering = match tier {
                    Tier::W64 => self.word::<i64>(a).cmp(&self.word::<i64>(b)),
                    Tier::W128 => self.word::<i128>(a).cmp(&self.word::<i128>(b)),
                    Tier::Wide(limbs) => self.wide_cmp(a, b, usize::from(limbs)),
                };
                match op {
                    CmpOp::Eq => ordering == Ordering::Equal,
                    CmpOp::Lt => ordering == Ordering::Less,
                    CmpOp::Le => ordering != Ordering::Greater,
                    CmpOp::Gt => ordering == Ordering::Greater,
                    CmpOp::Ge => ordering != Ordering::Less,
                }
            }
            Cond::NonZero(value) => self.non_zero(value),
            Cond::And(a, b) => self.bool(a) && self.bool(b),
            Cond::Or(a, b) => self.bool(a) || self.bool(b),
            Cond::Not(a) => !self.bool(a),
            Cond::Same(a, b) => self.bool(a) == self.bool(b),
            Cond::Select(c, a, b) => self.bool(if self.bool(c) { a } else { b }),
            Cond::Valid(header) => self
                .header(header)
                .is_some_and(|id| self.phv.is_valid(self.layout, id)),
            Cond::ValidUnion(union) => self
                .union(union)
                .is_some_and(|id| self.phv.union_member(self.layout, id).is_some()),
            Cond::SameHeader(a, b) => match (self.header(a), self.header(b)) {
                (Some(a), Some(b)) => self.phv.headers_equal(self.layout, a, b),
                _ => false,
            },
            Cond::SameVar(a, b) => self.phv.vars_equal(self.layout, a, b),
            Cond::SameUnion(a, b) => match (self.union(a), self.union(b)) {
                (Some(a), Some(b)) => self.phv.unions_equal(self.layout, a, b),
                _ => false,
            },
        }
    }

    /// The low 64 bits.
    #[inline]
    pub fn low64(&self, value: Value) -> u64 {
        match value.tier {
            Tier::W64 => self.word::<i64>(value.node) as u64,
            Tier::W128 => self.word::<i128>(value.node) as u64,
            Tier::Wide(limbs) => self.wide_then(value.node, limbs, |limbs| limbs[0]),
        }
    }

    /// An index or amount: numbers that are negative or too large become the largest.
    #[inline]
    pub fn index(&self, value: Value) -> u64 {
        match value.tier {
            Tier::W64 => u64::try_from(self.word::<i64>(value.node)).unwrap_or(u64::MAX),
            Tier::W128 => u64::try_from(self.word::<i128>(value.node)).unwrap_or(u64::MAX),
            Tier::Wide(limbs) => self.wide_then(value.node, limbs, |limbs| {
                let small = limbs[1..].iter().all(|&limb| limb == 0);
                if small {
                    limbs[0]
                } else {
                    u64::MAX
                }
            }),
        }
    }

    /// The bits to shift by: none where the number is negative.
    #[inline]
    pub(super) fn amount(&self, value: Value) -> u64 {
        match value.tier {
            Tier::W64 => self.word::<i64>(value.node).max(0) as u64,
            _ => self.index(value),
        }
    }

    pub(super) fn non_zero(&self, value: Value) -> bool {
        match value.tier {
            Tier::W64 => self.word::<i64>(value.node) != 0,
            Tier::W128 => self.word::<i128>(value.node) != 0,
            Tier::Wide(limbs) => self.wide_then(value.node, limbs, |limbs| !wide::is_zero(limbs)),
        }
    }

    /// A number in decimal, for messages.
    pub fn decimal(&self, value: Value) -> String {
        match value.tier {
            Tier::W64 => self.word::<i64>(value.node).to_string(),
            Tier::W128 => self.word::<i128>(value.node).to_string(),
            Tier::Wide(limbs) => self.wide_then(value.node, limbs, |limbs| {
                wide::to_bigint(limbs).to_string()
            }),
        }
    }

    /// Evaluates for a place that cuts what does not fit.
    #[inline]
    pub fn store_number(&self, value: Value) -> Stored {
        match value.tier {
            Tier::W64 => Stored::Small(self.word::<i64>(value.node)),
            Tier::W128 => Stored::Medium(self.word::<i128>(value.node)),
            Tier::Wide(limbs) => {
                self.wide(value.node, usize::from(limbs));
                Stored::Wide(usize::from(limbs))
            }
        }
    }

    /// Evaluates for a field, which may be one that clamps what does not fit.
    #[inline]
    pub fn store(&self, value: Value, loc: Loc) -> Stored {
        let stored = self.store_number(value);
        if loc.saturating {
            stored.clamped(loc, self.scratch)
        } else {
            stored
        }
    }

    pub fn header(&self, header: HeaderNode) -> Option<HeaderId> {
        match header {
            HeaderNode::Fixed(id) => Some(id),
            HeaderNode::StackAt(stack, index) => {
                let headers = &self.layout.stacks[stack as usize].headers;
                self.element(headers, self.index(index))
            }
            HeaderNode::StackLast(stack) => {
                let def = &self.layout.stacks[stack as usize];
                self.element(&def.headers, self.last(def.next))
            }
            HeaderNode::UnionMember(union, member) => {
                let union = self.union(union)?;
                Some(self.layout.unions[union as usize].headers[member as usize])
            }
        }
    }

    pub fn union(&self, union: UnionNode) -> Option<u32> {
        match union {
            UnionNode::Fixed(id) => Some(id),
            UnionNode::StackAt(stack, index) => self.element(
                &self.layout.union_stacks[stack as usize].unions,
                self.index(index),
            ),
            UnionNode::StackLast(stack) => {
                let def = &self.layout.union_stacks[stack as usize];
                self.element(&def.unions, self.last(def.next))
            }
        }
    }

    fn last(&self, next: u32) -> u64 {
        u64::from(self.phv.next[next as usize]).wrapping_sub(1)
    }

    fn element(&self, elements: &[u32], index: u64) -> Option<u32> {
        let element = usize::try_from(index)
            .ok()
            .and_then(|index| elements.get(index))
            .copied();
        if element.is_none() {
            Faults::count(&self.faults.stack_index);
        }
        element
    }

    pub(super) fn cell(&self, register: u32, index: Value) -> Option<&[u64]> {
        let cell = self.registers[register as usize].cell(self.index(index));
        if cell.is_none() {
            Faults::count(&self.faults.register_index);
        }
        cell
    }

    pub(super) fn word<W: Word>(&self, node: NodeId) -> W {
        match self.exprs.nodes[node as usize] {
            Node::Const(value) => W::from_i64(value),
            Node::BigConst(index) => W::from_limbs(&self.exprs.constants[index as usize]),
            Node::Field(loc) => W::read(loc, &self.phv.bytes),
            Node::Param(loc) => W::read(loc, self.params),
            Node::HeaderField(header, loc) => self.header(header).map_or(W::ZERO, |id| {
                W::read(
                    loc.rebased(self.layout.headers[id as usize].byte),
                    &self.phv.bytes,
                )
            }),
            Node::Register(register, index) => {
                self.cell(register, index).map_or(W::ZERO, W::from_cell)
            }
            Node::Add(a, b) => self.word::<W>(a).add(self.word(b)),
            Node::Sub(a, b) => self.word::<W>(a).sub(self.word(b)),
            Node::Mul(a, b) => self.word::<W>(a).mul(self.word(b)),
            Node::Div(a, b) => self.nonzero(self.word::<W>(a).div(self.word(b))),
            Node::Rem(a, b) => self.nonzero(self.word::<W>(a).rem(self.word(b))),
            Node::And(a, b) => self.word::<W>(a).and(self.word(b)),
            Node::Or(a, b) => self.word::<W>(a).or(self.word(b)),
            Node::Xor(a, b) => self.word::<W>(a).xor(self.word(b)),
            Node::Not(a) => self.word::<W>(a).not(),
            Node::Shl(a, amount) => self.word::<W>(a).shl(self.amount(amount)),
            Node::Shr(a, amount) => self.word::<W>(a).shr(self.amount(amount)),
            Node::Wrap(a, bits) => self.word::<W>(a).wrap(bits),
            Node::UnsignedSat(a, bits) => self.word::<W>(a).unsigned_sat(bits),
            Node::SignedSat(a, bits) => self.word::<W>(a).signed_sat(bits),
            Node::Select(cond, a, b) => self.word(if self.bool(cond) { a } else { b }),
            Node::FromBool(cond) => W::from_i64(i64::from(self.bool(cond))),
            Node::LastIndex(stack) => {
                let def = &self.layout.stacks[stack as usize];
                W::from_i64(i64::from(self.last(def.next) as u32))
            }
            Node::Count(stack) => {
                let def = &self.layout.stacks[stack as usize];
                W::from_i64(i64::from(self.phv.next[def.next as usize]))
            }
        }
    }

    fn nonzero<W: Word>(&self, quotient: Option<W>) -> W {
        quotient.unwrap_or_else(|| {
            Faults::count(&self.faults.division_by_zero);
            W::ZERO
        })
    }
}
