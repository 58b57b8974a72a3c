// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The reason that a JSON was refused.

use super::error::{ControlError, ErrorCode};

/// Longer messages are cut: they quote names, which come from outside.
const MAX_MESSAGE_BYTES: usize = 1000;

/// The fault and its place, outermost object first.
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
    fn from(LoadError(message): LoadError) -> Self {
        ControlError::new(
            ErrorCode::InvalidArgument,
            format!("the program cannot be loaded: {}", one_line(message)),
        )
    }
}

/// A message without line ends, and without its middle where it is long: the fault stands at the end.
fn one_line(message: String) -> String {
    let mut message = message.replace(char::is_control, " ");
    if message.len() > MAX_MESSAGE_BYTES {
        let half = MAX_MESSAGE_BYTES / 2;
        let (mut from, mut to) = (half, message.len() - half);
        while !message.is_char_boundary(from) {
            from -= 1;
        }
        while !message.is_char_boundary(to) {
            to += 1;
        }
        message.replace_range(from..to, " ... ");
    }
    message
}
