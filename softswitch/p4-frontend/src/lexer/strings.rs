// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lexer`: strings, with directives in them; their values.

use super::{continuation, Lexer, StringPart, Token, TokenKind};

impl Lexer<'_> {
    /// A string may go over several lines. It may contain directives that select its lines or give them numbers; in front of
    /// any other directive, and of one that belongs to a conditional around, a single quotation mark is plain text.
    pub(super) fn string(&mut self) -> TokenKind {
        let mut parts = Vec::new();
        let mut spelling = String::from('"');
        let mut depth = 0;
        let mut end_of_first_line = None;
        self.at += 1;
        loop {
            let rest = self.rest();
            match rest.chars().next() {
                None => return self.unterminated(end_of_first_line),
                Some('\n') if self.in_directive => return self.unterminated(None),
                Some('\n') if is_directive(&rest[1..]) => {
                    end_of_first_line.get_or_insert(self.at);
                    self.at += 1;
                    spelling.push('\n');
                    let line = self.directive_line();
                    match depth_after(&line, depth) {
                        Some(after) => depth = after,
                        None => return self.unterminated(end_of_first_line),
                    }
                    parts.push(StringPart::Text(std::mem::take(&mut spelling)));
                    parts.push(StringPart::Directive(line));
                }
                Some('"') if depth > 0 => return self.unterminated(end_of_first_line),
                Some('"') => {
                    self.at += 1;
                    spelling.push('"');
                    if parts.is_empty() {
                        return TokenKind::String(spelling.into());
                    }
                    parts.push(StringPart::Text(spelling));
                    return TokenKind::StringParts(parts.into());
                }
                Some('\\') if continuation(rest) > 0 => self.continue_line(),
                Some('\\') => {
                    let escaped: String = rest.chars().take(2).filter(|&c| c != '\n').collect();
                    self.at += escaped.len();
                    spelling.push_str(&escaped);
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    spelling.push(c);
                }
            }
        }
    }

    /// Reading goes on at `end`, so that the directives behind a single quotation mark count.
    fn unterminated(&mut self, end: Option<usize>) -> TokenKind {
        self.at = end.unwrap_or(self.at);
        TokenKind::Malformed("unterminated string")
    }

    /// The tokens of the line that starts here. The line's end is not read.
    fn directive_line(&mut self) -> Vec<Token> {
        let start = self.at;
        loop {
            let rest = self.rest();
            match rest.chars().next() {
                None | Some('\n') => break,
                Some('\\') if continuation(rest) > 0 => self.at += continuation(rest),
                Some(c) => self.at += c.len_utf8(),
            }
        }
        let mut line = Lexer::new(self.file, &self.text[..self.at]);
        line.at = start;
        let lexed = line.run();
        self.blanks_at_line_ends.extend(lexed.blanks_at_line_ends);
        lexed.tokens
    }
}

fn is_directive(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).starts_with('#')
}

/// The number of open conditionals in a string after a directive, of which `depth` were open; `None` for a directive that no
/// string contains.
fn depth_after(line: &[Token], depth: usize) -> Option<usize> {
    let Some(first) = line.get(1) else {
        return Some(depth);
    };
    match first.text().as_str() {
        "if" | "ifdef" | "ifndef" => Some(depth + 1),
        "elif" | "elifdef" | "elifndef" | "else" if depth > 0 => Some(depth),
        "endif" => depth.checked_sub(1),
        "line" => Some(depth),
        _ => matches!(first.kind, TokenKind::Number(_)).then_some(depth),
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
