// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Networks in virtual time: hosts with TCP, links, and routers that run the compiled P4 program.
//!
//! Every router is a [`quench_dataplane::Switch`] with its own tables, registers and traffic manager. The clock is the
//! simulation's, one seed fixes everything that is random, and the same scenario with the same seed gives the same
//! results.
//!
//! [`Scenario`] says what there is, [`Simulation`] runs it, [`Results`] is what comes out.
//!
//! Begin with `simulation.rs`, the clockwork. `network` moves packets, `tcp` is the hosts' TCP, `traffic` the sources,
//! `measure` the results.

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
