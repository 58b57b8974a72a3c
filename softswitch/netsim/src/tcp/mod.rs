// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TCP connections as state machines.

/// What happened at one end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEvent {
    Established,
    /// New bytes, in order.
    Received {
        bytes: u64,
    },
    Acked {
        bytes: u64,
    },
    PeerClosed,
    Closed,
    Failed,
}
