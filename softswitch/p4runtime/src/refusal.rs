// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The refusals of updates, each with one line that says what is wrong.

use quench_dataplane::control::{ControlError, ControlResult, ErrorCode};

/// The request contradicts P4Info or itself.
pub fn invalid<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::InvalidArgument, message))
}

/// The request names an object that does not exist.
pub fn not_found<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::NotFound, message))
}

/// The program forbids it.
pub fn denied<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::PermissionDenied, message))
}

/// Beyond one of the limits.
pub fn exhausted<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::ResourceExhausted, message))
}

/// A value does not fit its bits.
pub fn out_of_range<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::OutOfRange, message))
}

/// Legal P4Runtime that this target does not offer.
pub fn unimplemented<T>(message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(ErrorCode::Unimplemented, message))
}
