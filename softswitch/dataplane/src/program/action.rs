// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Actions and their primitives.

use super::expr::{HeaderNode, UnionNode};
use super::target::Target;
use super::unit::Unit;
use crate::model::ids::Value;
use crate::state::loc::Loc;

/// One step of an action.
#[derive(Debug)]
pub enum Op {
    Assign(Loc, Value),
    AssignTo(Target, Value),
    /// Between variable-length fields: destination and source header.
    AssignVar(HeaderNode, HeaderNode),
    AssignHeader(HeaderNode, HeaderNode),
    AssignUnion(UnionNode, UnionNode),
    AssignStack(u32, u32),
    AssignUnionStack(u32, u32),
    AddHeader(HeaderNode),
    /// Sets the flag alone (`add_header_fast`).
    MarkValid(HeaderNode),
    RemoveHeader(HeaderNode),
    Push(u32, Value),
    Pop(u32, Value),
    PushUnion(u32, Value),
    PopUnion(u32, Value),
    /// The fields that it sets, of the switch's metadata or of a copy of it: `egress_spec` and `mcast_grp`.
    MarkToDrop(Loc, Option<Loc>),
    Count(u32, Value),
    ExecuteMeter(u32, Value, Target),
    ReadRegister(Target, u32, Value),
    WriteRegister(u32, Value, Value),
    /// Destination, lowest and highest value.
    Random(Target, Value, Value),
    /// The time of the block in nanoseconds.
    Time(Target),
    /// When the packet entered its queue, and the packets and bytes that waited there.
    Enqueued([Target; 3]),
    /// Port and queue; the packets and bytes that wait there.
    QueueDepth([Value; 2], [Target; 2]),
    /// Destination, base, calculation and modulus.
    Hash(Target, Value, u32, Value),
    /// Session and field list.
    Clone(Value, Value),
    Resubmit(Value),
    Recirculate(Value),
    Digest(Value),
    Truncate(Value),
    Unit(Unit),
    Nop,
    Exit,
    Jump(Jump),
    JumpIfZero(Value, Jump),
    Log(String, Vec<Value>),
    /// The text is the assertion's place.
    Assert(Value, String),
}

/// A jump to a primitive, or to the end.
#[derive(Debug, Clone, Copy)]
pub struct Jump {
    pub to: u32,
    /// The cost of a jump back (`exec::budget`): all that it may run again. 0 for a jump forwards.
    pub work: u32,
}

#[derive(Debug)]
pub struct Action {
    pub name: String,
    pub params: Vec<Loc>,
    /// Size of the parameters, padding included.
    pub data_bytes: usize,
    pub ops: Vec<Op>,
    /// Primitives, and numbers and conditions in their expressions.
    pub parts: usize,
    /// The cost of running all primitives once.
    pub work: u32,
}
