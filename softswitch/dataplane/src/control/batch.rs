// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Several requests at one moment: no packet passes a pipeline between them, and all happen or none.

use super::change::Change;
use crate::model::error::ControlError;
use crate::switch::Switch;

/// The first request of a batch that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request {place}: {error}")]
pub struct BatchError {
    /// From 0.
    pub place: usize,
    pub error: ControlError,
}

impl Switch {
    /// Carries out requests in their order. If one is refused, those before it are taken back, and the switch is as it
    /// was: the order of entries, ages, counts and the tokens of meters included.
    pub fn change_all(&mut self, changes: Vec<Change>, now_ns: u64) -> Result<(), BatchError> {
        self.attempt(changes, now_ns, true)
    }

    /// As [`Self::change_all`], and takes all of it back in any case: only the answer counts.
    pub fn rehearse(&mut self, changes: Vec<Change>, now_ns: u64) -> Result<(), BatchError> {
        self.attempt(changes, now_ns, false)
    }

    fn attempt(&mut self, changes: Vec<Change>, now_ns: u64, keep: bool) -> Result<(), BatchError> {
        let last = changes.len().saturating_sub(1);
        let mut undo = Vec::new();
        let mut result = Ok(());
        for (place, change) in changes.into_iter().enumerate() {
            // A refused change leaves no trace, so the last one needs no way back.
            let saved = (place < last || !keep).then(|| self.save(&change));
            if let Err(error) = self.change(change, now_ns) {
                result = Err(BatchError { place, error });
                break;
            }
            undo.extend(saved.flatten());
        }
        if result.is_err() || !keep {
            for saved in undo.into_iter().rev() {
                self.put_back(saved);
            }
        }
        result
    }
}
