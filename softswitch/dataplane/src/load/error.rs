// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a JSON was refused.

use crate::control::{ControlError, ErrorCode};

/// What is wrong and where, outermost object first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LoadError(String);

pub type LoadResult<T> = Result<T, LoadError>;

pub fn fail<T>(message: impl Into<String>) -> LoadResult<T> {
    Err(LoadError(message.into()))
}

/// Says where an error happened.
pub trait Within<T> {
    fn within(self, place: impl FnOnce() -> String) -> LoadResult<T>;
}

impl<T> Within<T> for LoadResult<T> {
    fn within(self, place: impl FnOnce() -> String) -> LoadResult<T> {
        self.map_err(|LoadError(message)| LoadError(format!("{}: {message}", place())))
    }
}

impl From<LoadError> for ControlError {
    fn from(error: LoadError) -> Self {
        ControlError::new(
            ErrorCode::InvalidArgument,
            format!("the program cannot be loaded: {error}"),
        )
    }
}
