// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The expression of `#if` and `#elif`: integers of 64 bits, in which a name that is no macro is 0.

use super::state::{PpToken, Preprocessor};
use crate::lexer::{Token, TokenKind};
use crate::limits::MAX_CONDITION_DEPTH;
use crate::span::Span;

/// Lowest first; operators of one line bind equally.
const BINARY: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Preprocessor<'_> {
    /// False, with an error, where the expression is wrong.
    pub fn condition(&mut self, rest: &[Token], span: Span) -> bool {
        let resolved = match self.resolve_defined(rest) {
            Ok(tokens) => tokens,
            Err(place) => {
                self.diagnostics
                    .error(place, "expected a macro name after 'defined'");
                return false;
            }
        };
        let expanded = self.expand_apart(resolved);
        let tokens: Vec<Token> = expanded.into_iter().map(|t| t.token).collect();
        let mut evaluator = Evaluator {
            tokens: &tokens,
            at: 0,
            depth: 0,
            end: rest.last().map_or(span, |last| last.span),
        };
        let value = evaluator.whole();
        match value {
            Ok(value) => value != 0,
            Err((place, message)) => {
                self.diagnostics.error(place, message);
                false
            }
        }
    }

    /// Replaces `defined X` and `defined(X)` by 1 or 0, before anything is expanded.
    fn resolve_defined(&self, rest: &[Token]) -> Result<Vec<PpToken>, Span> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            at += 1;
            if token.identifier().is_none_or(|name| &**name != "defined") {
                tokens.push(token.clone().into());
                continue;
            }
            let parenthesized = rest.get(at).is_some_and(|t| t.is("("));
            at += usize::from(parenthesized);
            let name = rest.get(at).and_then(Token::identifier).ok_or(token.span)?;
            at += 1;
            if parenthesized {
                rest.get(at).filter(|t| t.is(")")).ok_or(token.span)?;
                at += 1;
            }
            let value = if self.has_macro(name) { "1" } else { "0" };
            let kind = TokenKind::Number(value.into());
            tokens.push(
                Token {
                    kind,
                    ..token.clone()
                }
                .into(),
            );
        }
        Ok(tokens)
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    end: Span,
}

type Evaluated = Result<i64, (Span, String)>;

impl Evaluator<'_> {
    fn whole(&mut self) -> Evaluated {
        let value = self.ternary(true)?;
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(token) => Err((
                token.span,
                format!("unexpected '{}' in a preprocessor expression", token.text()),
            )),
        }
    }

    fn place(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |t| t.span)
    }

    fn take(&mut self, punctuation: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t.is(punctuation));
        self.at += usize::from(found);
        found
    }

    /// `live`: the value counts; where it does not, a division by zero is no error.
    fn ternary(&mut self, live: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > MAX_CONDITION_DEPTH {
            return Err((
                self.place(),
                format!("expression nested more than {MAX_CONDITION_DEPTH} deep"),
            ));
        }
        let condition = self.binary(0, live)?;
        let value = if self.take("?") {
            let then = self.ternary(live && condition != 0)?;
            self.expect(":")?;
            let otherwise = self.ternary(live && condition == 0)?;
            if condition != 0 {
                then
            } else {
                otherwise
            }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn expect(&mut self, punctuation: &str) -> Result<(), (Span, String)> {
        if self.take(punctuation) {
            return Ok(());
        }
        Err((
            self.place(),
            format!("expected '{punctuation}' in a preprocessor expression"),
        ))
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let token = self.tokens.get(self.at)?;
        let shift = token.is(">")
            && self
                .tokens
                .get(self.at + 1)
                .is_some_and(|next| next.is(">") && !next.space_before);
        let spelling = if shift { ">>".to_owned() } else { token.text() };
        let operator = BINARY[level].iter().find(|o| **o == spelling)?;
        self.at += if shift { 2 } else { 1 };
        Some(operator)
    }

    fn binary(&mut self, level: usize, live: bool) -> Evaluated {
        if level == BINARY.len() {
            return self.unary(live);
        }
        let mut left = self.binary(level + 1, live)?;
        loop {
            let place = self.place();
            let Some(operator) = self.operator(level) else {
                return Ok(left);
            };
            let right_live =
                live && !(operator == "||" && left != 0) && !(operator == "&&" && left == 0);
            let right = self.binary(level + 1, right_live)?;
            left = apply(operator, left, right)
                .or(if right_live { None } else { Some(0) })
                .ok_or_else(|| {
                    (
                        place,
                        "division by zero in a preprocessor expression".to_owned(),
                    )
                })?;
        }
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > MAX_CONDITION_DEPTH {
            return Err((
                self.place(),
                format!("expression nested more than {MAX_CONDITION_DEPTH} deep"),
            ));
        }
        let value = if self.take("!") {
            i64::from(self.unary(live)? == 0)
        } else if self.take("-") {
            self.unary(live)?.wrapping_neg()
        } else if self.take("+") {
            self.unary(live)?
        } else if self.take("~") {
            !self.unary(live)?
        } else if self.take("(") {
            let value = self.ternary(live)?;
            self.expect(")")?;
            value
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Evaluated {
        let Some(token) = self.tokens.get(self.at) else {
            return Err((
                self.end,
                "a preprocessor expression ends too early".to_owned(),
            ));
        };
        self.at += 1;
        match &token.kind {
            TokenKind::Identifier(_) => Ok(0),
            TokenKind::Number(text) => integer(text).ok_or_else(|| {
                (
                    token.span,
                    format!("'{text}' is not an integer of the preprocessor"),
                )
            }),
            _ => Err((
                token.span,
                format!("unexpected '{}' in a preprocessor expression", token.text()),
            )),
        }
    }
}

/// `None`: division by zero.
fn apply(operator: &str, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if b != 0 => a.wrapping_div(b),
        "%" if b != 0 => a.wrapping_rem(b),
        _ => return None,
    })
}

/// C's integers: decimal, octal, hexadecimal, binary, with `u` and `l` suffixes.
fn integer(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix('0') {
        Some(rest) if rest.starts_with('x') => (rest[1..].trim_end_matches(['u', 'l']), 16),
        Some(rest) if rest.starts_with('b') => (rest[1..].trim_end_matches(['u', 'l']), 2),
        Some(rest) if !rest.trim_end_matches(['u', 'l']).is_empty() => {
            (rest.trim_end_matches(['u', 'l']), 8)
        }
        _ => (lower.trim_end_matches(['u', 'l']), 10),
    };
    u64::from_str_radix(digits, radix)
        .ok()
        .map(|value| value as i64)
}
