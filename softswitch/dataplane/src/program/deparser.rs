// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers.

use super::action::Op;
use crate::model::ids::HeaderId;

#[derive(Debug, Default)]
pub struct Deparser {
    pub name: String,
    /// Among the program's deparsers.
    pub number: u32,
    pub order: Vec<HeaderId>,
    pub ops: Vec<Op>,
    /// The cost of running all primitives once.
    pub work: u32,
}
