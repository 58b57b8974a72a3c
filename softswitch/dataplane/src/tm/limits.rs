// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Numbers of ports, queues and packets.

/// A port of the switch, as the program's `egress_spec` gives it. State is kept in arrays as long as the
/// largest port used, so ports should be small numbers.
pub type PortId = u32;

/// The most queues that a port can have (`priority` of the v1model is 3 bits wide).
pub const MAX_QUEUES: u8 = 8;

/// Packets that a queue holds unless it is configured otherwise, as in BMv2's simple_switch.
pub const DEFAULT_CAPACITY_PKTS: u64 = 64;
