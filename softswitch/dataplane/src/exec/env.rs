// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state that the execution of a block works with.

use super::eval::Ctx;
use super::packet::Packet;
use super::queues::Queues;
use crate::externs::Externs;
use crate::program::Program;

/// A packet with everything that its processing reads and changes.
pub struct Env<'a> {
    pub program: &'a Program,
    pub externs: &'a mut Externs,
    pub packet: &'a mut Packet,
    pub now_ns: u64,
    /// Those around a pipeline of v1model.
    pub queues: Option<&'a dyn Queues>,
}

impl Env<'_> {
    #[inline]
    pub fn ctx<'b>(&'b self, params: &'b [u8]) -> Ctx<'b> {
        Ctx {
            exprs: &self.program.exprs,
            layout: &self.program.layout,
            phv: &self.packet.phv,
            params,
            registers: &self.externs.registers,
            faults: &self.externs.faults,
            scratch: &self.externs.scratch,
        }
    }
}
