// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The control interface: what may be asked of a data plane while packets flow.
//!
//! Every request either happens whole or is refused with a [`ControlError`] and changes nothing.
//!
//! In: requests of a controller, with numeric ids and values. Out: an answer or an error. Begin with `api.rs`, which
//! lists the requests; `types.rs` has their values.

mod api;
mod arrays;
mod direct;
mod error;
mod ports;
mod profiles;
mod program;
mod replication;
mod switch;
mod tables;
mod types;

pub use api::Control;

pub use error::{ControlError, ControlResult, ErrorCode};
pub use program::{
    ActionInfo, ArrayInfo, DigestInfo, FieldInfo, KeyFieldInfo, MatchKind, ProfileInfo,
    ProgramInfo, RegisterInfo, TableInfo, Unit, ValueSetInfo,
};
pub use types::{
    ActionCall, CloneSession, CounterValue, Entry, EntryData, Group, GroupMember, MatchField,
    MeterRates, OneShotMember, Page, PortOptions, PortState, QueueState, Replica, TableAction,
};
