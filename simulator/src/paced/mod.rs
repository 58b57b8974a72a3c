// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Transports of data centres: paced senders without a handshake, and a congestion control by which they differ.
//!
//! One engine (`end.rs`) sends and receives: it paces packets, goes back after a NACK or a timeout, and ends a stream with
//! a FIN. A congestion control (`control.rs` is the seam) says the window and the rate: `bolt.rs`, `hpcc.rs`, `swift.rs`,
//! `dctcp.rs`, `becn.rs`. `csig.rs` has what Swift asks the switches by tags. `message.rs` has the headers: Bolt and HPCC have their own, the others use that of TCP.
//!
//! Everything that arrives may be forged: what does not fit is counted, and has no other effect.

mod becn;
mod bolt;
mod config;
mod control;
mod csig;
mod dctcp;
mod end;
mod hpcc;
mod message;
mod stack;
mod swift;
mod telemetry;
#[cfg(test)]
mod tests;
mod window;

pub use becn::BecnConfig;
pub use bolt::BoltConfig;
pub use dctcp::DctcpConfig;
pub use hpcc::HpccConfig;
pub use swift::SwiftConfig;
