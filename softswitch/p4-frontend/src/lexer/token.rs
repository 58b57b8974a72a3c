// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens, and the values of strings.

use std::rc::Rc;

use crate::span::Span;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Identifier(Rc<str>),
    /// Starts with a digit. The parser reports one that is no number.
    Number(Rc<str>),
    /// A string with its quotes and escapes.
    String(Rc<str>),
    /// A string with preprocessor lines in it: only the preprocessor knows which of its text counts.
    StringParts(Rc<[StringPart]>),
    Punctuation(&'static str),
    /// A character that P4 does not use.
    Stray(char),
    /// Text that cannot be a token, and the reason. It is an error only where the preprocessor does not skip it.
    Malformed(&'static str),
    EndOfFile,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StringPart {
    /// Spelling, of whole lines but for the first and the last part.
    Text(String),
    /// The tokens of a line, from `#` on.
    Directive(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// The first of its line.
    pub line_start: bool,
    pub space_before: bool,
}

impl Token {
    pub fn text(&self) -> String {
        match &self.kind {
            TokenKind::Identifier(text) | TokenKind::Number(text) | TokenKind::String(text) => {
                text.to_string()
            }
            TokenKind::Punctuation(text) => (*text).to_owned(),
            TokenKind::Stray(c) => c.to_string(),
            TokenKind::StringParts(_) | TokenKind::Malformed(_) | TokenKind::EndOfFile => {
                String::new()
            }
        }
    }

    pub fn is(&self, punctuation: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuation(text) if text == punctuation)
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.identifier().is_some_and(|text| &**text == word)
    }

    pub fn identifier(&self) -> Option<&Rc<str>> {
        match &self.kind {
            TokenKind::Identifier(text) => Some(text),
            _ => None,
        }
    }
}

/// The value of a string token: without quotes, and with `\"`, `\\` and `\n` replaced. Any other escape stays as it is written.
pub(crate) fn unescape(spelling: &str) -> String {
    let inner = spelling.strip_prefix('"').unwrap_or(spelling);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some(escaped @ ('"' | '\\')) => text.push(escaped),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(unescape(r#""a\"b\\c\nd\x""#), "a\"b\\c\nd\\x");
    }
}
