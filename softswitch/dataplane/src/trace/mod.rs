// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Structured traces of single packets: the parser's states, the tables' rows, the actions' values.
//!
//! In: a session with its filter, events of the interpreter and of the packet's life. Out: encoded messages of
//! `quench_switch/trace/packet_trace.proto`. Begin with `sessions.rs`; `session.rs` is one consumer, `budget.rs` the time that it has, `record.rs` one
//! packet's trace, `message.rs` the declarations of the messages. Nothing here knows how a program runs.

mod budget;
pub mod message;
mod record;
mod session;
mod sessions;

pub(crate) use budget::thread_time_ns;
pub use record::{Place, Record};
pub use session::{Consumer, Filter, Session};
pub(crate) use sessions::Tracing;
