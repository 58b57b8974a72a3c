// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: where to go on after an error.

use super::{opens, Parser};
use crate::limits::MAX_SYNTAX_ERRORS;

impl Parser<'_> {
    pub(super) fn gave_up(&self) -> bool {
        let max_errors = match self.unbalanced {
            Some(_) => 1,
            None => MAX_SYNTAX_ERRORS,
        };
        self.diagnostics.error_count() - self.errors_before >= max_errors
    }

    /// After an error since token number `start`: goes to the end of the statement or declaration, which is a `;`, a block in
    /// braces, or, not read, the `}` of what is around it.
    pub(super) fn recover(&mut self, start: usize) {
        if self.gave_up() {
            self.at = self.tokens.len() - 1;
            return;
        }
        let mut depth = self.tokens[start..self.at]
            .iter()
            .fold(0usize, |depth, token| match () {
                () if opens(token) => depth + 1,
                () if token.is("}") => depth.saturating_sub(1),
                () => depth,
            });
        let closed = self.at > start && depth == 0 && self.tokens[self.at - 1].is("}");
        if closed && !self.at_word("else") {
            return;
        }
        while !self.at_end() {
            let outermost = depth == 0;
            if outermost
                && (self.at_punct("}") || (self.at > start && self.starts_declaration_line()))
            {
                return;
            }
            let token = self.advance();
            if opens(&token) {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
                if depth == 0 && !self.at_word("else") {
                    return;
                }
            } else if token.is(";") && outermost {
                return;
            }
        }
    }

    /// A line that begins like a declaration: a good place to go on after a `;` or `}` was forgotten.
    fn starts_declaration_line(&self) -> bool {
        const STARTS: [&str; 10] = [
            "action",
            "control",
            "extern",
            "header",
            "header_union",
            "package",
            "parser",
            "struct",
            "table",
            "typedef",
        ];
        self.token().line_start
            && self
                .word_ahead(0)
                .is_some_and(|word| STARTS.contains(&word))
    }
}
