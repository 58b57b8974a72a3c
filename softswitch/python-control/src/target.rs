// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A data plane that is reached through a lock.

use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;
use quench_dataplane::control::{BatchError, Change, ControlResult, Plan};
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
    /// Held by whoever changes tables, also while packets pass between the parts of a change. It is taken before the
    /// data plane, and by nobody who holds the interpreter.
    fn turn(&self) -> &Mutex<()>;
    /// Takes a change that is not to happen yet; gives back one that is to happen now.
    fn defer(&self, change: Change) -> Option<Change> {
        Some(change)
    }
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
            let _turn = self.turn().lock();
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

    /// Carries out a change, or keeps it for later.
    pub fn write(&self, py: Python<'_>, change: Change) -> PyResult<()> {
        match self.defer(change) {
            Some(change) => self.try_change(py, |switch, now_ns| switch.change(change, now_ns)),
            None => Ok(()),
        }
    }

    pub fn counts(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64)>> {
        self.ready()?;
        Ok(py.detach(|| self.stats()))
    }
}

/// Steps after which packets have their turn.
const PART: usize = 128;

/// Changes of a target that wait until all of them happen at one moment. Reads see the target without them.
pub(crate) struct Deferred {
    target: Arc<dyn Target>,
    /// Only short calls that need nothing else take this lock, so they may have the interpreter's.
    changes: Mutex<Vec<Change>>,
}

impl Deferred {
    pub fn new(target: Arc<dyn Target>) -> Self {
        Self {
            target,
            changes: Mutex::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.changes.lock().len()
    }

    pub fn add(&self, more: Vec<Change>) -> usize {
        let mut changes = self.changes.lock();
        changes.extend(more);
        changes.len()
    }

    /// Carries out what waits, or nothing; without `keep` it is only found out whether it could be carried out. If it
    /// may be seen in parts, packets pass between them where that is possible.
    pub fn apply(
        &self,
        py: Python<'_>,
        keep: bool,
        in_parts: bool,
    ) -> PyResult<Result<(), BatchError>> {
        let changes = std::mem::take(&mut *self.changes.lock());
        if changes.is_empty() {
            return Ok(Ok(()));
        }
        let planner = self.target.look(py, |switch, _| switch.planner())?;
        // It is made and freed while packets pass.
        let mut plan = py.detach(|| planner.plan(changes));
        let result = if in_parts && keep && plan.is_divisible() {
            self.apply_parts(py, &mut plan)
        } else {
            self.target.change(py, |switch, now_ns| {
                switch.carry_out(&mut plan, now_ns, keep)
            })
        };
        py.detach(|| drop(plan));
        result
    }

    fn apply_parts(&self, py: Python<'_>, plan: &mut Plan) -> PyResult<Result<(), BatchError>> {
        self.target.ready()?;
        Ok(py.detach(|| {
            let _turn = self.target.turn().lock();
            let mut taken = Ok(true);
            while matches!(taken, Ok(true)) {
                self.target.control(&mut |switch, now_ns| {
                    taken = switch.carry_out_some(plan, PART, now_ns);
                });
            }
            let mut left = taken.is_err();
            while left {
                self.target
                    .control(&mut |switch, _| left = switch.take_back(plan, PART));
            }
            taken.map(drop)
        }))
    }
}

impl Target for Deferred {
    fn ready(&self) -> PyResult<()> {
        self.target.ready()
    }

    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send)) {
        self.target.inspect(look);
    }

    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send)) {
        self.target.control(change);
    }

    fn turn(&self) -> &Mutex<()> {
        self.target.turn()
    }

    fn defer(&self, change: Change) -> Option<Change> {
        self.changes.lock().push(change);
        None
    }

    fn stats(&self) -> Vec<(&'static str, u64)> {
        self.target.stats()
    }
}
