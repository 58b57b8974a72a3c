// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TCP as a state machine: segments, source quenches and the time come in, segments and events come out.
//!
//! Begin with `connection.rs`, which is all that an owner calls. `sender.rs` and `receiver.rs` are its halves,
//! `ack.rs` reads the signals of congestion.

mod ack;
mod config;
mod connection;
mod echo;
mod handshake;
mod io;
mod output;
mod payload;
mod quench;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod sack;
mod sender;
mod stack;
#[cfg(test)]
mod tests;

pub use config::{
    EcnMode, Ect, Growth, ParameterValue, Preset, QuenchTiming, Recovery, Sender, StackConfig,
    Timer,
};
pub use connection::Connection;
pub use io::{ConnectionEvent, Io, TcpCounters};
pub use stack::{Stack, StackError};
