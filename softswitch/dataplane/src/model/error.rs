// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The reasons for which a request is refused.

/// The class of a refusal; the names follow the gRPC status codes that P4Runtime reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    NotFound,
    AlreadyExists,
    InvalidArgument,
    OutOfRange,
    ResourceExhausted,
    FailedPrecondition,
    PermissionDenied,
    Unimplemented,
}

impl ErrorCode {
    /// The code in lower snake case, as the Python module gives it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::InvalidArgument => "invalid_argument",
            Self::OutOfRange => "out_of_range",
            Self::ResourceExhausted => "resource_exhausted",
            Self::FailedPrecondition => "failed_precondition",
            Self::PermissionDenied => "permission_denied",
            Self::Unimplemented => "unimplemented",
        }
    }
}

/// A request that the data plane refuses; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ControlError {
    pub code: ErrorCode,
    /// One sentence with the request, the object and the reason.
    pub message: String,
}

impl ControlError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

pub type ControlResult<T> = Result<T, ControlError>;
