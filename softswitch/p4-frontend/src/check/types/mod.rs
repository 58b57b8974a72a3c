// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types: as written, copied, inferred, converted and shown.

pub mod convert;
pub mod generics;
pub mod kinds;
pub mod show;
pub mod unify;
pub mod written;
