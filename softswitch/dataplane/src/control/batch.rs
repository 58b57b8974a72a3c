// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Several requests that all happen or none: at one moment, or a part at a time.

use super::change::Change;
use super::plan::{Plan, Step};
use crate::model::error::{ControlError, ErrorCode};
use crate::switch::Switch;

/// Steps whose memory is read before they are taken.
const TOUCHED: usize = 32;

/// The first request of a batch that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request {place}: {error}")]
pub struct BatchError {
    /// From 0.
    pub place: usize,
    pub error: ControlError,
}

impl Switch {
    /// Carries out requests in their order at one moment. If one is refused, those before it are taken back, and the
    /// switch is as it was: the order of entries, ages, counts and the tokens of meters included.
    pub fn change_all(&mut self, changes: Vec<Change>, now_ns: u64) -> Result<(), BatchError> {
        let mut plan = self.planner().plan(changes);
        self.carry_out(&mut plan, now_ns, true)
    }

    /// As [`Self::change_all`], and takes all of it back in any case: only the answer counts.
    pub fn rehearse(&mut self, changes: Vec<Change>, now_ns: u64) -> Result<(), BatchError> {
        let mut plan = self.planner().plan(changes);
        self.carry_out(&mut plan, now_ns, false)
    }

    /// As [`Self::change_all`], or without `keep` as [`Self::rehearse`], with what was planned before.
    pub fn carry_out(
        &mut self,
        plan: &mut Plan,
        now_ns: u64,
        keep: bool,
    ) -> Result<(), BatchError> {
        let last = plan.steps.len().saturating_sub(1);
        // A refused change leaves no trace, so the last one needs no way back.
        let result = self.carry_on(plan, usize::MAX, now_ns, |place| place < last || !keep);
        if result.is_err() || !keep {
            self.take_back(plan, usize::MAX);
        }
        result.map(drop)
    }

    /// Carries out the next steps of a plan, up to `most`; whether there are more. After a refusal those before it are
    /// to be taken back. Between two calls nobody but packets changes the switch.
    pub fn carry_out_some(
        &mut self,
        plan: &mut Plan,
        most: usize,
        now_ns: u64,
    ) -> Result<bool, BatchError> {
        self.carry_on(plan, most, now_ns, |_| true)
    }

    fn carry_on(
        &mut self,
        plan: &mut Plan,
        most: usize,
        now_ns: u64,
        saves: impl Fn(usize) -> bool,
    ) -> Result<bool, BatchError> {
        let end = plan.steps.len().min(plan.taken.saturating_add(most));
        if plan.taken < end && !self.has_program_of(plan) {
            let message = "the program was replaced while the request was read";
            return Err(BatchError {
                place: plan.taken,
                error: ControlError::new(ErrorCode::FailedPrecondition, message),
            });
        }
        while plan.taken < end {
            let place = plan.taken;
            if place % TOUCHED == 0 {
                self.touch(&plan.steps[place..end.min(place + TOUCHED)]);
            }
            let step = std::mem::replace(&mut plan.steps[place], Step::Done);
            match self.take(step, now_ns, saves(place)) {
                Ok(saved) => plan.undo.extend(saved),
                Err(error) => return Err(BatchError { place, error }),
            }
            plan.taken += 1;
        }
        Ok(end < plan.steps.len())
    }

    /// Takes back the last steps that were carried out, up to `most`; whether there are more.
    pub fn take_back(&mut self, plan: &mut Plan, most: usize) -> bool {
        if !self.has_program_of(plan) {
            // It went with its state.
            plan.undo.clear();
        }
        for _ in 0..most {
            match plan.undo.pop() {
                Some(saved) => self.put_back(saved),
                None => return false,
            }
        }
        !plan.undo.is_empty()
    }
}
