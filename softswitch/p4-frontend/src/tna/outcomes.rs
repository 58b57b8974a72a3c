// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Results of applying a table, and the actions that can have run at each.

use crate::ir::{Table, TableCase};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Outcome {
    Any,
    Hit,
    Miss,
    /// The action of this number ran, as a case of `switch` says.
    Ran(usize),
}

impl Outcome {
    /// Whether the action of this number in the table's list can have run.
    pub fn allows(self, table: &Table, index: usize) -> bool {
        let is_marked = |annotation: &str| {
            let annotations = &table.actions[index].annotations;
            annotations.iter().any(|a| a.name.text == annotation)
        };
        match self {
            Outcome::Any => true,
            Outcome::Hit => !is_marked("defaultonly"),
            Outcome::Miss if table.default_action.is_const => {
                table.default_action.action == Some(index)
            }
            Outcome::Miss => !is_marked("tableonly"),
            Outcome::Ran(action) => action == index,
        }
    }

    /// Whether no action can have run: a miss in a table without default action.
    pub fn allows_none(self, table: &Table) -> bool {
        table.default_action.action.is_none() && matches!(self, Outcome::Any | Outcome::Miss)
    }
}

/// The case of a `switch` that follows the action of this number, if there is one.
pub(super) fn case_of(cases: &[TableCase], action: usize) -> Option<&TableCase> {
    let names = |case: &&TableCase| case.actions.contains(&action);
    let is_default = |case: &&TableCase| case.actions.is_empty();
    cases
        .iter()
        .find(names)
        .or_else(|| cases.iter().find(is_default))
}
