// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Numbers that stand for parts of a program.

/// A header by its place in the layout.
pub type HeaderId = u32;

/// "No node" in pipelines, "accept" in parsers.
pub const END: u32 = u32::MAX;

/// A data node in `program::expr::Exprs`.
pub type NodeId = u32;
/// A truth value in `program::expr::Exprs`.
pub type CondId = u32;

/// The way in which an expression is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    W64,
    W128,
    /// Number of 64-bit limbs.
    Wide(u16),
}

/// An expression that can be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    pub node: NodeId,
    pub tier: Tier,
}
