// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The control interface: requests to a [`Switch`](crate::switch::Switch) while packets flow.
//!
//! Every request either happens whole or is refused with a [`ControlError`] and changes nothing. `now_ns` is the
//! caller's clock, the same that packets are received with; only requests that start or read an age need it.
//!
//! In: requests of a controller, with names and values. Out: an answer or an error. The requests are methods of the
//! switch, a file for each kind of object: `switch.rs` (program, memory, counts), `tables.rs`, `direct.rs` (counters
//! and meters of entries), `profiles.rs`, `arrays.rs` (counters, meters, registers, value sets), `filters.rs` (TNA's
//! filters), `replication.rs` (clone sessions, multicast groups), `ports.rs`, and `tna.rs` and `generator.rs` for TNA
//! alone. Begin with `tables.rs`. `change.rs` has the requests that change something as values, `plan.rs` does what can
//! be done of them without the state, and `batch.rs` carries out all of several or none. Their values and errors are
//! those of `model`, given here to other crates.

mod arrays;
mod batch;
mod change;
mod defaults;
mod direct;
mod filters;
mod generator;
mod plan;
mod ports;
mod profiles;
mod replication;
mod switch;
mod tables;
mod tna;
mod undo;

pub use crate::externs::crc::CustomCrcParams;
pub use crate::model::error::{ControlError, ControlResult, ErrorCode};
pub use crate::model::generator::{GeneratorApp, GeneratorCounts, Trigger, GENERATOR_APPS};
pub use crate::model::info::{
    ActionInfo, ArrayInfo, DigestInfo, FieldInfo, FilterInfo, KeyFieldInfo, MatchKind, ProfileInfo,
    ProgramInfo, RegisterInfo, TableInfo, Unit, ValueSetInfo,
};
pub use crate::model::values::{
    ActionCall, CloneSession, ColorCounts, CounterValue, Entry, EntryData, FilterConfig, Group,
    GroupMember, LpfConfig, LpfKind, MatchField, MeterRates, MulticastGroup, OneShotMember,
    OneShotSet, Page, Replica, TableAction, WredConfig,
};
pub use batch::BatchError;
pub use change::{Change, EntryName};
pub use plan::{Plan, Planner};
pub use ports::{PortOptions, PortState, QueueState};
