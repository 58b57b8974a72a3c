// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Lines that start with `#`.

use std::path::PathBuf;
use std::rc::Rc;

use super::definition::Macro;
use super::state::{Conditional, PpToken, Preprocessor};
use crate::lexer::{unescape, Token, TokenKind};
use crate::span::Span;
use crate::warnings::Warning;

impl Preprocessor<'_> {
    /// `hash` starts a line, and `line` is the rest of it.
    pub fn directive(&mut self, hash: &Token, line: &[Token]) {
        let skipping = self.open.last().is_some_and(|open| open.skipping());
        let Some(first) = line.first() else { return };
        let name = first.text();
        let rest = &line[1..];
        let span = hash.span.to(first.span);
        match name.as_str() {
            "if" => self.open_conditional(span, |pp| pp.condition(rest, span)),
            "ifdef" => self.open_conditional(span, |pp| pp.is_defined(rest, span)),
            "ifndef" => self.open_conditional(span, |pp| !pp.is_defined(rest, span)),
            "elif" => self.elif(span, |pp| pp.condition(rest, span)),
            "elifdef" => self.elif(span, |pp| pp.is_defined(rest, span)),
            "elifndef" => self.elif(span, |pp| !pp.is_defined(rest, span)),
            "else" => self.else_group(span),
            "endif" => {
                if self
                    .open
                    .last_mut()
                    .and_then(|open| open.conditionals.pop())
                    .is_none()
                {
                    self.diagnostics.error(span, "#endif without #if");
                }
            }
            _ if skipping => {}
            "define" => self.define(rest, span),
            "undef" => match rest.first().and_then(Token::identifier) {
                Some(name) => {
                    self.macros.remove(name);
                }
                None => {
                    self.diagnostics.error(span, "#undef needs a macro name");
                }
            },
            "include" => self.include_directive(rest, span),
            "error" => {
                let message = format!("#error {}", self.line_text(rest));
                self.diagnostics
                    .error(whole(span, rest), message.trim_end());
            }
            "warning" => {
                let message = format!("#warning {}", self.line_text(rest));
                self.diagnostics.warning(
                    Warning::Preprocessor,
                    whole(span, rest),
                    message.trim_end(),
                );
            }
            "line" => self.line_directive(rest, span),
            "pragma" => {
                if let ([once], Some(open)) = (rest, self.open.last()) {
                    if once.text() == "once" {
                        self.once.insert(open.file);
                    }
                }
            }
            _ if matches!(first.kind, TokenKind::Number(_)) => self.line_directive(line, span),
            _ => {
                self.diagnostics.warning(
                    Warning::Preprocessor,
                    span,
                    format!("unknown directive '#{name}' is ignored"),
                );
            }
        }
    }

    fn open_conditional(&mut self, span: Span, holds: impl FnOnce(&mut Self) -> bool) {
        let skipping = self.open.last().is_some_and(|open| open.skipping());
        let active = !skipping && holds(self);
        if let Some(open) = self.open.last_mut() {
            open.conditionals.push(Conditional {
                span,
                active,
                done: skipping || active,
                seen_else: false,
            });
        }
    }

    fn elif(&mut self, span: Span, holds: impl FnOnce(&mut Self) -> bool) {
        let Some(conditional) = self.innermost(span, "#elif") else {
            return;
        };
        conditional.active = false;
        if conditional.done {
            return;
        }
        let active = holds(self);
        if let Some(conditional) = self
            .open
            .last_mut()
            .and_then(|open| open.conditionals.last_mut())
        {
            conditional.active = active;
            conditional.done = active;
        }
    }

    fn else_group(&mut self, span: Span) {
        if let Some(conditional) = self.innermost(span, "#else") {
            conditional.active = !conditional.done;
            conditional.done = true;
            conditional.seen_else = true;
        }
    }

    /// The innermost open conditional, for a directive that may not follow its `#else`.
    fn innermost(&mut self, span: Span, directive: &str) -> Option<&mut Conditional> {
        let conditional = self
            .open
            .last_mut()
            .and_then(|open| open.conditionals.last_mut());
        match conditional {
            None => {
                self.diagnostics
                    .error(span, format!("{directive} without #if"));
                None
            }
            Some(conditional) if conditional.seen_else => {
                let opened = conditional.span;
                self.diagnostics
                    .error(span, format!("{directive} after #else"))
                    .note(opened, "the conditional starts here");
                None
            }
            conditional => conditional,
        }
    }

    fn is_defined(&mut self, rest: &[Token], span: Span) -> bool {
        match rest.first().and_then(Token::identifier) {
            Some(name) => self.has_macro(name),
            None => {
                self.diagnostics.error(span, "a macro name is missing here");
                false
            }
        }
    }

    fn define(&mut self, rest: &[Token], span: Span) {
        let Some((name_token, name)) = rest.first().and_then(|t| Some((t, t.identifier()?))) else {
            self.diagnostics.error(span, "#define needs a macro name");
            return;
        };
        if &**name == "defined" {
            self.diagnostics
                .error(name_token.span, "'defined' cannot be a macro's name");
            return;
        }
        let definition = match Macro::parse(name_token.span, &rest[1..]) {
            Ok(definition) => definition,
            Err((span, message)) => {
                self.diagnostics.error(span, message);
                return;
            }
        };
        let name = Rc::clone(name);
        if let Some(old) = self
            .macros
            .get(&name)
            .filter(|old| !old.same_as(&definition))
        {
            let message = format!("'{name}' is defined again, differently");
            let kind = Warning::Preprocessor;
            let found = self.diagnostics.warning(kind, name_token.span, message);
            found.map(|found| found.note(old.span, "first defined here"));
        }
        self.macros.insert(name, Rc::new(definition));
    }

    fn include_directive(&mut self, rest: &[Token], span: Span) {
        let span = whole(span, rest);
        let literal = rest
            .first()
            .is_some_and(|t| t.is("<") || matches!(t.kind, TokenKind::String(_)));
        let tokens = if literal {
            rest.to_vec()
        } else {
            let tokens = rest.iter().cloned().map(PpToken::from).collect();
            self.expand_apart(tokens)
                .into_iter()
                .map(|t| t.token)
                .collect()
        };
        let close = tokens.iter().rposition(|t| t.is(">"));
        match (tokens.first(), close) {
            (
                Some(Token {
                    kind: TokenKind::String(text),
                    ..
                }),
                _,
            ) => {
                self.include(text.trim_matches('"'), true, span);
            }
            (Some(open), Some(close)) if open.is("<") => {
                let (first, last) = (open.span, tokens[close].span);
                let name = if literal {
                    let between = Span {
                        start: first.end,
                        end: last.start,
                        ..first
                    };
                    self.sources.snippet(between).trim().to_owned()
                } else {
                    tokens[1..close].iter().map(Token::text).collect()
                };
                self.include(&name, false, span);
            }
            _ => {
                self.diagnostics
                    .error(span, "#include needs \"FILE\" or <FILE>");
            }
        }
    }

    /// `#line 12 "file"`, and `# 12 "file"` as preprocessors write it.
    fn line_directive(&mut self, rest: &[Token], span: Span) {
        let tokens = rest.iter().cloned().map(PpToken::from).collect();
        let tokens = self.expand_apart(tokens);
        let number = match tokens.first().map(|t| &t.token.kind) {
            Some(TokenKind::Number(text)) => text.parse::<u32>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            self.diagnostics.error(span, "#line needs a line number");
            return;
        };
        let path = match tokens.get(1).map(|t| &t.token.kind) {
            Some(TokenKind::String(text)) => Some(PathBuf::from(unescape(text))),
            _ => None,
        };
        self.sources.mark_line(span, number, path);
    }

    /// The text of a directive's line, as written.
    fn line_text(&self, rest: &[Token]) -> String {
        match (rest.first(), rest.last()) {
            (Some(first), Some(last)) => self.sources.snippet(first.span.to(last.span)).to_owned(),
            _ => String::new(),
        }
    }
}

/// From the directive to the end of its line.
fn whole(span: Span, rest: &[Token]) -> Span {
    rest.last().map_or(span, |last| span.to(last.span))
}
