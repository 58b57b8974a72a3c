// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens back to text, as `-E` shows them.

use std::path::PathBuf;

use crate::lexer::{Token, TokenKind};
use crate::source::SourceMap;

/// Up to so many lines without tokens are kept as empty lines; more become a line mark.
const MAX_EMPTY_LINES: u32 = 8;

pub(crate) fn to_text(tokens: &[Token], sources: &SourceMap) -> String {
    let mut text = String::new();
    let mut path: Option<PathBuf> = None;
    let mut line = 0;
    let mut previous = None;
    for token in tokens.iter().filter(|t| t.kind != TokenKind::EndOfFile) {
        let location = sources.location(token.span);
        let same_file = path.as_ref() == Some(&location.path);
        if !same_file || location.line < line || location.line > line + MAX_EMPTY_LINES {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!(
                "# {} \"{}\"\n",
                location.line,
                location.path.display()
            ));
            indent(&mut text, location.column);
        } else if location.line > line {
            text.push_str(&"\n".repeat((location.line - line) as usize));
            indent(&mut text, location.column);
        } else if previous.is_none_or(|end| end != (token.span.file, token.span.start)) {
            // All tokens of a macro's expansion have one place; a space keeps them apart.
            text.push(' ');
        }
        let spelling = token.text();
        text.push_str(&spelling);
        path = Some(location.path);
        line = location.line + spelling.matches('\n').count() as u32;
        previous = Some((token.span.file, token.span.end));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn indent(text: &mut String, column: u32) {
    text.push_str(&" ".repeat(column.saturating_sub(1) as usize));
}
