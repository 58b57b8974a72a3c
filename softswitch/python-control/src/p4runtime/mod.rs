// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `KeyForm`, `Updates` and `Forms`: the entities of P4Runtime of which there may be very many.
//!
//! In: the server's pipeline, updates, and requests of a `Read`. Out: changes of a data plane, refusals, messages. Begin
//! with `writes.rs`.

mod pipeline;
mod reads;
mod writes;

pub use writes::{Forms, KeyForm, Updates};
