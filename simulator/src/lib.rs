// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A discrete-event simulator of networks: hosts with TCP, links, and routers that run the compiled P4 program.
//!
//! Every router is a [`quench_dataplane::Switch`] with its own tables, registers and traffic manager. The clock is the
//! simulation's. One seed fixes all random numbers, so the same scenario with the same seed gives the same results.
//!
//! In: a [`Scenario`] (JSON). [`Simulation`] runs it. Out: [`Results`].
//!
//! Begin with `simulation.rs`, the event loop.
//!
//! | module | content |
//! |---|---|
//! | `scenario`, `load` | the scenario's JSON, and how it becomes a `Simulation` |
//! | `events` | the event queue |
//! | `network` | hosts, links, routers: the way of a packet |
//! | `packet` | packets as bytes; the checks of a source quench |
//! | `tcp` | TCP of the hosts |
//! | `cc` | the congestion window: calls of `host_stack/cc` |
//! | `traffic` | the applications, which send |
//! | `measure`, `sampling`, `collect`, `aqm` | counts, time series, results |
//!
//! How does an ISQ reach a window? `network/delivery.rs` hands each packet that reaches a host to `packet/read.rs`;
//! `packet/quench.rs` checks an ISQ and reads what it quotes; `network/tcp.rs` (`receive_quench`) finds the
//! connection; `tcp/quench.rs` checks that the quoted packet is in flight and gives the ISQ, at once or with the next
//! ACK, to `cc/window.rs`, which calls the algorithm in C.

mod aqm;
mod capture;
pub mod cc;
mod collect;
mod error;
mod events;
mod load;
pub mod measure;
mod names;
mod network;
pub mod packet;
mod sampling;
pub mod scenario;
pub mod seed;
mod simulation;
pub mod tcp;
pub mod time;
pub mod traffic;

pub use error::Error;
pub use measure::Results;
pub use scenario::Scenario;
pub use simulation::{Controller, NoController, Simulation};
