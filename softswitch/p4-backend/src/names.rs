// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names that differ from each other.

use std::collections::{HashMap, HashSet};

/// Names that are taken.
#[derive(Clone, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The number to try next after each name: a search from 1 is slow where thousands of objects have one name.
    next: HashMap<String, u32>,
}

impl Names {
    /// Whether `name` was free; it is taken now.
    pub fn insert(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// `name`, or `name_1`, `name_2` and so on where that is taken; it is then taken itself.
    pub fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_default();
        loop {
            *next += 1;
            let numbered = format!("{name}_{next}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}
