// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The embedded data plane in real time: ports are Linux interfaces, time is `CLOCK_MONOTONIC`.
//!
//! [`RealtimeSwitch`] owns one [`Switch`](quench_dataplane::switch::Switch) and one thread or several
//! (`threads.rs`). A thread sleeps until a packet arrives on its ports; the first one also until an
//! event of the data plane is due or a control call made one earlier. It reads without a lock, brings
//! the switch up to the present under one mutex, and sends without it. Control calls take the mutex
//! as well: between two turns of threads a control call sees and changes a switch at rest.
//!
//! Frames that are longer than the wire's are cut up where they come in, and packets joined again where they leave
//! (`offload/`); the switch sees packets. Ports read and send by packet sockets, or by AF_XDP (`wire.rs`, `xdp/`).
//!
//! In: packets from interfaces, control calls. Out: packets to interfaces, copies for the CPU and digests in a
//! mailbox. Begin with `realtime.rs`, then `machine.rs` (the switch with its ports), `threads.rs`,
//! `port.rs` (what arrives) and `line.rs` (what leaves).

mod clock;
mod exits;
mod io_stats;
mod line;
mod link_monitor;
mod machine;
mod mailbox;
pub mod offload;
mod options;
mod outlets;
mod packet_socket;
mod pcap;
mod poller;
mod port;
mod realtime;
mod rx_batch;
mod seats;
mod send_room;
#[cfg(test)]
mod tests;
mod threads;
mod tx_batch;
mod wire;
mod xdp;

pub use io_stats::IoStats;
pub use options::{IoOptions, Threads, MAX_THREADS};
pub use outlets::{CpuPacket, DigestMessage};
pub use port::PortError;
pub use realtime::{RealtimeSwitch, StartError};
pub use wire::IoMode;
