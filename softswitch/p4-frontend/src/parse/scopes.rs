// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of types by scope, as far as the grammar needs them.

use std::collections::HashMap;

use crate::suggest::closest;

/// Declared names by scope, outermost first; the value says whether the name is a type.
#[derive(Debug)]
pub(super) struct Scopes(Vec<HashMap<String, bool>>);

impl Default for Scopes {
    fn default() -> Self {
        Scopes(vec![HashMap::new()])
    }
}

impl Scopes {
    pub fn enter(&mut self) {
        self.0.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        if self.0.len() > 1 {
            self.0.pop();
        }
    }

    /// The number of open scopes, to return to after an error.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    pub fn leave_to(&mut self, depth: usize) {
        self.0.truncate(depth.max(1));
    }

    pub fn declare_type(&mut self, name: &str) {
        self.declare(name, true);
    }

    pub fn declare_object(&mut self, name: &str) {
        self.declare(name, false);
    }

    fn declare(&mut self, name: &str, is_type: bool) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.to_owned(), is_type);
        }
    }

    pub fn is_type(&self, name: &str) -> bool {
        self.0
            .iter()
            .rev()
            .find_map(|scope| scope.get(name))
            .copied()
            .unwrap_or(false)
    }

    pub fn closest_type(&self, name: &str) -> Option<String> {
        let names = self.0.iter().rev().flatten();
        let mut types: Vec<&str> = names
            .filter(|(_, &is_type)| is_type)
            .map(|(name, _)| name.as_str())
            .collect();
        types.sort_unstable();
        closest(name, types).map(str::to_owned)
    }

    pub fn declare_global_type(&mut self, name: &str) {
        self.0[0].insert(name.to_owned(), true);
    }

    /// `.name`.
    pub fn is_global_type(&self, name: &str) -> bool {
        self.0[0].get(name).copied().unwrap_or(false)
    }
}
