// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From one file's text to tokens, for the preprocessor and the parser. Keywords are identifiers here, and numbers and strings
//! keep their spelling.
//!
//! `>>` is two tokens, since `bit<bit<8>>` needs two; an expression joins them when nothing is between.

mod token;

use std::rc::Rc;

use crate::span::{FileId, Span};

pub(crate) use token::{unescape, StringPart, Token, TokenKind};

/// Longest first: the first that fits is the token.
const PUNCTUATION: [&str; 58] = [
    "|+|=", "|-|=", "&&&", "...", "<<=", ">>=", "|+|", "|-|", "{#}", "..", "<<", "&&", "||", "==",
    "!=", ">=", "<=", "++", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+:", "##", "#", "+",
    "-", "*", "/", "%", "|", "&", "^", "~", "(", ")", "[", "]", "{", "}", "<", ">", "!", ":", ",",
    "?", ".", "=", ";", "@", "$", "\\", "`", "'",
];

/// The content of a file's text.
pub(crate) struct Lexed {
    /// All tokens, without that of the end of file.
    pub tokens: Vec<Token>,
    /// From backslashes to line ends with blanks between them. The lines go on there, as for the C preprocessor.
    pub blanks_at_line_ends: Vec<Span>,
}

pub(crate) fn tokenize(file: FileId, text: &str) -> Lexed {
    Lexer::new(file, text).run()
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    line_start: bool,
    space_before: bool,
    /// The line started with `#`.
    in_directive: bool,
    blanks_at_line_ends: Vec<Span>,
}

impl<'a> Lexer<'a> {
    fn new(file: FileId, text: &'a str) -> Lexer<'a> {
        Lexer {
            file,
            text,
            at: 0,
            line_start: true,
            space_before: false,
            in_directive: false,
            blanks_at_line_ends: Vec::new(),
        }
    }

    fn run(mut self) -> Lexed {
        let mut tokens = Vec::new();
        loop {
            let start = self.at;
            let kind = match self.skip_blanks() {
                Err(problem) => TokenKind::Malformed(problem),
                Ok(()) if self.at >= self.text.len() => {
                    return Lexed {
                        tokens,
                        blanks_at_line_ends: self.blanks_at_line_ends,
                    }
                }
                Ok(()) => {
                    let start = self.at;
                    let kind = self.token();
                    self.push(&mut tokens, start, kind);
                    continue;
                }
            };
            self.push(&mut tokens, start, kind);
        }
    }

    fn push(&mut self, tokens: &mut Vec<Token>, start: usize, kind: TokenKind) {
        if self.line_start {
            self.in_directive = kind == TokenKind::Punctuation("#");
        }
        tokens.push(Token {
            kind,
            span: Span {
                file: self.file,
                start: start as u32,
                end: self.at as u32,
            },
            line_start: self.line_start,
            space_before: self.space_before,
        });
        self.line_start = false;
        self.space_before = false;
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// White space, continued lines and comments.
    fn skip_blanks(&mut self) -> Result<(), &'static str> {
        loop {
            let rest = self.rest();
            let mut chars = rest.chars();
            match chars.next() {
                Some('\n') => {
                    self.at += 1;
                    self.line_start = true;
                    self.in_directive = false;
                }
                Some('\\') if continuation(rest) > 0 => self.continue_line(),
                Some('/') if chars.as_str().starts_with('/') => self.skip_line_comment(),
                Some('/') if chars.as_str().starts_with('*') => match rest[2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        self.at = self.text.len();
                        return Err("unterminated comment");
                    }
                },
                Some(c) if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
                _ => return Ok(()),
            }
            self.space_before = true;
        }
    }

    fn skip_line_comment(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => break,
                '\\' if continuation(self.rest()) > 0 => self.continue_line(),
                c => self.at += c.len_utf8(),
            }
        }
    }

    fn token(&mut self) -> TokenKind {
        let rest = self.rest();
        let c = rest.chars().next().unwrap_or('\0');
        if c.is_ascii_alphabetic() || c == '_' {
            return TokenKind::Identifier(self.word());
        }
        if c.is_ascii_digit() {
            return TokenKind::Number(self.word());
        }
        if c == '"' {
            return self.string();
        }
        // The first byte rules out most of the list: this is the hottest place of the front end.
        let first = rest.as_bytes().first();
        let fits = |p: &&&'static str| p.as_bytes().first() == first && rest.starts_with(**p);
        match PUNCTUATION.iter().find(fits) {
            Some(punctuation) => {
                self.at += punctuation.len();
                TokenKind::Punctuation(punctuation)
            }
            None => {
                self.at += c.len_utf8();
                TokenKind::Stray(c)
            }
        }
    }

    /// An identifier or number, which a continued line can split.
    fn word(&mut self) -> Rc<str> {
        let start = self.at;
        self.skip_word();
        let first = &self.text[start..self.at];
        if !self.word_continues() {
            return first.into();
        }
        let mut word = first.to_owned();
        while self.word_continues() {
            self.continue_line();
            let start = self.at;
            self.skip_word();
            word.push_str(&self.text[start..self.at]);
        }
        word.into()
    }

    fn skip_word(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
    }

    /// Goes from a backslash to the next line.
    fn continue_line(&mut self) {
        let length = continuation(self.rest());
        let end = self.at + length;
        if !matches!(&self.rest().as_bytes()[1..length], b"\n" | b"\r\n") {
            self.blanks_at_line_ends.push(Span {
                file: self.file,
                start: self.at as u32,
                end: end as u32,
            });
        }
        self.at = end;
    }

    /// Whether a line ends in the middle of a word here.
    fn word_continues(&self) -> bool {
        let line_end = continuation(self.rest());
        line_end > 0 && self.rest()[line_end..].starts_with(is_of_word)
    }

    /// A string may go over several lines. It may contain directives that select its lines or give them numbers; in front of
    /// any other directive, and of one that belongs to a conditional around, a single quotation mark is plain text.
    fn string(&mut self) -> TokenKind {
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

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Length of a backslash and the line end after it, with the blanks between them, or 0.
fn continuation(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('\\') else {
        return 0;
    };
    let line_end = behind.trim_start_matches([' ', '\t', '\x0b', '\x0c']);
    match line_end
        .strip_prefix("\r\n")
        .or(line_end.strip_prefix('\n'))
    {
        Some(next_line) => text.len() - next_line.len(),
        None => 0,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        tokenize(FileId(0), source)
            .tokens
            .iter()
            .map(Token::text)
            .collect()
    }

    #[test]
    fn operators_are_the_longest_that_fit() {
        assert_eq!(
            texts("a|+|=b|+|c&&&d..e...f"),
            ["a", "|+|=", "b", "|+|", "c", "&&&", "d", "..", "e", "...", "f"]
        );
        assert_eq!(
            texts("x[3+:2]{#}<<=<<"),
            ["x", "[", "3", "+:", "2", "]", "{#}", "<<=", "<<"]
        );
        assert_eq!(
            texts("a>>b>>=c>=d"),
            ["a", ">", ">", "b", ">>=", "c", ">=", "d"]
        );
    }

    #[test]
    fn numbers_end_before_a_range() {
        assert_eq!(texts("0x1F..8w0b1_0"), ["0x1F", "..", "8w0b1_0"]);
    }

    #[test]
    fn blanks_comments_and_continued_lines_separate() {
        let Lexed { tokens, .. } = tokenize(FileId(0), "a /* x\n */ b // c \\\n still\nd\\\n e");
        let seen: Vec<_> = tokens.iter().map(|t| (t.text(), t.line_start)).collect();
        let expected = [("a", true), ("b", false), ("d", true), ("e", false)];
        assert_eq!(seen, expected.map(|(text, start)| (text.to_owned(), start)));
    }

    #[test]
    fn a_continued_line_splits_a_word() {
        assert_eq!(
            texts("ab\\\ncd 8\\\r\nw1 e\\\n f"),
            ["abcd", "8w1", "e", "f"]
        );
    }

    #[test]
    fn blanks_behind_a_backslash_do_not_end_a_line() {
        let blank_ends = |source: &str| -> Vec<_> {
            let found = tokenize(FileId(0), source).blanks_at_line_ends;
            found.iter().map(|span| (span.start, span.end)).collect()
        };
        assert_eq!(
            texts("ab\\ \t\ncd \"x\\  \r\ny\" // c \\\x0c\n f"),
            ["abcd", "\"xy\""]
        );
        assert_eq!(blank_ends("ab\\ \t\ncd // c \\ \r\n f"), [(2, 6), (14, 18)]);
        assert_eq!(blank_ends("a\\\nb\\\r\nc\\ d\n\\ "), []);
        assert_eq!(blank_ends("\"\n#if 1\\ \n\n#endif\n\""), [(7, 10)]);
    }

    #[test]
    fn unterminated_text_is_marked() {
        assert_eq!(
            tokenize(FileId(0), "\"abc\nd").tokens[0].kind,
            TokenKind::Malformed("unterminated string")
        );
        assert_eq!(texts("#error it is \"\n\"a\nb\" c")[5..], ["\"a\nb\"", "c"]);
        assert_eq!(
            tokenize(FileId(0), "x /* y").tokens[1].kind,
            TokenKind::Malformed("unterminated comment")
        );
        assert_eq!(
            tokenize(FileId(0), "\"abc\\").tokens[0].kind,
            TokenKind::Malformed("unterminated string")
        );
    }
}
