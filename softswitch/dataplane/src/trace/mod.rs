// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Structured traces of single packets: the parser's states, the tables' rows, the actions' values.
//!
//! In: a session with its filter, events of the interpreter and of the packet's life. Out: encoded messages of
//! `quench_switch/trace/packet_trace.proto`. Begin with `sessions.rs`; `session.rs` is one consumer, `record.rs` one
//! packet's trace, `message.rs` the declarations of the messages. Nothing here knows how a program runs.

pub mod message;
mod record;
mod session;
mod sessions;

pub use record::{Place, Record};
pub use session::{Filter, Session};
pub(crate) use sessions::Tracing;
