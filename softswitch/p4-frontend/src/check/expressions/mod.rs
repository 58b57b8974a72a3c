// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions, but for calls.

pub mod aggregate;
pub mod expr;
pub mod index;
pub mod member;
pub mod operator;
