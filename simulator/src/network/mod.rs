// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The simulated network: hosts, links, routers, and the connections between hosts.
//!
//! In: events from the event loop (`../cells/cell.rs`). Out: events for later, and events for the applications. Begin
//! with `state.rs`, the parts, then `delivery.rs`, the way of a packet from link to link; `sockets.rs` passes segments
//! and source quenches to sockets.

mod alarm;
mod away;
mod change;
mod connections;
mod context;
mod datagrams;
mod delivery;
mod endings;
mod host;
mod lanes;
mod messages;
mod node;
mod roce;
mod router;
mod sockets;
mod stamp;
mod state;
mod turns;
mod wire;
#[cfg(test)]
mod wire_tests;

pub use away::Message;
pub use change::LinkChange;
pub use context::Context;
pub use host::Host;
pub use node::Node;
pub use router::{Router, HOST_PORT};
pub use sockets::add_counts;
pub use state::{AppEvent, Direction, Network, Parts, Source, SourceCounts};
pub use wire::{Wire, WireConfig};
