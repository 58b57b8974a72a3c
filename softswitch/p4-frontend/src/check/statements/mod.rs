// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements, and the `select`s of parsers.

pub mod keyset;
pub mod loops;
pub mod select;
pub mod stmt;
pub mod switch;
