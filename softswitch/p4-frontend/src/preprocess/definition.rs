// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Definitions of macros, and the set of macros that a token came out of.

use std::rc::Rc;

use crate::lexer::{Token, TokenKind};
use crate::span::Span;

#[derive(Debug)]
pub(super) struct Macro {
    /// `None`: object-like.
    pub params: Option<Vec<Rc<str>>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Vec<Token>,
    pub span: Span,
}

/// The macros that a token came out of.
#[derive(Clone, Debug, Default)]
pub(super) struct Hidden(Option<Rc<(Rc<str>, Hidden)>>);

impl Hidden {
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn contains(&self, name: &str) -> bool {
        let mut at = self;
        while let Some(node) = &at.0 {
            if &*node.0 == name {
                return true;
            }
            at = &node.1;
        }
        false
    }

    pub fn with(&self, name: &Rc<str>) -> Hidden {
        if self.contains(name) {
            return self.clone();
        }
        Hidden(Some(Rc::new((Rc::clone(name), self.clone()))))
    }
}

impl Macro {
    /// `rest`: what follows the name in its `#define`.
    pub fn parse(span: Span, rest: &[Token]) -> Result<Macro, (Span, String)> {
        let has_params = rest.first().is_some_and(|t| t.is("(") && !t.space_before);
        if !has_params {
            let definition = Macro {
                params: None,
                variadic: false,
                body: rest.to_vec(),
                span,
            };
            return definition.checked();
        }
        let mut params: Vec<Rc<str>> = Vec::new();
        let mut variadic = false;
        let mut at = 1;
        let problem = |at: usize, message: &str| {
            let place = rest.get(at).or(rest.last()).map_or(span, |t| t.span);
            Err((place, message.to_owned()))
        };
        while !rest.get(at).is_some_and(|t| t.is(")")) {
            let Some(token) = rest.get(at) else {
                return problem(at, "expected ')' after the macro's parameters");
            };
            if variadic {
                return problem(at, "'...' must be the last parameter");
            }
            if let Some(name) = token.identifier() {
                if params.contains(name) {
                    return problem(at, "this macro parameter is declared twice");
                }
                params.push(Rc::clone(name));
                at += 1;
                if rest.get(at).is_some_and(|t| t.is("...")) {
                    variadic = true;
                    at += 1;
                }
            } else if token.is("...") {
                params.push("__VA_ARGS__".into());
                variadic = true;
                at += 1;
            } else {
                return problem(at, "expected a parameter name");
            }
            match rest.get(at) {
                Some(token) if token.is(",") => {
                    at += 1;
                    if rest.get(at).is_some_and(|t| t.is(")")) {
                        return problem(at, "expected a parameter name");
                    }
                }
                Some(token) if token.is(")") => {}
                _ => return problem(at, "expected ',' or ')' after a macro parameter"),
            }
        }
        let body = rest[at + 1..].to_vec();
        Macro {
            params: Some(params),
            variadic,
            body,
            span,
        }
        .checked()
    }

    fn checked(self) -> Result<Macro, (Span, String)> {
        let at_edge = [self.body.first(), self.body.last()]
            .into_iter()
            .flatten()
            .find(|t| t.is("##"));
        if let Some(paste) = at_edge {
            return Err((paste.span, "'##' needs a token on either side".to_owned()));
        }
        let malformed = self.body.iter().find_map(|t| match t.kind {
            TokenKind::Malformed(problem) => Some((t.span, problem.to_owned())),
            _ => None,
        });
        malformed.map_or(Ok(self), Err)
    }

    pub fn same_as(&self, other: &Macro) -> bool {
        let same_token = |(a, b): (&Token, &Token)| a.kind == b.kind;
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(same_token)
    }

    pub fn param(&self, token: &Token) -> Option<usize> {
        let name = token.identifier()?;
        self.params.as_ref()?.iter().position(|param| param == name)
    }
}
