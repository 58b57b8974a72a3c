// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The proof that a program stays inside its buffers.
//!
//! Machine code reads and writes without checks. So before any is made, every location that a program has is shown to
//! lie inside the buffer that it is used with, with room behind it for whole words, and every index to be one of what
//! it leads to. The loader makes no program that fails; this does not rely on how the loader works.

mod blocks;
#[cfg(test)]
pub mod damage;
#[cfg(test)]
mod tests;
mod units;

use crate::externs::Externs;
use crate::model::ids::{CondId, HeaderId, NodeId, Value, END};
use crate::program::expr::{Cond, HeaderNode, Node, UnionNode};
use crate::program::{
    CalcInput, Calculation, ChecksumKind, ControlNode, CopiedField, DigestField, KeySource, Op,
    ParseCase, ParseOp, Pipeline, Program, Target,
};
use crate::state::layout::HeaderDef;
use crate::state::loc::{Loc, PAD_BYTES};
use crate::state::slot::Slot;

/// A fault of a program.
pub type Proof<T = ()> = Result<T, String>;

struct Prover<'a> {
    program: &'a Program,
    externs: &'a Externs,
    /// Bytes of the running action's parameters, padding not included.
    params_bytes: u64,
}

fn inside(loc: Loc, bytes: u64, of: &str) -> Proof {
    let end = u64::from(loc.byte) * 8 + u64::from(loc.bit) + u64::from(loc.bits);
    if loc.bit > 7 || end > bytes * 8 {
        return Err(format!("{loc:?} is not in the {bytes} bytes of {of}"));
    }
    Ok(())
}

fn known(index: u32, count: usize, what: &str) -> Proof {
    if index as usize >= count {
        return Err(format!("there is no {what} {index}, but {count} of them"));
    }
    Ok(())
}

/// Blocks are found by their own numbers.
fn numbered(number: u32, place: usize) -> Proof {
    match number as usize == place {
        true => Ok(()),
        false => Err(format!("block {place} has the number {number}")),
    }
}

/// Checks all of a program against the sizes of its state. `slots` are those that the switch itself reads and writes.
pub fn prove(program: &Program, externs: &Externs, slots: impl Iterator<Item = Slot>) -> Proof {
    let mut prover = Prover {
        program,
        externs,
        params_bytes: 0,
    };
    prover.layout()?;
    for action in &program.actions {
        let data_bytes = action.data_bytes as u64;
        let pad = PAD_BYTES as u64;
        let params_bytes = data_bytes
            .checked_sub(pad)
            .ok_or_else(|| format!("action '{}' has no padding", action.name))?;
        prover.params_bytes = params_bytes;
        for &param in &action.params {
            inside(param, params_bytes, "an action's parameters")?;
        }
        prover.ops(&action.ops)?;
    }
    prover.params_bytes = 0;
    prover.parsers()?;
    for (number, deparser) in program.deparsers.iter().enumerate() {
        numbered(deparser.number, number)?;
        prover.ops(&deparser.ops)?;
        prover.all_headers(&deparser.order)?;
    }
    for (number, pipeline) in program.pipelines.iter().enumerate() {
        numbered(pipeline.number, number)?;
        prover.pipeline(pipeline)?;
    }
    prover.tables()?;
    prover.lists()?;
    prover.slots(slots)
}

impl Prover<'_> {
    fn header(&self, header: HeaderId) -> Proof<&HeaderDef> {
        let headers = &self.program.layout.headers;
        known(header, headers.len(), "header")?;
        Ok(&headers[header as usize])
    }

    fn all_headers(&self, headers: &[HeaderId]) -> Proof {
        headers.iter().try_for_each(|&id| self.header(id).map(drop))
    }

    /// Headers, their fields and their validity lie inside the packet state, and everything is of its type.
    fn layout(&self) -> Proof {
        let layout = &self.program.layout;
        if layout.fixed_bytes + PAD_BYTES > layout.bytes {
            return Err("the packet state has no padding".to_owned());
        }
        let filled = (layout.bytes - PAD_BYTES) as u64;
        let fixed = layout.fixed_bytes as u64;
        if layout.metadata.end > layout.fixed_bytes {
            return Err("metadata lies behind the fields".to_owned());
        }
        for def in &layout.headers {
            known(def.kind, layout.types.len(), "header type")?;
            let kind = &layout.types[def.kind as usize];
            inside(def.valid, fixed, "the fields")?;
            let (start, size) = (u64::from(def.byte), u64::from(def.fixed_bytes));
            if start + size > fixed {
                return Err(format!("header '{}' ends behind the fields", def.name));
            }
            let too_short = !def.metadata && u64::from(kind.fixed_bits) > size * 8;
            if too_short || def.fields.len() != kind.fields.len() {
                return Err(format!("header '{}' is not of its type", def.name));
            }
            for (&field, of) in def.fields.iter().zip(&kind.fields) {
                inside(field, fixed, "the fields")?;
                inside(of.rel, u64::from(kind.fixed_bits).div_ceil(8), "its type")?;
            }
            if let Some(var) = def.var {
                known(var.slot, layout.var_slots, "length")?;
                if u64::from(var.byte) + u64::from(var.max_bytes) > filled
                    || u64::from(var.before_bits) > size * 8
                {
                    return Err(format!("the variable part of '{}' is outside", def.name));
                }
            }
            if let Some(length) = def.var_length {
                self.value(length)?;
            }
            if let Some(union) = def.union {
                known(union, layout.unions.len(), "union")?;
            }
        }
        for &slot in &layout.metadata_var_slots {
            known(slot, layout.var_slots, "length")?;
        }
        for stack in &layout.stacks {
            known(stack.next, layout.stack_slots, "stack")?;
            for &header in &stack.headers {
                self.member(header, stack.kind)?;
            }
        }
        for union in &layout.unions {
            known(union.kind, layout.union_types.len(), "union type")?;
            let members = &layout.union_types[union.kind as usize].members;
            if members.len() != union.headers.len() {
                return Err("a union has not the members of its type".to_owned());
            }
            for (&header, (_, kind)) in union.headers.iter().zip(members) {
                self.member(header, *kind)?;
            }
        }
        for stack in &layout.union_stacks {
            known(stack.next, layout.stack_slots, "stack")?;
            for &union in &stack.unions {
                known(union, layout.unions.len(), "union")?;
                if layout.unions[union as usize].kind != stack.kind {
                    return Err("a stack has unions of several types".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Part of a stack or of a union: what holds for the type then holds for the header.
    fn member(&self, header: HeaderId, kind: u32) -> Proof {
        let def = self.header(header)?;
        if def.kind != kind || def.metadata {
            return Err(format!("header '{}' is not of its stack's type", def.name));
        }
        Ok(())
    }

    /// A field in the packet state.
    fn field(&self, loc: Loc) -> Proof {
        inside(loc, self.program.layout.fixed_bytes as u64, "the fields")
    }

    /// A field of a header that is known at run time.
    fn header_field(&self, header: HeaderNode, rel: Loc) -> Proof {
        let layout = &self.program.layout;
        let kind = self.header_node(header)?;
        let bits = layout.types[kind as usize].fixed_bits;
        inside(rel, u64::from(bits).div_ceil(8), "a header")
    }

    /// Gives the header's type.
    fn header_node(&self, header: HeaderNode) -> Proof<u32> {
        let layout = &self.program.layout;
        match header {
            HeaderNode::Fixed(id) => Ok(self.header(id)?.kind),
            HeaderNode::StackAt(stack, index) => {
                self.value(index)?;
                known(stack, layout.stacks.len(), "stack")?;
                Ok(layout.stacks[stack as usize].kind)
            }
            HeaderNode::StackLast(stack) => {
                known(stack, layout.stacks.len(), "stack")?;
                Ok(layout.stacks[stack as usize].kind)
            }
            HeaderNode::UnionMember(union, member) => {
                let kind = self.union_node(union)?;
                let members = &layout.union_types[kind as usize].members;
                known(member, members.len(), "member")?;
                Ok(members[member as usize].1)
            }
        }
    }

    /// Gives the union's type.
    fn union_node(&self, union: UnionNode) -> Proof<u32> {
        let layout = &self.program.layout;
        match union {
            UnionNode::Fixed(id) => {
                known(id, layout.unions.len(), "union")?;
                Ok(layout.unions[id as usize].kind)
            }
            UnionNode::StackAt(stack, index) => {
                self.value(index)?;
                known(stack, layout.union_stacks.len(), "union stack")?;
                Ok(layout.union_stacks[stack as usize].kind)
            }
            UnionNode::StackLast(stack) => {
                known(stack, layout.union_stacks.len(), "union stack")?;
                Ok(layout.union_stacks[stack as usize].kind)
            }
        }
    }

    fn register(&self, register: u32) -> Proof {
        known(register, self.externs.registers.len(), "register")
    }

    fn value(&self, value: Value) -> Proof {
        self.node(value.node)
    }

    fn nodes(&self, nodes: &[NodeId]) -> Proof {
        nodes.iter().try_for_each(|&node| self.node(node))
    }

    fn node(&self, node: NodeId) -> Proof {
        let exprs = &self.program.exprs;
        known(node, exprs.nodes.len(), "number")?;
        match exprs.nodes[node as usize] {
            Node::Const(_) => Ok(()),
            Node::BigConst(index) => known(index, exprs.constants.len(), "constant"),
            Node::Field(loc) => self.field(loc),
            Node::Param(loc) => inside(loc, self.params_bytes, "the action's parameters"),
            Node::HeaderField(header, rel) => self.header_field(header, rel),
            Node::Register(register, index) => {
                self.register(register)?;
                self.value(index)
            }
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b) => self.nodes(&[a, b]),
            Node::Not(a) | Node::Wrap(a, _) | Node::UnsignedSat(a, _) | Node::SignedSat(a, _) => {
                self.node(a)
            }
            Node::Shl(a, amount) | Node::Shr(a, amount) => self.nodes(&[a, amount.node]),
            Node::Select(cond, a, b) => {
                self.cond(cond)?;
                self.nodes(&[a, b])
            }
            Node::FromBool(cond) => self.cond(cond),
            Node::LastIndex(stack) | Node::Count(stack) => {
                known(stack, self.program.layout.stacks.len(), "stack")
            }
        }
    }

    fn conds(&self, conds: &[CondId]) -> Proof {
        conds.iter().try_for_each(|&cond| self.cond(cond))
    }

    fn cond(&self, cond: CondId) -> Proof {
        let conds = &self.program.exprs.conds;
        known(cond, conds.len(), "condition")?;
        match conds[cond as usize] {
            Cond::Const(_) => Ok(()),
            Cond::Cmp(_, a, b, _) => self.nodes(&[a, b]),
            Cond::NonZero(value) => self.value(value),
            Cond::And(a, b) | Cond::Or(a, b) | Cond::Same(a, b) => self.conds(&[a, b]),
            Cond::Not(a) => self.cond(a),
            Cond::Select(c, a, b) => self.conds(&[c, a, b]),
            Cond::Valid(header) => self.header_node(header).map(drop),
            Cond::ValidUnion(union) => self.union_node(union).map(drop),
            Cond::SameHeader(a, b) => {
                self.header_node(a)?;
                self.header_node(b).map(drop)
            }
            Cond::SameVar(a, b) => self.all_headers(&[a, b]),
            Cond::SameUnion(a, b) => {
                self.union_node(a)?;
                self.union_node(b).map(drop)
            }
        }
    }

    fn target(&self, target: &Target) -> Proof {
        match *target {
            Target::Field(loc) => self.field(loc),
            Target::HeaderField(header, rel) => self.header_field(header, rel),
            Target::Register(register, index) => {
                self.register(register)?;
                self.value(index)
            }
        }
    }

    fn ops(&self, ops: &[Op]) -> Proof {
        ops.iter().try_for_each(|op| self.op(op, ops.len()))
    }
}
