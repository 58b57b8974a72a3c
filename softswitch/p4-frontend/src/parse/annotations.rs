// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: annotations, structured and not, and the older `@pragma` lines.

use super::literals::parse_integer;
use super::{Parsed, Parser};
use crate::ast::{Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, Name};
use crate::lexer::{unescape, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.at_punct("@") {
            let annotation = self.annotation()?;
            self.check_duplicate(&annotations, &annotation);
            annotations.push(annotation);
        }
        Ok(annotations)
    }

    /// A structured annotation is the only one of its name (section "Structured Annotations" of the specification).
    fn check_duplicate(&mut self, earlier: &[Annotation], annotation: &Annotation) {
        let name = &annotation.name;
        let clashes = |other: &Annotation| {
            other.name.text == name.text && (is_structured(other) || is_structured(annotation))
        };
        if earlier.iter().any(clashes) {
            let message = format!(
                "`@{}` is there twice: a structured annotation is the only one of its name",
                name.text
            );
            self.error(name.span, message);
        }
    }

    fn annotation(&mut self) -> Parsed<Annotation> {
        let start = self.expect("@")?;
        if self.at_word("pragma") && self.word_ahead(1).is_some() && !self.ahead(1).line_start {
            self.advance();
            return self.pragma(start);
        }
        let name = self.annotation_name()?;
        let body = if name.text == "field_list" && self.eat("(") {
            // v1model's own: numbers, which may be constants by name.
            AnnotationBody::Expressions(self.comma_list(")", true, Self::expression)?)
        } else if self.eat("(") {
            let mut tokens = Vec::new();
            self.annotation_tokens(&mut tokens)?;
            AnnotationBody::Unstructured(tokens)
        } else if self.eat("[") {
            self.structured_annotation()?
        } else {
            AnnotationBody::None
        };
        Ok(Annotation {
            name,
            body,
            span: self.span_from(start),
        })
    }

    /// Keywords may name annotations.
    fn annotation_name(&mut self) -> Parsed<Name> {
        if self.token().identifier().is_none() {
            return Err(self.expected("the annotation's name"));
        }
        let token = self.advance();
        Ok(Name {
            text: token.text(),
            span: token.span,
        })
    }

    /// `@pragma name anything`: up to the end of the line.
    fn pragma(&mut self, start: Span) -> Parsed<Annotation> {
        let name = self.annotation_name()?;
        let mut tokens = Vec::new();
        while !self.token().line_start && !self.at_end() {
            tokens.push(self.annotation_token()?);
        }
        let body = AnnotationBody::Unstructured(tokens);
        Ok(Annotation {
            name,
            body,
            span: self.span_from(start),
        })
    }

    /// Tokens up to the `)` that closes the annotation.
    fn annotation_tokens(&mut self, tokens: &mut Vec<AnnotationToken>) -> Parsed<()> {
        let mut depth = 0;
        loop {
            if self.at_end() {
                return Err(self.expected("')' at the end of the annotation"));
            }
            if self.at_punct("(") {
                depth += 1;
            } else if self.at_punct(")") {
                if depth == 0 {
                    self.advance();
                    return Ok(());
                }
                depth -= 1;
            }
            tokens.push(self.annotation_token()?);
        }
    }

    fn annotation_token(&mut self) -> Parsed<AnnotationToken> {
        let token = self.advance();
        let (kind, text) = match &token.kind {
            TokenKind::Identifier(text) => (AnnotationTokenKind::Identifier, text.to_string()),
            TokenKind::String(text) => (AnnotationTokenKind::String, unescape(text)),
            TokenKind::Number(text) => match parse_integer(text) {
                Ok(integer) => (
                    AnnotationTokenKind::Integer(integer.value),
                    text.to_string(),
                ),
                Err(message) => return Err(self.error(token.span, message)),
            },
            _ => (AnnotationTokenKind::Punctuation, token.text()),
        };
        Ok(AnnotationToken {
            kind,
            text,
            span: token.span,
        })
    }

    fn structured_annotation(&mut self) -> Parsed<AnnotationBody> {
        let pairs = self.is_name_ahead(0) && self.ahead(1).is("=");
        if pairs {
            let pairs = self.comma_list("]", true, |p| {
                let name = p.name("a key")?;
                p.expect("=")?;
                Ok((name, p.expression()?))
            })?;
            return Ok(AnnotationBody::KeyValues(pairs));
        }
        Ok(AnnotationBody::Expressions(self.comma_list(
            "]",
            true,
            Self::expression,
        )?))
    }
}

fn is_structured(annotation: &Annotation) -> bool {
    match annotation.body {
        // As v1model writes it, in parentheses.
        AnnotationBody::Expressions(_) => annotation.name.text != "field_list",
        AnnotationBody::KeyValues(_) => true,
        AnnotationBody::Unstructured(_) | AnnotationBody::None => false,
    }
}
