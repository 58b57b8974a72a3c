// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The states of a parser as they are added, and what they use.

use std::fmt::Write;

#[derive(Default)]
pub(super) struct States {
    pub declarations: String,
    states: String,
    /// Numbers make names unique.
    names: usize,
}

impl States {
    /// Statements are whole lines; the transition is one without its end.
    pub fn add(&mut self, name: &str, statements: &str, transition: &str) {
        let _ = writeln!(
            self.states,
            "    state {name} {{\n{statements}        {transition}\n    }}"
        );
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    /// Declares an object; its name.
    pub fn object(&mut self, ty: &str, kind: &str) -> String {
        let name = self.name(kind);
        let _ = writeln!(self.declarations, "    {ty} {name};");
        name
    }

    pub fn source(&self) -> String {
        format!("{}{}", self.declarations, self.states)
    }
}
