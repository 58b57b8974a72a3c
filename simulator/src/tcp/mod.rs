// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TCP: a [`crate::transport::Transport`].
//!
//! Begin with `connection.rs`, the calls. A connection is one struct, whose methods are in several files:
//!
//! | file | content |
//! |---|---|
//! | `config.rs`, `stack.rs` | settings, and their values for each preset |
//! | `handshake.rs` | SYN and SYN-ACK, the agreement on ECN and SACK |
//! | `sender.rs`, `output.rs` | state of the sending half; transmission |
//! | `ack.rs` | ACKs: the input of the window algorithm (`cc`) and its output |
//! | `quench.rs` | source quenches: the last checks, and the reaction |
//! | `recovery.rs`, `sack.rs`, `rtt.rs` | fast retransmit and timeouts; SACK; the retransmission timer |
//! | `receiver.rs`, `payload.rs` | state of the receiving half; data that arrives |
//! | `echo.rs`, `accecn.rs` | the flags CWR and ECE: RFC 3168, accurate echo, Multilevel ECN; Accurate ECN |

mod accecn;
mod ack;
mod config;
mod connection;
mod echo;
mod handshake;
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
    EcnMode, Ect, Growth, ParameterValue, Preset, QuenchTiming, Recovery, SenderRules, TcpConfig,
    Timer,
};
pub use stack::TcpStack;
