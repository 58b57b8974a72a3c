// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A discrete-event simulator of networks: hosts, links, and routers that run the compiled P4 program.
//!
//! Every router is a [`quench_dataplane::Switch`] with its own tables, registers and traffic manager. The clock is the
//! simulation's. One seed fixes all random numbers, so the same scenario with the same seed gives the same results.
//!
//! In: a [`Scenario`] (JSON). [`Simulation`] runs it. Out: [`Results`].
//!
//! Begin with `simulation.rs`, then `cells/cell.rs`, the event loop.
//!
//! A module imports only those above it:
//!
//! | module | content |
//! |---|---|
//! | `time` | nanoseconds |
//! | `error` | faults of a scenario |
//! | `seed` | the seeds of the random number generators |
//! | `counts` | structs of counts |
//! | `capture` | captures |
//! | `events` | the event queue |
//! | `packet` | packets as bytes; the checks of a source quench |
//! | `transport` | the seam: what a transport is to the network |
//! | `cc` | the congestion window of TCP: calls of `host_stack/cc` |
//! | `tcp` | TCP, a transport |
//! | `fixed_window` | a transport with a fixed window |
//! | `paced` | the transports of data centres: Bolt, HPCC, Swift, DCTCP, BECN |
//! | `dcqcn` | DCQCN over RoCEv2, a transport |
//! | `stacks` | the transports by name, and their settings in a scenario |
//! | `traffic` | the applications, which send |
//! | `measure` | counts, time series, results |
//! | `aqm` | the counters and the average of the routers' program |
//! | `scenario` | the scenario's JSON |
//! | `network` | hosts, links, routers: the way of a packet |
//! | `names` | indices by name |
//! | `cells` | the network in cells, each with an event loop; several threads |
//! | `sampling` | samples at regular times |
//! | `collect` | results from the counts of the network |
//! | `snapshot` | the network at one moment |
//! | `simulation` | a run, and looks at the whole network |
//! | `load` | from a scenario to a simulation |
//!
//! How does an ISQ reach a window? `network/delivery.rs` hands each packet that reaches a host to `packet/read.rs`;
//! `packet/quench.rs` checks an ISQ and reads what it quotes; `network/sockets.rs` (`receive_quench`) finds the
//! socket; `tcp/quench.rs` checks that the quoted packet is in flight and gives the ISQ, at once or with the next
//! ACK, to `cc/window.rs`, which calls the algorithm in C.

mod aqm;
mod capture;
pub mod cc;
mod cells;
mod collect;
mod counts;
mod dcqcn;
mod error;
mod events;
pub mod fixed_window;
mod load;
pub mod measure;
mod names;
mod network;
mod paced;
pub mod packet;
mod sampling;
pub mod scenario;
pub mod seed;
mod simulation;
mod snapshot;
pub mod stacks;
pub mod tcp;
pub mod time;
pub mod traffic;
pub mod transport;

pub use cells::{Controller, NoController};
pub use error::Error;
pub use measure::Results;
pub use scenario::Scenario;
pub use simulation::{Simulation, MAX_THREADS};
pub use snapshot::Snapshot;
