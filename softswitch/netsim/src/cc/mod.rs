// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The window algorithms of `host_stack/cc`, compiled natively. This is the only place where they are called.
//!
//! In: an ACK, mark, ISQ or loss as an event. Out: the window and the slow-start threshold. Begin with `window.rs`.

mod algorithm;
mod ffi;
mod window;

pub use algorithm::{Algorithm, ParameterError};
pub use window::{flag, signal, Ack, MarkLevel, Outcome, QuenchKind, Window};
