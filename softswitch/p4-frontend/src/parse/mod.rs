// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens to syntax tree: recursive descent over the grammar of the P4-16 specification (appendix "P4 grammar").
//!
//! The grammar needs to know which names are types (`a < b` or `a<b>`?), so the parser keeps the declared names by scope.
//! After an error it goes on at the next statement or declaration, so that one run shows several errors.
//!
//! In: tokens. Out: the tree of `ast/`. Begin with `declarations.rs`. All methods belong to [`Parser`]; each file has those
//! for one part of the grammar:
//!
//! | part | files |
//! |---|---|
//! | declarations | `declarations` of the top level; `blocks` parsers and controls, `functions` also externs and actions, `tables`, `variables`, `annotations` |
//! | statements | `statements`, `loops` |
//! | expressions | `expressions` by precedence, `primary` innermost, `literals`, `keysets`; `height` limits their depth |
//! | types | `types`; `scopes` knows which names are types |
//! | after an error | `recovery` |

mod annotations;
mod blocks;
mod declarations;
mod expressions;
mod functions;
mod height;
mod keysets;
mod literals;
mod loops;
mod primary;
mod recovery;
mod scopes;
mod statements;
mod tables;
mod types;
mod variables;

use std::collections::HashSet;

use crate::ast::{Name, Path, Program};
use crate::diagnostics::Diagnostics;
use crate::lexer::{Token, TokenKind};
use crate::limits::{MAX_CHAIN, MAX_NESTING};
use crate::options::P4_14;
use crate::span::Span;

use scopes::Scopes;

/// An error that was reported already; the parser gives up the current construct.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses the tokens of a program; the last one is the end of file.
pub(crate) fn parse(tokens: Vec<Token>, diagnostics: &mut Diagnostics) -> Program {
    if let Some(span) = p4_14_declaration(&tokens) {
        diagnostics.not_supported(span, P4_14);
        return Program { decls: Vec::new() };
    }
    let errors_before = diagnostics.error_count();
    let opened = tokens.iter().filter(|token| opens(token)).count();
    let closed = tokens.iter().filter(|token| token.is("}")).count();
    let unbalanced = (opened != closed).then(|| {
        format!("the program has {opened} '{{' and {closed} '}}': what follows is not looked at")
    });
    let mut parser = Parser {
        tokens,
        at: 0,
        diagnostics,
        scopes: Scopes::default(),
        nesting: 0,
        trying: false,
        not_casts: HashSet::new(),
        in_state: false,
        unknown_type: None,
        errors_before,
        unbalanced,
    };
    parser.program()
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    diagnostics: &'a mut Diagnostics,
    scopes: Scopes,
    nesting: usize,
    /// Looking ahead: errors are not reported.
    trying: bool,
    /// Tokens `(` that are known not to start a cast, so that later attempts do not try again.
    not_casts: HashSet<usize>,
    /// Inside a parser state, which may not contain every statement.
    in_state: bool,
    /// The token that was last reported as a type that there is not.
    unknown_type: Option<usize>,
    errors_before: usize,
    /// Said with the first error, which is the only one: a missing or additional brace is one mistake, and what follows is
    /// not in the block where it belongs.
    unbalanced: Option<String>,
}

/// Words that are never names. `actions`, `apply`, `entries`, `key`, `list`, `priority`, `state` and `type` are keywords only
/// in some places of the grammar.
const RESERVED: [&str; 41] = [
    "_",
    "abstract",
    "action",
    "bit",
    "bool",
    "break",
    "const",
    "continue",
    "control",
    "default",
    "else",
    "enum",
    "error",
    "exit",
    "extern",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "in",
    "inout",
    "int",
    "match_kind",
    "out",
    "package",
    "parser",
    "return",
    "select",
    "string",
    "struct",
    "switch",
    "table",
    "this",
    "transition",
    "true",
    "tuple",
    "typedef",
    "value_set",
    "varbit",
    "void",
];

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.ahead(0)
    }

    /// The token `n` after the current one; the end of file goes on for ever.
    fn ahead(&self, n: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + n).min(last)]
    }

    fn at_end(&self) -> bool {
        self.token().kind == TokenKind::EndOfFile
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        if !self.at_end() {
            self.at += 1;
        }
        token
    }

    /// Span of the token before the current one.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn span_from(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn at_punct(&self, punctuation: &str) -> bool {
        self.token().is(punctuation)
    }

    fn word_ahead(&self, n: usize) -> Option<&str> {
        self.ahead(n).identifier().map(|text| &**text)
    }

    fn at_word(&self, word: &str) -> bool {
        self.word_ahead(0) == Some(word)
    }

    fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.at_punct(punctuation);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punctuation: &str) -> Parsed<Span> {
        if self.at_punct(punctuation) {
            return Ok(self.advance().span);
        }
        Err(self.expected(&format!("'{punctuation}'")))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        if self.at_word(word) {
            return Ok(self.advance().span);
        }
        Err(self.expected(&format!("'{word}'")))
    }

    fn is_name_ahead(&self, n: usize) -> bool {
        self.word_ahead(n).is_some_and(|word| !is_reserved(word))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !self.is_name_ahead(0) {
            return Err(self.expected(what));
        }
        let token = self.advance();
        Ok(Name {
            text: token.text(),
            span: token.span,
        })
    }

    /// `a` or `.a`.
    fn path(&mut self, what: &str) -> Parsed<Path> {
        let absolute = self.eat(".");
        let name = self.name(what)?;
        Ok(Path { absolute, name })
    }

    /// Items up to `close`, separated by commas; `close` itself is read too. A comma after the last item is allowed where `trailing`.
    fn comma_list<T>(
        &mut self,
        close: &str,
        trailing: bool,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.at_punct(",") {
                return Err(self.expected(&format!("',' or '{close}'")));
            }
            self.advance();
            if trailing && self.eat(close) {
                return Ok(items);
            }
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        if !self.trying && !self.gave_up() {
            let found = self.diagnostics.error(span, message);
            if let Some(note) = &self.unbalanced {
                found.note(None, note.clone());
            }
        }
        Reported
    }

    /// `expected WHAT, found ...` at the current token, or right after the previous one when a new line has begun since.
    fn expected(&mut self, what: &str) -> Reported {
        // A type was left out in front of a name, or a word in front of a type misspelt: the name or word has been reported.
        if self.unknown_type.is_some_and(|at| self.at <= at + 2) {
            return Reported;
        }
        let token = self.token();
        let found = describe(token);
        let mut span = token.span;
        if self.at > 0 && (token.line_start || self.at_end()) {
            let end = self.previous_span().end;
            span = Span {
                start: end,
                end,
                ..self.previous_span()
            };
        }
        self.error(span, format!("expected {what}, found {found}"))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.token().span;
            return Err(self.error(span, format!("nested more than {MAX_NESTING} deep")));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn check_chain(&mut self, length: usize) -> Parsed<()> {
        if length <= MAX_CHAIN {
            return Ok(());
        }
        let span = self.token().span;
        Err(self.error(
            span,
            format!("more than {MAX_CHAIN} operations in a row: use parentheses or variables"),
        ))
    }

    /// `None` when `parse` fails; the parser is then back at the token where it started.
    fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (at, trying, nesting) = (self.at, self.trying, self.nesting);
        self.trying = true;
        let result = parse(self).ok();
        self.trying = trying;
        self.nesting = nesting;
        if result.is_none() {
            self.at = at;
        }
        result
    }
}

fn opens(token: &Token) -> bool {
    token.is("{")
}

/// A header type or a parser state as only P4-14 declares them.
fn p4_14_declaration(tokens: &[Token]) -> Option<Span> {
    let begins = |words: &&[Token]| {
        ["header_type", "parser"]
            .iter()
            .any(|word| words[0].is_word(word))
            && matches!(words[1].kind, TokenKind::Identifier(_))
            && opens(&words[2])
    };
    tokens.windows(3).find(begins).map(|words| words[0].span)
}

fn describe(token: &Token) -> String {
    match &token.kind {
        TokenKind::EndOfFile => "the end of the file".to_owned(),
        TokenKind::Identifier(text) if is_reserved(text) => format!("keyword '{text}'"),
        TokenKind::String(_) => "a string".to_owned(),
        TokenKind::Stray(c) if !c.is_ascii_graphic() => {
            format!("the character U+{:04X}", u32::from(*c))
        }
        _ => format!("'{}'", token.text()),
    }
}

#[cfg(test)]
mod tests;
