// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Instances: evaluation from `main` on.

pub mod evaluate;
pub mod externs;
pub mod instantiate;
pub mod opaque;
