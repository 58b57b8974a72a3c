// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Expansion of macros (C11 6.10.3, with GNU's named variable arguments and `, ## __VA_ARGS__`).

use std::collections::HashMap;

use super::definition::Macro;
use super::state::{PpToken, Preprocessor};
use crate::lexer::{tokenize, Token, TokenKind};
use crate::limits::MAX_MACRO_DEPTH;
use crate::span::{FileId, Span};

impl Preprocessor<'_> {
    pub fn has_macro(&self, name: &str) -> bool {
        self.macros.contains_key(name) || DYNAMIC.contains(&name)
    }

    /// `None`: the token was a macro, and what it stands for is pending now.
    pub fn expand(&mut self, token: PpToken) -> Option<PpToken> {
        let Some(name) = token.token.identifier().cloned() else {
            return Some(token);
        };
        let Some(definition) = self.macros.get(&name).cloned() else {
            return Some(self.expand_dynamic(token, &name));
        };
        if token.hidden.contains(&name) {
            return Some(token);
        }
        let arguments = match &definition.params {
            None => Vec::new(),
            Some(params) => {
                let next = self.next_unexpanded();
                if !next.as_ref().is_some_and(|t| t.token.is("(")) {
                    self.pending.extend(next);
                    return Some(token);
                }
                self.arguments(&name, &definition, params.len(), token.token.span)?
            }
        };
        let hidden = token.hidden.with(&name);
        let mut expansion = self.substitute(&definition, &arguments, token.token.span);
        for (position, expanded) in expansion.iter_mut().enumerate() {
            expanded.hidden = if expanded.hidden.is_empty() {
                hidden.clone()
            } else {
                expanded.hidden.with(&name)
            };
            expanded.token.line_start = position == 0 && token.token.line_start;
            if position == 0 {
                expanded.token.space_before = token.token.space_before;
            }
        }
        self.count(expansion.len(), token.token.span);
        if !self.stopped {
            self.pending.extend(expansion.into_iter().rev());
        }
        None
    }

    /// Reads the arguments after `(`.
    fn arguments(
        &mut self,
        name: &str,
        definition: &Macro,
        wanted: usize,
        span: Span,
    ) -> Option<Vec<Vec<PpToken>>> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let Some(token) = self.next_unexpanded() else {
                if !self.stopped {
                    self.diagnostics
                        .error(span, format!("the arguments of macro '{name}' have no ')'"));
                }
                return None;
            };
            let may_split = depth == 0 && !(definition.variadic && arguments.len() == wanted);
            if token.token.is("(") {
                depth += 1;
            } else if token.token.is(")") {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if token.token.is(",") && may_split {
                arguments.push(Vec::new());
                continue;
            }
            arguments.last_mut()?.push(token);
        }
        if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        if arguments.len() != wanted {
            let given = arguments.len();
            self.diagnostics
                .error(
                    span,
                    format!("macro '{name}' takes {wanted} arguments, not {given}"),
                )
                .note(definition.span, "defined here");
            return None;
        }
        Some(arguments)
    }

    fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<PpToken>],
        span: Span,
    ) -> Vec<PpToken> {
        let body = &definition.body;
        let mut expanded: HashMap<usize, Vec<PpToken>> = HashMap::new();
        let mut result: Vec<PpToken> = Vec::new();
        let mut at = 0;
        // The start of the left operand of the next `##`: pasting with an empty argument leaves the other side as it
        // is.
        let mut operand_start = 0;
        while at < body.len() {
            let token = &body[at];
            let pastes = token.is("##") && at > 0;
            if pastes {
                at += 1;
            }
            let (right, used) =
                self.operand(definition, arguments, &mut expanded, at, pastes, span);
            at += used;
            if pastes {
                let comma = result.last().is_some_and(|t| t.token.is(","));
                let variable = definition.variadic
                    && body.get(at - used).and_then(|t| definition.param(t))
                        == Some(arguments.len() - 1);
                if comma && variable {
                    if right.is_empty() {
                        result.pop();
                    }
                    result.extend(right);
                } else if result.len() > operand_start {
                    self.paste(&mut result, right, span);
                } else {
                    result.extend(right);
                }
            } else {
                operand_start = result.len();
                result.extend(right);
            }
        }
        result
    }

    /// The expansion of the body's token number `at`, and the number of the body's tokens that it took.
    fn operand(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<PpToken>],
        expanded: &mut HashMap<usize, Vec<PpToken>>,
        at: usize,
        pasted: bool,
        span: Span,
    ) -> (Vec<PpToken>, usize) {
        let body = &definition.body;
        let Some(token) = body.get(at) else {
            return (Vec::new(), 1);
        };
        let stringified = body
            .get(at + 1)
            .filter(|_| token.is("#"))
            .and_then(|t| definition.param(t));
        if let Some(param) = stringified {
            let spelling = stringify(&arguments[param]);
            let kind = TokenKind::String(spelling.into());
            return (
                vec![Token {
                    kind,
                    span,
                    ..token.clone()
                }
                .into()],
                2,
            );
        }
        let Some(param) = definition.param(token) else {
            return (
                vec![Token {
                    span,
                    ..token.clone()
                }
                .into()],
                1,
            );
        };
        let as_written = pasted || body.get(at + 1).is_some_and(|t| t.is("##"));
        let mut tokens = if as_written {
            arguments[param].clone()
        } else {
            match expanded.get(&param) {
                Some(tokens) => tokens.clone(),
                None => {
                    let tokens = self.expand_argument(&arguments[param], span);
                    expanded.insert(param, tokens.clone());
                    tokens
                }
            }
        };
        if let Some(first) = tokens.first_mut() {
            first.token.space_before = token.space_before;
        }
        (tokens, 1)
    }

    fn expand_argument(&mut self, argument: &[PpToken], span: Span) -> Vec<PpToken> {
        if self.isolated >= MAX_MACRO_DEPTH {
            self.stop(
                span,
                format!("macro arguments are nested more than {MAX_MACRO_DEPTH} deep"),
            );
            return Vec::new();
        }
        self.count(argument.len(), span);
        self.expand_apart(argument.to_vec())
    }

    /// Joins the last token so far with the first of `right`. Two that do not make one token stay two, as for p4c, which runs
    /// the C preprocessor in its mode for assemblers.
    fn paste(&mut self, result: &mut Vec<PpToken>, right: Vec<PpToken>, span: Span) {
        let mut right = right.into_iter();
        let Some(second) = right.next() else { return };
        let Some(first) = result.pop() else { return };
        let text = first.token.text() + &second.token.text();
        match tokenize(FileId(0), &text).tokens.as_slice() {
            [joined] if !matches!(joined.kind, TokenKind::Malformed(_)) => {
                let kind = joined.kind.clone();
                result.push(
                    Token {
                        kind,
                        span,
                        ..first.token
                    }
                    .into(),
                );
            }
            _ => result.extend([first, second]),
        }
        result.extend(right);
    }

    fn expand_dynamic(&mut self, token: PpToken, name: &str) -> PpToken {
        if !DYNAMIC.contains(&name) {
            return token;
        }
        let location = self.sources.location(token.token.span);
        let number = |n: u64| TokenKind::Number(n.to_string().into());
        let quoted =
            |path: &std::path::Path| TokenKind::String(quote(&path.display().to_string()).into());
        let kind = match name {
            "__LINE__" => number(location.line.into()),
            "__FILE__" => quoted(&location.path),
            "__BASE_FILE__" => quoted(&self.main_path),
            "__INCLUDE_LEVEL__" => number(self.open.len().saturating_sub(1) as u64),
            _ => {
                self.counter += 1;
                number(self.counter - 1)
            }
        };
        Token {
            kind,
            ..token.token
        }
        .into()
    }
}

/// Macros whose value depends on where they stand.
const DYNAMIC: [&str; 5] = [
    "__LINE__",
    "__FILE__",
    "__BASE_FILE__",
    "__INCLUDE_LEVEL__",
    "__COUNTER__",
];

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `#param`: the argument's spelling as a string, with one space where there were any.
fn stringify(argument: &[PpToken]) -> String {
    let mut text = String::new();
    for (position, token) in argument.iter().enumerate() {
        if position > 0 && (token.token.space_before || token.token.line_start) {
            text.push(' ');
        }
        let spelling = token.token.text();
        if matches!(token.token.kind, TokenKind::String(_)) {
            text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&spelling);
        }
    }
    format!("\"{text}\"")
}
