// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A data plane that is reached through a lock.

use pyo3::prelude::*;
use quench_dataplane::control::ControlResult;
use quench_dataplane::switch::Switch;

use crate::errors::data_plane_error;

/// Gives closures the switch and the present time, one at a time.
pub trait Target: Send + Sync {
    /// Raises while a call would wait for its own caller.
    fn ready(&self) -> PyResult<()> {
        Ok(())
    }
    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send));
    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send));
    /// Counts by name.
    fn stats(&self) -> Vec<(&'static str, u64)>;
}

/// Calls on a target that leave the interpreter to others meanwhile.
impl dyn Target {
    pub fn look<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Switch, u64) -> R + Send,
    ) -> PyResult<R> {
        self.ready()?;
        let mut look = Some(look);
        let mut result = None;
        py.detach(|| {
            self.inspect(&mut |switch, now_ns| {
                result = look.take().map(|look| look(switch, now_ns));
            });
        });
        Ok(result.expect("a target calls the closure"))
    }

    pub fn change<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Switch, u64) -> R + Send,
    ) -> PyResult<R> {
        self.ready()?;
        let mut change = Some(change);
        let mut result = None;
        py.detach(|| {
            self.control(&mut |switch, now_ns| {
                result = change.take().map(|change| change(switch, now_ns));
            });
        });
        Ok(result.expect("a target calls the closure"))
    }

    pub fn try_look<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Switch, u64) -> ControlResult<R> + Send,
    ) -> PyResult<R> {
        self.look(py, look)?.map_err(data_plane_error)
    }

    pub fn try_change<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Switch, u64) -> ControlResult<R> + Send,
    ) -> PyResult<R> {
        self.change(py, change)?.map_err(data_plane_error)
    }

    pub fn counts(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64)>> {
        self.ready()?;
        Ok(py.detach(|| self.stats()))
    }
}
