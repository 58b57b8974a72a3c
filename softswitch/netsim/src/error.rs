// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What a simulation cannot be made from.

/// Where in the scenario the fault is, and what it is: one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Error {
    pub place: String,
    pub problem: String,
}

impl Error {
    pub fn at(place: impl Into<String>, problem: impl ToString) -> Self {
        Self {
            place: place.into(),
            problem: problem.to_string(),
        }
    }
}
