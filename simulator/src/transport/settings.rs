// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checks of a transport's settings.

use crate::error::Error;
use crate::time::{from_s, Ns};

/// A time of at least one nanosecond.
pub fn seconds(field: &str, value: f64, max: f64) -> Result<Ns, Error> {
    if value >= 1e-9 && value <= max {
        return Ok(from_s(value));
    }
    let problem = format!("must be a time from 1e-9 to {max} seconds, not {value}");
    Err(Error::at(field, problem))
}

/// Bits per second, at least one.
pub fn rate(field: &str, value: f64) -> Result<u64, Error> {
    if (1.0..=1e15).contains(&value) {
        return Ok(value.round() as u64);
    }
    let problem = format!("must be 1 to 1e15 bits per second, not {value}");
    Err(Error::at(field, problem))
}

pub fn between(field: &str, value: u32, min: u32, max: u32) -> Result<(), Error> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let problem = format!("must be from {min} to {max}, not {value}");
    Err(Error::at(field, problem))
}

/// Payload of a full segment, whose packet must fit into IPv4's length field.
pub fn check_segment_bytes(bytes: u32) -> Result<(), Error> {
    between("segment_bytes", bytes, 1, 65_000)
}
