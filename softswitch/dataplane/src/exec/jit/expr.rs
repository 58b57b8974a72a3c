// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions and conditions of 64 and 128 bits, operation by operation as `state::word` defines them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I128, I64, I8};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Type, Value as Ssa};

use super::buffer::flags;
use super::emit::Emitter;
use crate::model::ids::{CondId, HeaderId, NodeId, Tier, Value};
use crate::program::expr::{CmpOp, Cond, HeaderNode, Node};
use crate::state::loc::Loc;
use crate::state::word::Word;

/// The type that a tier is computed in; wide numbers are the interpreter's.
fn word(tier: Tier) -> Option<Type> {
    match tier {
        Tier::W64 => Some(I64),
        Tier::W128 => Some(I128),
        Tier::Wide(_) => None,
    }
}

impl Emitter<'_, '_> {
    /// Whether code can be made for an expression. All that it covers has no effect besides its value.
    pub fn covers(&self, value: Value) -> bool {
        word(value.tier).is_some() && self.covers_node(value.node)
    }

    fn covers_node(&self, node: NodeId) -> bool {
        let both = |a, b| self.covers_node(a) && self.covers_node(b);
        match self.program.exprs.nodes[node as usize] {
            Node::Const(_) | Node::BigConst(_) | Node::Field(_) | Node::Param(_) => true,
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b) => both(a, b),
            Node::Not(a) | Node::Wrap(a, _) | Node::UnsignedSat(a, _) | Node::SignedSat(a, _) => {
                self.covers_node(a)
            }
            Node::Shl(a, amount) | Node::Shr(a, amount) => {
                amount.tier == Tier::W64 && self.covers_node(a) && self.covers_node(amount.node)
            }
            Node::Select(cond, a, b) => self.covers_cond(cond) && both(a, b),
            Node::FromBool(cond) => self.covers_cond(cond),
            // They count a fault, or need state that the code does not have.
            Node::Div(..)
            | Node::Rem(..)
            | Node::HeaderField(..)
            | Node::Register(..)
            | Node::LastIndex(_)
            | Node::Count(_) => false,
        }
    }

    pub fn covers_cond(&self, cond: CondId) -> bool {
        match self.program.exprs.conds[cond as usize] {
            Cond::Const(_) | Cond::Valid(HeaderNode::Fixed(_)) => true,
            Cond::Cmp(_, a, b, tier) => {
                word(tier).is_some() && self.covers_node(a) && self.covers_node(b)
            }
            Cond::NonZero(value) => self.covers(value),
            Cond::And(a, b) | Cond::Or(a, b) | Cond::Same(a, b) => {
                self.covers_cond(a) && self.covers_cond(b)
            }
            Cond::Not(a) => self.covers_cond(a),
            Cond::Select(c, a, b) => {
                self.covers_cond(c) && self.covers_cond(a) && self.covers_cond(b)
            }
            _ => false,
        }
    }

    /// A covered expression, in 64 or 128 bits as its tier says.
    pub fn value(&mut self, value: Value) -> Ssa {
        let word = word(value.tier).expect("the expression is covered");
        self.node(value.node, word)
    }

    /// The low 64 bits of a covered expression.
    pub fn low64(&mut self, value: Value) -> Ssa {
        let full = self.value(value);
        match value.tier {
            Tier::W64 => full,
            _ => self.b.ins().ireduce(I64, full),
        }
    }

    fn constant(&mut self, value: i128, word: Type) -> Ssa {
        let low = self.b.ins().iconst(I64, value as i64);
        if word == I64 {
            return low;
        }
        let high = self.b.ins().iconst(I64, (value >> 64) as i64);
        self.b.ins().iconcat(low, high)
    }

    fn node(&mut self, node: NodeId, word: Type) -> Ssa {
        let bits = word.bits();
        let (phv, params) = (self.phv, self.params);
        macro_rules! both {
            ($a:expr, $b:expr, $op:ident) => {{
                let (a, b) = (self.node($a, word), self.node($b, word));
                self.b.ins().$op(a, b)
            }};
        }
        match self.program.exprs.nodes[node as usize] {
            Node::Const(value) => self.constant(i128::from(value), word),
            Node::BigConst(index) => {
                let value = i128::from_limbs(&self.program.exprs.constants[index as usize]);
                self.constant(value, word)
            }
            Node::Field(loc) if word == I64 => self.read_i64(phv, loc),
            Node::Field(loc) => self.read_i128(phv, loc),
            Node::Param(loc) => {
                let params = params.expect("only actions have parameters");
                match word {
                    I64 => self.read_i64(params, loc),
                    _ => self.read_i128(params, loc),
                }
            }
            Node::Add(a, b) => both!(a, b, iadd),
            Node::Sub(a, b) => both!(a, b, isub),
            Node::Mul(a, b) => both!(a, b, imul),
            Node::And(a, b) => both!(a, b, band),
            Node::Or(a, b) => both!(a, b, bor),
            Node::Xor(a, b) => both!(a, b, bxor),
            Node::Not(a) => {
                let a = self.node(a, word);
                self.b.ins().bnot(a)
            }
            Node::Shl(a, amount) => {
                let a = self.node(a, word);
                self.shift(a, amount, word, true)
            }
            Node::Shr(a, amount) => {
                let a = self.node(a, word);
                self.shift(a, amount, word, false)
            }
            Node::Wrap(a, width) => {
                let a = self.node(a, word);
                self.wrap(a, width, word)
            }
            Node::UnsignedSat(a, width) => {
                let a = self.node(a, word);
                self.clamp(a, 0, i128::max_of_word(width, bits), word)
            }
            Node::SignedSat(a, width) => {
                let a = self.node(a, word);
                let max = i128::max_of_word(width.saturating_sub(1), bits);
                self.clamp(a, !max, max, word)
            }
            Node::Select(cond, a, b) => {
                let cond = self.cond(cond);
                let (a, b) = (self.node(a, word), self.node(b, word));
                self.pick(cond, a, b, word)
            }
            Node::FromBool(cond) => {
                let cond = self.cond(cond);
                self.b.ins().uextend(word, cond)
            }
            _ => unreachable!("covered expressions have no such nodes"),
        }
    }

    /// By nothing where the amount is negative; beyond the width all bits are gone, or the sign is left.
    fn shift(&mut self, a: Ssa, amount: Value, word: Type, left: bool) -> Ssa {
        let bits = i64::from(word.bits());
        if let Node::Const(amount) = self.program.exprs.nodes[amount.node as usize] {
            return match (left, amount.max(0)) {
                (true, amount) if amount >= bits => self.constant(0, word),
                (true, amount) => self.b.ins().ishl_imm(a, amount),
                (false, amount) => self.b.ins().sshr_imm(a, amount.min(bits - 1)),
            };
        }
        let amount = self.node(amount.node, I64);
        let zero = self.b.ins().iconst(I64, 0);
        let amount = self.b.ins().smax(amount, zero);
        let last = self.b.ins().iconst(I64, bits - 1);
        let capped = self.b.ins().smin(amount, last);
        if !left {
            return self.b.ins().sshr(a, capped);
        }
        let shifted = self.b.ins().ishl(a, capped);
        let gone = self.b.ins().icmp(IntCC::SignedGreaterThan, amount, last);
        let nothing = self.constant(0, word);
        self.pick(gone, nothing, shifted, word)
    }

    fn wrap(&mut self, a: Ssa, width: u32, word: Type) -> Ssa {
        let bits = word.bits();
        match width {
            0 => self.constant(0, word),
            width if width >= bits => a,
            width => {
                let spare = i64::from(bits - width);
                let up = self.b.ins().ishl_imm(a, spare);
                self.b.ins().sshr_imm(up, spare)
            }
        }
    }

    fn clamp(&mut self, a: Ssa, min: i128, max: i128, word: Type) -> Ssa {
        let (min, max) = (self.constant(min, word), self.constant(max, word));
        let low = self.b.ins().icmp(IntCC::SignedLessThan, a, min);
        let a = self.pick(low, min, a, word);
        let high = self.b.ins().icmp(IntCC::SignedGreaterThan, a, max);
        self.pick(high, max, a, word)
    }

    /// Cranelift makes `smin` and its like of a comparison and a choice between what was compared. No machine has them
    /// for 128 bits, so these are chosen by halves.
    fn pick(&mut self, cond: Ssa, yes: Ssa, no: Ssa, word: Type) -> Ssa {
        if word != I128 {
            return self.b.ins().select(cond, yes, no);
        }
        let ((yes_low, yes_high), (no_low, no_high)) =
            (self.b.ins().isplit(yes), self.b.ins().isplit(no));
        let low = self.b.ins().select(cond, yes_low, no_low);
        let high = self.b.ins().select(cond, yes_high, no_high);
        self.b.ins().iconcat(low, high)
    }

    /// A number on its way to a field that clamps.
    pub fn clamp_to(&mut self, a: Ssa, loc: Loc) -> Ssa {
        let word = self.b.func.dfg.value_type(a);
        if loc.signed {
            let max = i128::max_of_word(loc.bits.saturating_sub(1), word.bits());
            self.clamp(a, !max, max, word)
        } else {
            self.clamp(a, 0, i128::max_of_word(loc.bits, word.bits()), word)
        }
    }

    pub fn is_valid(&mut self, header: HeaderId) -> Ssa {
        let def = &self.program.layout.headers[header as usize];
        if def.metadata {
            return self.b.ins().iconst(I8, 1);
        }
        let at = def.valid.byte as i32;
        let start = self.phv.start;
        self.b.ins().load(I8, flags(AliasRegion::Heap), start, at)
    }

    /// A covered condition: 0 or 1.
    pub fn cond(&mut self, cond: CondId) -> Ssa {
        match self.program.exprs.conds[cond as usize] {
            Cond::Const(value) => self.b.ins().iconst(I8, i64::from(value)),
            Cond::Cmp(op, a, b, tier) => {
                let word = word(tier).expect("the condition is covered");
                let (a, b) = (self.node(a, word), self.node(b, word));
                let code = match op {
                    CmpOp::Eq => IntCC::Equal,
                    CmpOp::Lt => IntCC::SignedLessThan,
                    CmpOp::Le => IntCC::SignedLessThanOrEqual,
                    CmpOp::Gt => IntCC::SignedGreaterThan,
                    CmpOp::Ge => IntCC::SignedGreaterThanOrEqual,
                };
                self.b.ins().icmp(code, a, b)
            }
            Cond::NonZero(value) => {
                let word = word(value.tier).expect("the condition is covered");
                let value = self.value(value);
                let zero = self.constant(0, word);
                self.b.ins().icmp(IntCC::NotEqual, value, zero)
            }
            Cond::And(a, b) => {
                let (a, b) = (self.cond(a), self.cond(b));
                self.b.ins().band(a, b)
            }
            Cond::Or(a, b) => {
                let (a, b) = (self.cond(a), self.cond(b));
                self.b.ins().bor(a, b)
            }
            Cond::Not(a) => {
                let a = self.cond(a);
                self.b.ins().bxor_imm(a, 1)
            }
            Cond::Same(a, b) => {
                let (a, b) = (self.cond(a), self.cond(b));
                self.b.ins().icmp(IntCC::Equal, a, b)
            }
            Cond::Select(c, a, b) => {
                let (c, a, b) = (self.cond(c), self.cond(a), self.cond(b));
                self.b.ins().select(c, a, b)
            }
            Cond::Valid(HeaderNode::Fixed(header)) => self.is_valid(header),
            _ => unreachable!("covered conditions have no such parts"),
        }
    }

    /// Goes one of two ways; `&&` and `||` look at their right side only where it counts.
    pub fn branch(&mut self, cond: CondId, yes: Block, no: Block) {
        match self.program.exprs.conds[cond as usize] {
            Cond::And(a, b) if self.covers_cond(cond) => {
                let both = self.b.create_block();
                self.branch(a, both, no);
                self.b.switch_to_block(both);
                self.branch(b, yes, no);
            }
            Cond::Or(a, b) if self.covers_cond(cond) => {
                let neither = self.b.create_block();
                self.branch(a, yes, neither);
                self.b.switch_to_block(neither);
                self.branch(b, yes, no);
            }
            Cond::Not(a) if self.covers_cond(cond) => self.branch(a, no, yes),
            _ => {
                let decided = if self.covers_cond(cond) {
                    self.cond(cond)
                } else {
                    self.interpreted_condition(cond)
                };
                self.b.ins().brif(decided, yes, &[], no, &[]);
            }
        }
    }
}

/// `Word::max_of` for a word of any width.
trait MaxOf {
    fn max_of_word(width: u32, word_bits: u32) -> Self;
}

impl MaxOf for i128 {
    fn max_of_word(width: u32, word_bits: u32) -> Self {
        match word_bits {
            64 => i128::from(<i64 as Word>::max_of(width)),
            _ => <i128 as Word>::max_of(width),
        }
    }
}
