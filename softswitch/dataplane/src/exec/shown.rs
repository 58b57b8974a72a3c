// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Numbers and operands of a traced packet as text.

use std::fmt::Write;

use super::env::Env;
use super::eval::Ctx;
use crate::externs::faults::Faults;
use crate::model::ids::{CondId, HeaderId, NodeId, Value};
use crate::program::expr::{Cond, HeaderNode, Node};
use crate::program::Program;
use crate::state::loc::Loc;
use crate::trace::message::FieldValue;
use crate::trace::Place;

/// Operands of one expression that are shown, and parts of it that are looked at for them.
const MAX_OPERANDS: usize = 16;
const MAX_PARTS: usize = 256;

/// A big-endian number in hexadecimal, without leading zeros.
pub fn hex(bytes: &[u8]) -> String {
    let start = bytes.iter().position(|&byte| byte != 0);
    let Some(start) = start else {
        return "0x0".to_owned();
    };
    let mut text = format!("{:#x}", bytes[start]);
    for byte in &bytes[start + 1..] {
        write!(text, "{byte:02x}").expect("a string takes all text");
    }
    text
}

/// All digits of bytes, of which there may be none.
pub fn hex_digits(bytes: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes all text");
    }
    text
}

/// The first bytes of big-endian words.
pub fn hex_words(words: &[u64], nbytes: usize) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    hex(&bytes[..nbytes.min(bytes.len())])
}

pub fn name_of(program: &Program, header: HeaderId) -> String {
    program.layout.headers[header as usize].name.clone()
}

/// A part of an expression.
enum Part {
    Node(NodeId),
    Cond(CondId),
}

impl Env<'_> {
    /// The program's own counts of faults do not include those of looking.
    pub(super) fn quiet<'b>(&'b self, params: &'b [u8], faults: &'b Faults) -> Ctx<'b> {
        Ctx {
            faults,
            ..self.ctx(params)
        }
    }

    pub(super) fn register_name(&self, register: u32) -> &str {
        &self.program.info.registers[register as usize].name
    }

    /// A cell as text; `None` where there is no such cell.
    pub(super) fn cell(&self, register: u32, index: u64) -> Option<String> {
        let bytes = self.externs.registers[register as usize].bytes(index)?;
        Some(hex(&bytes))
    }

    /// Fields, parameters and registers in expressions, with their values.
    pub(super) fn operands(
        &self,
        values: &[Value],
        conds: &[CondId],
        params: &[u8],
    ) -> Vec<FieldValue> {
        let mut found: Vec<FieldValue> = Vec::new();
        let mut left: Vec<Part> = values
            .iter()
            .rev()
            .map(|value| Part::Node(value.node))
            .collect();
        left.extend(conds.iter().rev().map(|&cond| Part::Cond(cond)));
        for _ in 0..MAX_PARTS {
            let Some(part) = left.pop() else { break };
            let operand = match part {
                Part::Node(node) => self.operand(node, params, &mut left),
                Part::Cond(cond) => self.conditions(cond, &mut left),
            };
            if let Some(operand) = operand.filter(|operand| !found.contains(operand)) {
                found.push(operand);
                if found.len() == MAX_OPERANDS {
                    break;
                }
            }
        }
        found
    }

    fn operand(&self, node: NodeId, params: &[u8], left: &mut Vec<Part>) -> Option<FieldValue> {
        let faults = Faults::default();
        let field = |loc: Loc| FieldValue {
            name: self.field_name(loc),
            value: self.read_field(loc),
        };
        match self.program.exprs.nodes[node as usize] {
            Node::Field(loc) => return Some(field(loc)),
            Node::Param(loc) => return self.param(loc, params),
            Node::HeaderField(header, rel) => {
                let id = self.quiet(params, &faults).header(header)?;
                let base = self.program.layout.headers[id as usize].byte;
                return Some(field(rel.rebased(base)));
            }
            Node::Register(register, index) => {
                let index = self.quiet(params, &faults).index(index);
                return Some(FieldValue {
                    name: format!("{}[{index}]", self.register_name(register)),
                    value: self.cell(register, index)?,
                });
            }
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b) => left.extend([Part::Node(b), Part::Node(a)]),
            Node::Shl(a, by) | Node::Shr(a, by) => {
                left.extend([Part::Node(by.node), Part::Node(a)]);
            }
            Node::Not(a) | Node::Wrap(a, _) | Node::UnsignedSat(a, _) | Node::SignedSat(a, _) => {
                left.push(Part::Node(a))
            }
            Node::Select(cond, a, b) => {
                left.extend([Part::Node(b), Part::Node(a), Part::Cond(cond)]);
            }
            Node::FromBool(cond) => left.push(Part::Cond(cond)),
            Node::Const(_) | Node::BigConst(_) | Node::LastIndex(_) | Node::Count(_) => (),
        }
        None
    }

    fn conditions(&self, cond: CondId, left: &mut Vec<Part>) -> Option<FieldValue> {
        match self.program.exprs.conds[cond as usize] {
            Cond::Cmp(_, a, b, _) => left.extend([Part::Node(b), Part::Node(a)]),
            Cond::NonZero(value) => left.push(Part::Node(value.node)),
            Cond::And(a, b) | Cond::Or(a, b) | Cond::Same(a, b) => {
                left.extend([Part::Cond(b), Part::Cond(a)]);
            }
            Cond::Not(a) => left.push(Part::Cond(a)),
            Cond::Select(cond, a, b) => {
                left.extend([Part::Cond(b), Part::Cond(a), Part::Cond(cond)]);
            }
            Cond::Valid(header) => return self.validity(header),
            Cond::Const(_)
            | Cond::ValidUnion(_)
            | Cond::SameHeader(..)
            | Cond::SameVar(..)
            | Cond::SameUnion(..) => (),
        }
        None
    }

    fn validity(&self, header: HeaderNode) -> Option<FieldValue> {
        let faults = Faults::default();
        let id = self.quiet(&[], &faults).header(header)?;
        let is_valid = self.packet.phv.is_valid(&self.program.layout, id);
        Some(FieldValue {
            name: format!("{}.isValid()", name_of(self.program, id)),
            value: is_valid.to_string(),
        })
    }

    fn param(&self, loc: Loc, params: &[u8]) -> Option<FieldValue> {
        let Place::Action(action) = self.place() else {
            return None;
        };
        let known = &self.program.actions[action as usize].params;
        let at = known.iter().position(|param| param.byte == loc.byte)?;
        let mut bytes = Vec::new();
        loc.append_bytes(params, &mut bytes);
        Some(FieldValue {
            name: self.program.labels.params[action as usize][at].clone(),
            value: hex(&bytes),
        })
    }
}
