// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: keys, actions and entries.

pub mod actions;
pub mod entries;
pub mod table;
