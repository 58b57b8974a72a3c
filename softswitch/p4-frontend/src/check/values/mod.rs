// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that are known at compile time.

pub mod constant;
pub mod fold;
