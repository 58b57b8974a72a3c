// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checks of a transport's settings.

use crate::time::{from_s, Ns};

/// The fault of a transport's settings, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(pub String);

/// A time of at least one nanosecond.
pub fn seconds(name: &str, value: f64, max: f64) -> Result<Ns, SettingsError> {
    if value >= 1e-9 && value <= max {
        return Ok(from_s(value));
    }
    Err(SettingsError(format!(
        "{name} must be a time from 1e-9 to {max} seconds, not {value}"
    )))
}

pub fn between(name: &str, value: u32, min: u32, max: u32) -> Result<(), SettingsError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(SettingsError(format!(
        "{name} must be from {min} to {max}, not {value}"
    )))
}

/// Payload of a full segment, whose packet must fit into IPv4's length field.
pub fn check_segment_bytes(bytes: u32) -> Result<(), SettingsError> {
    between("segment_bytes", bytes, 1, 65_000)
}
