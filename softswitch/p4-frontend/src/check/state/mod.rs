// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The checker's state: names, types, its place in the program, and what it has made.

pub mod entity;
pub mod instances;
pub mod place;
pub mod scope;
pub mod types;
