// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Faults of a scenario.

use std::fmt::Display;

use serde::{Deserialize, Deserializer};

/// A fault and its place in the scenario, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}{problem}", if place.is_empty() { "" } else { ": " })]
pub struct Error {
    /// Empty: the whole.
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

/// Reads a part of a scenario. The error says which of its fields is wrong, and why.
pub fn read<'de, T, D>(part: D) -> Result<T, Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de, Error: Display>,
{
    serde_path_to_error::deserialize(part).map_err(|error| {
        let place = match error.path().to_string() {
            path if path == "." || path == "?" => String::new(),
            path => path,
        };
        Error::at(place, error.inner())
    })
}
