// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The C preprocessor, as far as P4 programs use it: that is what p4c runs over a program first.
//!
//! It works on tokens, not on text, so that every token keeps its place in the user's file.
//!
//! In: the text of a file. Out: tokens, with macros expanded and files included. Begin with `directives.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `directives.rs` | lines that start with `#`; `condition.rs` the expressions of `#if` |
//! | `files.rs`, `built_in.rs` | the files that are being read; the architecture's files |
//! | `definition.rs`, `macros.rs` | definitions of macros; their expansion |
//! | `state.rs` | what is known while reading |
//! | `print.rs` | the text of `-E` |

pub(crate) mod built_in;
mod condition;
mod definition;
mod directives;
mod files;
mod macros;
pub(crate) mod print;
mod state;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::diagnostics::Diagnostics;
use crate::lexer::{Token, TokenKind};
use crate::limits::MAX_TOKENS;
use crate::options::Options;
use crate::source::SourceMap;
use crate::span::{FileId, Span};

use state::{PpToken, Preprocessor};

/// Reads the file at `path` with all that it includes; with `text`, that is what the file holds. The last token is the end
/// of file.
pub(crate) fn preprocess(
    path: &Path,
    text: Option<&str>,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut preprocessor = Preprocessor {
        options,
        sources,
        diagnostics,
        macros: HashMap::new(),
        open: Vec::new(),
        known: HashMap::new(),
        once: HashSet::new(),
        main_path: path.to_owned(),
        pending: Vec::new(),
        isolated: 0,
        counter: 0,
        token_count: 0,
        stopped: false,
    };
    let mut tokens = Vec::new();
    if preprocessor.open_main(path, text) {
        while let Some(token) = preprocessor.next() {
            preprocessor.count(1, token.token.span);
            tokens.push(token.token);
        }
    }
    tokens.push(preprocessor.end_of_file());
    tokens
}

impl Preprocessor<'_> {
    fn end_of_file(&self) -> Token {
        let file = FileId(0);
        let end = if self.sources.paths().next().is_some() {
            self.sources.text(file).len() as u32
        } else {
            0
        };
        Token {
            kind: TokenKind::EndOfFile,
            span: Span {
                file,
                start: end,
                end,
            },
            line_start: true,
            space_before: true,
        }
    }

    /// The next token after macro expansion.
    fn next(&mut self) -> Option<PpToken> {
        loop {
            let token = self.next_unexpanded()?;
            if let Some(token) = self.expand(token) {
                return Some(token);
            }
        }
    }

    /// The next token as written; directives on the way are obeyed.
    fn next_unexpanded(&mut self) -> Option<PpToken> {
        if let Some(token) = self.pending.pop() {
            return Some(token);
        }
        if self.isolated > 0 {
            return None;
        }
        self.next_from_files().map(PpToken::from)
    }

    /// Expands tokens that stand apart from the rest of the input.
    fn expand_apart(&mut self, tokens: Vec<PpToken>) -> Vec<PpToken> {
        let outer = std::mem::replace(&mut self.pending, tokens);
        self.pending.reverse();
        self.isolated += 1;
        let mut expanded = Vec::new();
        while let Some(token) = self.next() {
            expanded.push(token);
        }
        self.isolated -= 1;
        self.pending = outer;
        expanded
    }

    /// Counts tokens made; beyond the limit reading stops with an error.
    fn count(&mut self, tokens: usize, span: Span) {
        self.token_count += tokens;
        if self.token_count > MAX_TOKENS {
            self.stop(
                span,
                format!("the program is longer than {MAX_TOKENS} tokens after macro expansion"),
            );
        }
    }

    fn stop(&mut self, span: Span, message: String) {
        if !self.stopped {
            self.diagnostics.error(span, message);
        }
        self.stopped = true;
        self.pending.clear();
        self.open.clear();
    }
}

#[cfg(test)]
mod tests;
