// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The number of bits that an expression needs.
//!
//! Two passes over the tree give the answer. From the leaves up, `bounds` limits what a node can be; from the root
//! down, `needed` follows how many of its low bits anybody looks at: an addition below `& 0xff` may wrap at 8 bits,
//! one below a comparison may not wrap at all.

use std::cell::Cell;

use crate::model::ids::{CondId, NodeId, Tier, Value};
use crate::model::load_error::{fail, LoadResult};
use crate::program::expr::{Cond, Exprs, Node};

/// Expressions that need more are refused.
const MAX_BITS: u64 = 1 << 17;

/// A number is at least `-(2^bits)` (0 without `negative`) and less than `2^bits`.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub bits: u64,
    pub negative: bool,
}

impl Bounds {
    pub fn unsigned(bits: u32) -> Self {
        Self {
            bits: u64::from(bits),
            negative: false,
        }
    }

    pub fn signed(bits: u32) -> Self {
        Self {
            bits: u64::from(bits.saturating_sub(1)),
            negative: true,
        }
    }

    pub fn of(bits: u32, signed: bool) -> Self {
        if signed {
            Self::signed(bits)
        } else {
            Self::unsigned(bits)
        }
    }

    fn widest(self, other: Self, extra: u64) -> Self {
        Self {
            bits: self.bits.max(other.bits).saturating_add(extra),
            negative: self.negative || other.negative,
        }
    }
}

/// Nodes under construction, with the bounds of each.
#[derive(Default)]
pub struct Builder {
    pub exprs: Exprs,
    bounds: Vec<Bounds>,
    /// Limbs of the widest expression since the last mark (`cost`).
    pub(super) widest: Cell<u16>,
}

impl Builder {
    /// Adds a leaf, whose bounds its kind does not give.
    pub fn leaf(&mut self, node: Node, bounds: Bounds) -> NodeId {
        self.bounds.push(bounds);
        self.exprs.node(node)
    }

    /// Adds an inner node.
    pub fn inner(&mut self, node: Node) -> NodeId {
        let bounds = self.derive(node);
        self.leaf(node, bounds)
    }

    pub fn cond(&mut self, cond: Cond) -> CondId {
        self.exprs.cond(cond)
    }

    pub fn bounds(&self, node: NodeId) -> Bounds {
        self.bounds[node as usize]
    }

    fn derive(&self, node: Node) -> Bounds {
        let of = |id: NodeId| self.bounds[id as usize];
        match node {
            Node::Add(a, b) => of(a).widest(of(b), 1),
            Node::Sub(a, b) => Bounds {
                negative: true,
                ..of(a).widest(of(b), 1)
            },
            Node::Mul(a, b) => {
                let both = of(a).negative && of(b).negative;
                let negative = of(a).negative || of(b).negative;
                Bounds {
                    bits: (of(a).bits.saturating_add(of(b).bits)).saturating_add(u64::from(both)),
                    negative,
                }
            }
            Node::Div(a, b) => of(a).widest(Bounds { bits: 0, ..of(b) }, u64::from(of(a).negative)),
            Node::Rem(a, _) => of(a),
            Node::And(a, b) => match (of(a).negative, of(b).negative) {
                (false, false) => Bounds {
                    bits: of(a).bits.min(of(b).bits),
                    negative: false,
                },
                (false, true) => of(a),
                (true, false) => of(b),
                (true, true) => of(a).widest(of(b), 0),
            },
            Node::Or(a, b) | Node::Xor(a, b) | Node::Select(_, a, b) => of(a).widest(of(b), 0),
            Node::Not(a) => Bounds {
                negative: true,
                ..of(a)
            },
            Node::Shl(a, amount) => Bounds {
                bits: of(a).bits.saturating_add(self.max_amount(amount)),
                ..of(a)
            },
            Node::Shr(a, amount) => {
                let least = self.constant(amount.node).unwrap_or(0);
                Bounds {
                    bits: of(a).bits.saturating_sub(least),
                    ..of(a)
                }
            }
            Node::Wrap(_, bits) | Node::SignedSat(_, bits) => Bounds::signed(bits),
            Node::UnsignedSat(_, bits) => Bounds::unsigned(bits),
            Node::FromBool(_) => Bounds::unsigned(1),
            Node::LastIndex(_) | Node::Count(_) => Bounds::unsigned(32),
            Node::Const(_)
            | Node::BigConst(_)
            | Node::Field(_)
            | Node::Param(_)
            | Node::HeaderField(..)
            | Node::Register(..) => unreachable!("leaves come with their bounds"),
        }
    }

    fn constant(&self, node: NodeId) -> Option<u64> {
        match self.exprs.nodes[node as usize] {
            Node::Const(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    fn max_amount(&self, amount: Value) -> u64 {
        let bits = self.bounds(amount.node).bits.min(40);
        self.constant(amount.node).unwrap_or((1 << bits) - 1)
    }

    /// The bits of two's complement that everything below `node` needs when the low `demand` bits of it (all of
    /// them without) are looked at.
    fn needed(&self, node: NodeId, demand: Option<u64>) -> u64 {
        let exact = self.bounds(node).bits.saturating_add(1);
        let own = demand.map_or(exact, |demand| demand.min(exact));
        let below = match self.exprs.nodes[node as usize] {
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b) => self.needed(a, demand).max(self.needed(b, demand)),
            Node::And(a, b) => {
                let masked = |by: NodeId| match self.bounds(by) {
                    Bounds {
                        bits,
                        negative: false,
                    } => Some(demand.map_or(bits, |demand| demand.min(bits))),
                    _ => demand,
                };
                self.needed(a, masked(b))
                    .max(self.needed(b, masked(a).or(demand)))
            }
            Node::Select(_, a, b) => self.needed(a, demand).max(self.needed(b, demand)),
            Node::Not(a) | Node::Shl(a, _) => self.needed(a, demand),
            Node::Shr(a, amount) => {
                let known = demand.zip(self.constant(amount.node));
                self.needed(
                    a,
                    known.map(|(demand, amount)| demand.saturating_add(amount)),
                )
            }
            Node::Wrap(a, bits) => self.needed(a, Some(u64::from(bits))),
            Node::Div(a, b) | Node::Rem(a, b) => self.needed(a, None).max(self.needed(b, None)),
            Node::UnsignedSat(a, _) | Node::SignedSat(a, _) => self.needed(a, None),
            _ => 0,
        };
        own.max(below)
    }

    fn tier(&self, bits: u64) -> LoadResult<Tier> {
        let tier = match bits {
            0..=64 => Tier::W64,
            65..=128 => Tier::W128,
            129..=MAX_BITS => Tier::Wide(bits.div_ceil(64) as u16),
            _ => {
                return fail(format!(
                    "an expression needs {bits} bits; at most {MAX_BITS} are supported"
                ))
            }
        };
        self.note(tier);
        Ok(tier)
    }

    /// An expression of which only the low `bits` bits are used.
    pub fn low_bits(&self, node: NodeId, bits: u32) -> LoadResult<Value> {
        Ok(Value {
            node,
            tier: self.tier(self.needed(node, Some(u64::from(bits))))?,
        })
    }

    /// An expression whose value counts, in at least `least_bits` bits.
    pub fn exact(&self, node: NodeId, least_bits: u64) -> LoadResult<Value> {
        Ok(Value {
            node,
            tier: self.tier(self.needed(node, None).max(least_bits))?,
        })
    }

    /// The evaluator that compares two numbers.
    pub fn common(&self, a: NodeId, b: NodeId) -> LoadResult<Tier> {
        self.tier(self.needed(a, None).max(self.needed(b, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::loc::Loc;

    fn field(builder: &mut Builder, bits: u32) -> NodeId {
        builder.leaf(
            Node::Field(Loc::unsigned(0, 0, bits)),
            Bounds::unsigned(bits),
        )
    }

    #[test]
    fn a_masked_sum_needs_no_more_than_its_mask() {
        let mut b = Builder::default();
        let (x, y) = (field(&mut b, 64), field(&mut b, 64));
        let sum = b.inner(Node::Add(x, y));
        assert_eq!(b.exact(sum, 0).unwrap().tier, Tier::W128);
        assert_eq!(b.low_bits(sum, 64).unwrap().tier, Tier::W64);
        let mask = b.leaf(Node::Const(0xffff), Bounds::unsigned(16));
        let masked = b.inner(Node::And(sum, mask));
        assert_eq!(b.exact(masked, 0).unwrap().tier, Tier::W64);
    }

    #[test]
    fn a_shifted_number_keeps_the_bits_that_come_down() {
        let mut b = Builder::default();
        let x = field(&mut b, 128);
        let forty = b.leaf(Node::Const(40), Bounds::unsigned(6));
        let forty = b.exact(forty, 0).unwrap();
        let down = b.inner(Node::Shr(x, forty));
        assert_eq!(b.low_bits(down, 16).unwrap().tier, Tier::W64);
        assert_eq!(b.low_bits(down, 32).unwrap().tier, Tier::W128);
        assert_eq!(b.exact(down, 0).unwrap().tier, Tier::Wide(3));
    }

    #[test]
    fn an_unbounded_shift_is_refused_only_where_it_counts() {
        let mut b = Builder::default();
        let (x, far) = (field(&mut b, 8), field(&mut b, 32));
        let far = b.exact(far, 0).unwrap();
        let up = b.inner(Node::Shl(x, far));
        assert_eq!(b.low_bits(up, 8).unwrap().tier, Tier::W64);
        assert!(b.exact(up, 0).is_err());
    }
}
