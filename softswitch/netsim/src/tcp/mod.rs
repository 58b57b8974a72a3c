// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TCP as a state machine: segments, source quenches and the time come in, segments and events come out.

mod config;
mod connection;
mod io;
mod stack;

pub use config::{
    EcnMode, Ect, Growth, ParameterValue, Preset, QuenchTiming, Recovery, Sender, StackConfig,
    Timer,
};
pub use connection::Connection;
pub use io::{ConnectionEvent, Io, TcpCounters};
pub use stack::{Stack, StackError};
