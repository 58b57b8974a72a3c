// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets past the kernel's stack, by AF_XDP (docs/decisions/0135-af-xdp.md).
//!
//! A program of six instructions hands each packet of an interface to a socket, which puts it into memory that the switch
//! and the kernel share. Begin with `socket.rs`, whose sending half is `sending.rs`; `fitness.rs` says which interfaces can be used so.

mod checksum;
mod fitness;
mod link_facts;
mod memory;
mod program;
mod ring;
mod sending;
mod socket;

pub use fitness::Refusal;
pub use socket::XdpSocket;
