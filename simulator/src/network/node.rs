// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The ends of links.

/// An end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    Host(u32),
    /// A router and its port.
    Router(u32, u32),
    /// In another cell: its place in the outbox, and the direction's number there.
    Away {
        slot: u32,
        direction: u32,
    },
}
