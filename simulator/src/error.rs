// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Faults of a scenario.

/// A fault and its place in the scenario, in one line.
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
