// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The window algorithms of `host_stack/cc`, compiled natively. No other module calls them.
//!
//! In: an ACK, mark, ISQ or loss. Out: the window and the slow-start threshold. Begin with `window.rs`; `ffi.rs`
//! declares the C structures, `algorithm.rs` finds algorithms and sets their parameters.

mod algorithm;
mod ffi;
mod window;

pub use algorithm::{Algorithm, EcnNeed, EctNeed, ParameterError};
pub use window::{flag, signal, Ack, MarkLevel, Outcome, QuenchKind, Window};
