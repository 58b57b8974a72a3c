// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames that are longer than the wire's, as senders hand them to an interface whose hardware would cut them up.
//!
//! With each frame comes a [`VnetHeader`], which says what the sender left undone: the checksum, and the cutting into
//! packets. A [`Cutter`] does both, in the frame's own memory. [`join()`] makes one frame again of packets that are
//! neighbours of one flow, where cutting it gives exactly these packets.
//!
//! In: bytes, none of which are trusted. Out: bytes. There is no I/O here. Begin with `segment.rs`.

pub mod checksum;
mod header;
mod join;
mod layout;
mod refusal;
mod segment;
#[cfg(test)]
pub(crate) mod tests;

pub use header::{Gso, VnetHeader, VNET_HEADER_BYTES};
pub use join::{join, Joined};
pub use refusal::{Refusal, MAX_HEADER_BYTES, MAX_SEGMENTS};
pub use segment::{finish, Cutter};
