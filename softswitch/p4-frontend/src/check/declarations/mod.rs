// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations, one after the other.

pub mod control;
pub mod function;
pub mod object;
pub mod parser;
pub mod toplevel;
