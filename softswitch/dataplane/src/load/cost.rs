// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The highest cost of running parts of a program, in the units of `exec::budget`.

use super::loader::Loader;
use super::width::Builder;
use crate::exec::budget::PASS_WORK;
use crate::model::ids::Tier;
use crate::program::expr::Node;
use crate::program::table::TableDef;
use crate::program::unit::Unit;
use crate::program::{
    CalcInput, ControlNode, KeySource, Op, ParseCase, ParseOp, ParseState, Pipeline,
};

/// Looking a packet up.
const LOOKUP_WORK: u64 = 16;
/// A filter, a meter or another of TNA's units.
const UNIT_WORK: u64 = 8;
/// Writing a line to the log, besides its values.
const LOG_WORK: u64 = 256;
/// Bytes that are copied, and that are hashed, in a unit.
const COPIED_BYTES: u64 = 64;
const HASHED_BYTES: u64 = 8;
const MAX_PAYLOAD_BYTES: u64 = 1 << 16;

/// The place at which the expressions of something begin.
pub struct Mark {
    nodes: usize,
    parts: usize,
}

impl Builder {
    /// From here on [`Self::work_since`] counts.
    pub fn mark(&mut self) -> Mark {
        self.widest.set(0);
        Mark {
            nodes: self.exprs.nodes.len(),
            parts: self.exprs.len(),
        }
    }

    /// The cost of evaluating everything since the last mark, as if all of it were as wide as the widest.
    pub fn work_since(&self, mark: &Mark) -> u64 {
        let parts = (self.exprs.len() - mark.parts) as u64;
        let limbs = u64::from(self.widest.get());
        let quadratic = self.exprs.nodes[mark.nodes..]
            .iter()
            .filter(|node| matches!(node, Node::Mul(..) | Node::Div(..) | Node::Rem(..)))
            .count() as u64;
        parts * (1 + limbs / 4) + quadratic * limbs * limbs / 4
    }

    pub(super) fn note(&self, tier: Tier) {
        if let Tier::Wide(limbs) = tier {
            self.widest.set(self.widest.get().max(limbs));
        }
    }
}

impl Loader<'_> {
    /// The cost of a primitive besides its expressions.
    pub fn work_of(&self, op: &Op) -> u64 {
        let state = self.headers.layout.bytes as u64;
        let elements = self.headers.layout.headers.len() as u64;
        match op {
            Op::AssignVar(..)
            | Op::AssignHeader(..)
            | Op::AssignUnion(..)
            | Op::AddHeader(_)
            | Op::RemoveHeader(_) => 2 + state / COPIED_BYTES,
            Op::AssignStack(..)
            | Op::AssignUnionStack(..)
            | Op::Push(..)
            | Op::Pop(..)
            | Op::PushUnion(..)
            | Op::PopUnion(..) => 2 + state / COPIED_BYTES + 2 * elements,
            Op::Hash(_, _, calculation, _) => 2 + self.work_of_hash(*calculation),
            Op::Unit(Unit::Hash(_, calculation)) => 2 + self.work_of_hash(*calculation),
            Op::Unit(_) => UNIT_WORK,
            Op::Log(_, values) => {
                let limbs = u64::from(self.b.widest.get());
                LOG_WORK + values.len() as u64 * (8 + limbs * limbs)
            }
            _ => 1,
        }
    }

    fn work_of_hash(&self, calculation: u32) -> u64 {
        let calculation = &self.calculations[calculation as usize];
        let bytes = calculation.input.iter().map(|input| match input {
            CalcInput::Field(_, loc) => u64::from(loc.bits) / 8,
            CalcInput::Constant(_, bits) => u64::from(*bits) / 8,
            CalcInput::VarField(_) | CalcInput::Header(_) => self.headers.layout.bytes as u64,
        });
        let payload = if calculation.payload {
            MAX_PAYLOAD_BYTES
        } else {
            0
        };
        let bytes = bytes.fold(payload, u64::saturating_add);
        calculation.input.len() as u64 + bytes / HASHED_BYTES
    }

    /// The cost of a parser's state besides its expressions.
    pub fn work_of_state(&self, state: &ParseState) -> u64 {
        let bytes = self.headers.layout.bytes as u64;
        let ops = state.ops.iter().map(|op| match op {
            ParseOp::Primitive(op) => 1 + self.work_of(op),
            ParseOp::Lookahead(_, _, bits) => 2 + u64::from(*bits) / 8 / HASHED_BYTES,
            ParseOp::Verify(..) | ParseOp::Advance(_) => 1,
            _ => 2 + bytes / COPIED_BYTES,
        });
        let words = (state.key_bytes / 8) as u64;
        let cases = state.cases.iter().map(|case| match case {
            ParseCase::Masked(..) => 1 + words / 4,
            ParseCase::ValueSet(..) => LOOKUP_WORK + words,
        });
        let key = state.key.iter().map(|part| match part.source {
            KeySource::Field(_) => 1 + u64::from(part.bits) / 8 / HASHED_BYTES,
            _ => 4 + u64::from(part.bits) / 8 / HASHED_BYTES,
        });
        1 + ops.chain(cases).chain(key).fold(0, u64::saturating_add)
    }

    /// The highest cost of a packet's way through a pipeline, besides conditions: every node once.
    pub fn work_of_pipeline(&self, pipeline: &Pipeline, tables: &[TableDef]) -> u64 {
        let nodes = pipeline.nodes.iter();
        let works = nodes.map(|node| self.work_of_node(node, tables));
        works.fold(0, u64::saturating_add)
    }

    /// The highest cost of a node, besides a condition.
    pub fn work_of_node(&self, node: &ControlNode, tables: &[TableDef]) -> u64 {
        let of = |action: u32| u64::from(self.actions[action as usize].work);
        match *node {
            ControlNode::Table(table) => {
                let def = &tables[table as usize];
                let actions = def.actions.iter().map(|&action| of(action));
                LOOKUP_WORK + def.key_words as u64 + actions.max().unwrap_or(0)
            }
            ControlNode::Branch(..) => 1,
            ControlNode::Call(action, _) => 1 + of(action),
        }
    }
}

/// Sets the cost of each jump back: all that it may run again; `works` are those of the primitives.
pub fn set_jump_costs(ops: &mut [Op], works: &[u64]) {
    let mut before = vec![0u64];
    for work in works {
        before.push(before[before.len() - 1].saturating_add(*work));
    }
    for (at, op) in ops.iter_mut().enumerate() {
        if let Op::Jump(jump) | Op::JumpIfZero(_, jump) = op {
            let to = jump.to as usize;
            if to <= at {
                jump.work = units(before[at + 1] - before[to]);
            }
        }
    }
}

/// The cost of a whole action, once.
pub fn total(works: &[u64]) -> u32 {
    units(works.iter().copied().fold(0, u64::saturating_add))
}

pub fn units(work: u64) -> u32 {
    u32::try_from(work).unwrap_or(u32::MAX)
}

/// All of `parts`, and what every pass costs.
pub fn pass(parts: impl Iterator<Item = u64>) -> u32 {
    units(parts.fold(PASS_WORK.into(), u64::saturating_add))
}
