// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2 with DCQCN: reliable connections of RDMA, whose senders obey congestion notification packets (CNPs).
//!
//! `end.rs` is one end, of a sender (`stream.rs`: the bytes as packets; `answers.rs`: go-back-N) and a receiver (`receiver.rs`: ACKs,
//! NAKs, CNPs). `rate.rs` is DCQCN's rate machine, `signals.rs` says who is heard. `config.rs` and `presets.rs` have the
//! settings. The packets are `../packet/roce`'s.
//!
//! There is no handshake: both ends count packets from 0. A stream is one message; its last packet ends the stream.
//! Everything that arrives may be forged: what does not fit is counted, and has no other effect.

mod answers;
mod config;
mod end;
mod presets;
mod rate;
mod receiver;
mod signals;
mod stack;
mod stream;
#[cfg(test)]
mod tests;

pub use config::DcqcnConfig;
