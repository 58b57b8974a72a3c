// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Python integers that must fit a fixed width.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use quench_dataplane::control::ErrorCode;

use crate::errors::refused;

/// A number. One that does not fit is refused by the data plane's own exception.
#[derive(Debug, Clone, Copy)]
pub struct Num<T>(pub T);

pub trait Width {
    const MIN: i64 = 0;
    const MAX: u64;
}

impl Width for i32 {
    const MIN: i64 = i32::MIN as i64;
    const MAX: u64 = i32::MAX as u64;
}

impl Width for u16 {
    const MAX: u64 = u16::MAX as u64;
}

impl Width for u32 {
    const MAX: u64 = u32::MAX as u64;
}

impl Width for u64 {
    const MAX: u64 = u64::MAX;
}

impl<'a, 'py, T> FromPyObject<'a, 'py> for Num<T>
where
    T: Width + FromPyObject<'a, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(object.py()) {
                refused(
                    ErrorCode::OutOfRange,
                    format!("{} is not between {} and {}", &*object, T::MIN, T::MAX),
                )
            } else {
                error
            }
        })
    }
}
