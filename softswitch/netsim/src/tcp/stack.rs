// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Settings of TCP, checked and complete.

use super::config::StackConfig;

/// What is wrong with the settings of a stack, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StackError(pub String);

/// Settings of TCP, shared by the connections that use them.
#[derive(Debug)]
pub struct Stack {}

impl Stack {
    pub fn new(config: &StackConfig) -> Result<Self, StackError> {
        todo!()
    }
}
