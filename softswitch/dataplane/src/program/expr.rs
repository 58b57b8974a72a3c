// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiled expressions: nodes in one flat vector, with children by index.
//!
//! BMv2 computes with numbers of any size and cuts results when they are stored. Here the loader works out how many
//! bits every expression needs (`load::width`) and picks the cheapest of three evaluators that cannot lose any of
//! them: 64 bits, 128 bits, or as many limbs as it takes.

use crate::model::ids::{CondId, HeaderId, NodeId, Tier, Value};
use crate::state::loc::Loc;

/// A number.
#[derive(Debug, Clone, Copy)]
pub enum Node {
    Const(i64),
    /// Index in [`Exprs::constants`]: two's complement limbs.
    BigConst(u32),
    Field(Loc),
    /// A parameter of the running action.
    Param(Loc),
    /// A field of a header that is known only at run time; the location is relative to the header.
    HeaderField(HeaderNode, Loc),
    Register(u32, Value),
    Add(NodeId, NodeId),
    Sub(NodeId, NodeId),
    Mul(NodeId, NodeId),
    Div(NodeId, NodeId),
    Rem(NodeId, NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Xor(NodeId, NodeId),
    Not(NodeId),
    Shl(NodeId, Value),
    Shr(NodeId, Value),
    /// Two's complement of a width.
    Wrap(NodeId, u32),
    UnsignedSat(NodeId, u32),
    SignedSat(NodeId, u32),
    Select(CondId, NodeId, NodeId),
    FromBool(CondId),
    /// Index of the last element of a stack.
    LastIndex(u32),
    /// Elements in a stack.
    Count(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CmpOp {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A truth value.
#[derive(Debug, Clone, Copy)]
pub enum Cond {
    Const(bool),
    Cmp(CmpOp, NodeId, NodeId, Tier),
    NonZero(Value),
    And(CondId, CondId),
    Or(CondId, CondId),
    Not(CondId),
    Same(CondId, CondId),
    Select(CondId, CondId, CondId),
    Valid(HeaderNode),
    ValidUnion(UnionNode),
    SameHeader(HeaderNode, HeaderNode),
    /// Equal variable-length fields.
    SameVar(HeaderId, HeaderId),
    SameUnion(UnionNode, UnionNode),
}

/// A header, perhaps known only at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderNode {
    Fixed(HeaderId),
    StackAt(u32, Value),
    /// The last element of a stack.
    StackLast(u32),
    UnionMember(UnionNode, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnionNode {
    Fixed(u32),
    StackAt(u32, Value),
    StackLast(u32),
}

/// Storage of all compiled expressions of a program.
#[derive(Debug, Default)]
pub struct Exprs {
    pub nodes: Vec<Node>,
    pub conds: Vec<Cond>,
    pub constants: Vec<Box<[u64]>>,
}

impl Exprs {
    pub fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// Numbers and conditions.
    pub fn len(&self) -> usize {
        self.nodes.len() + self.conds.len()
    }

    pub fn cond(&mut self, cond: Cond) -> CondId {
        self.conds.push(cond);
        self.conds.len() as CondId - 1
    }
}
