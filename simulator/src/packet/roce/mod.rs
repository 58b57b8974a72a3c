// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2 (InfiniBand Architecture, Annex A17): reliable connections over UDP to port 4791, over IPv4 or IPv6.
//!
//! Both queue pairs of a connection have the number of the opener's port, and the accepting end listens at port 4791. A
//! packet's UDP source port is its sender's own, so 4791 there says that it comes from the accepting end.

mod address;
mod icrc;
#[cfg(test)]
mod properties;
mod quench;
mod read;
mod sort;
mod switch;
#[cfg(test)]
mod tests;
mod types;
mod write;

pub use address::IPV6_PREFIX;
pub use icrc::complete;
pub(super) use quench::read_icmpv6;
pub(super) use read::{header_bytes, read_v4, read_v6, Found};
pub use sort::{sort, Sort};
pub use switch::write_switch_cnp;
pub use types::{packet_bytes, RoceContent, RocePacket, SwitchCnp, NUMBER_MASK};
pub use write::write_roce;
