// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: types where they are used.

use super::{Parsed, Parser};
use crate::ast::{Expr, Name, Path, Type, TypeKind};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// A type can start here. So can `T.member`, an expression: [`Parser::at_type_in_expression`] distinguishes the two.
    pub(super) fn at_type(&self) -> bool {
        match self.word_ahead(0) {
            Some(
                "bool" | "bit" | "int" | "varbit" | "string" | "tuple" | "error" | "match_kind"
                | "void",
            ) => true,
            Some("list") => self.ahead(1).is("<"),
            Some(word) => !super::is_reserved(word) && self.scopes.is_type(word),
            None => {
                self.at_punct(".")
                    && self
                        .word_ahead(1)
                        .is_some_and(|word| self.scopes.is_global_type(word))
            }
        }
    }

    /// A type, not the value `T.member` nor a constructor call, starts `n` tokens from here.
    pub(super) fn at_type_in_expression(&self, n: usize) -> bool {
        let (is_type, after) = match self.word_ahead(n) {
            Some(
                "bool" | "bit" | "int" | "varbit" | "string" | "tuple" | "match_kind" | "void"
                | "_",
            ) => return true,
            Some("error") => (true, n + 1),
            Some("list") => return self.ahead(n + 1).is("<"),
            Some(word) => (self.scopes.is_type(word), n + 1),
            None => match self.word_ahead(n + 1) {
                Some(word) if self.ahead(n).is(".") => (self.scopes.is_global_type(word), n + 2),
                _ => (false, n),
            },
        };
        is_type && !self.ahead(after).is(".") && !self.ahead(after).is("(")
    }

    pub(super) fn type_ref(&mut self) -> Parsed<Type> {
        self.nested(|p| {
            let base = p.base_or_named_type()?;
            p.stack_suffixes(base)
        })
    }

    /// `[n]` after a type or after a declared name.
    pub(super) fn stack_suffixes(&mut self, mut ty: Type) -> Parsed<Type> {
        let mut length = 0;
        while self.eat("[") {
            length += 1;
            self.check_chain(length)?;
            let size = self.expression()?;
            self.expect("]")?;
            let span = self.span_from(ty.span);
            let kind = TypeKind::Stack(Box::new(ty), Box::new(size));
            ty = Type { kind, span };
        }
        Ok(ty)
    }

    fn base_or_named_type(&mut self) -> Parsed<Type> {
        let start = self.token().span;
        let word = self.word_ahead(0).unwrap_or_default().to_owned();
        let kind = match word.as_str() {
            "void" => TypeKind::Void,
            "bool" => TypeKind::Bool,
            "error" => TypeKind::Error,
            "match_kind" => TypeKind::MatchKind,
            "string" => TypeKind::String,
            "bit" | "int" | "varbit" => return self.sized_type(&word),
            "tuple" => {
                self.advance();
                self.expect("<")?;
                let items = self.comma_list(">", false, Self::type_argument)?;
                return Ok(Type {
                    kind: TypeKind::Tuple(items),
                    span: self.span_from(start),
                });
            }
            "list" if self.ahead(1).is("<") => {
                self.advance();
                self.expect("<")?;
                let item = self.type_argument()?;
                self.expect(">")?;
                return Ok(Type {
                    kind: TypeKind::List(Box::new(item)),
                    span: self.span_from(start),
                });
            }
            _ => return self.named_type(),
        };
        self.advance();
        Ok(Type { kind, span: start })
    }

    fn sized_type(&mut self, word: &str) -> Parsed<Type> {
        let start = self.advance().span;
        let mut width: Option<Box<Expr>> = None;
        if self.at_punct("<") {
            self.advance();
            width = Some(Box::new(self.expression_before_greater()?));
            self.expect(">")?;
        }
        let kind = match (word, width) {
            ("bit", width) => TypeKind::Bit(width),
            ("int", None) => TypeKind::InfInt,
            ("int", Some(width)) => TypeKind::Int(width),
            (_, Some(width)) => TypeKind::Varbit(width),
            (_, None) => return Err(self.expected("'<' and the largest width of the varbit")),
        };
        Ok(Type {
            kind,
            span: self.span_from(start),
        })
    }

    /// `T`, `.T`, `T<A, B>`.
    pub(super) fn named_type(&mut self) -> Parsed<Type> {
        let start = self.token().span;
        let path = self.path("a type")?;
        let known = if path.absolute {
            self.scopes.is_global_type(&path.name.text)
        } else {
            self.scopes.is_type(&path.name.text)
        };
        if !known {
            let name = &path.name.text;
            let hint = match self.scopes.closest_type(name).filter(|_| !self.trying) {
                Some(close) => format!(": did you mean '{close}'?"),
                None => String::new(),
            };
            self.error(path.name.span, format!("there is no type '{name}'{hint}"));
            // Each of its uses is the same mistake.
            if !self.trying {
                self.scopes.declare_global_type(name);
                self.unknown_type = Some(self.at - 1);
            }
        }
        self.type_arguments_of(path, start)
    }

    fn type_arguments_of(&mut self, path: Path, start: crate::span::Span) -> Parsed<Type> {
        let kind = if self.at_punct("<") {
            TypeKind::Specialized(path, self.type_arguments()?)
        } else {
            TypeKind::Named(path)
        };
        Ok(Type {
            kind,
            span: self.span_from(start),
        })
    }

    /// `<A, B>`.
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<Type>> {
        self.expect("<")?;
        self.comma_list(">", false, Self::type_argument)
    }

    /// Unlike elsewhere, a name need not be known yet: in `List<T> f<T>()` it is declared after its use.
    fn type_argument(&mut self) -> Parsed<Type> {
        if self.at_word("_") {
            let span = self.advance().span;
            return Ok(Type {
                kind: TypeKind::DontCare,
                span,
            });
        }
        if self.is_name_ahead(0) && !self.at_type() {
            return self.undeclared_type();
        }
        self.type_ref()
    }

    /// The result of a function: it may be one of the type parameters that follow.
    pub(super) fn result_type(&mut self) -> Parsed<Type> {
        if self.is_name_ahead(0) && !self.at_type() {
            return self.undeclared_type();
        }
        self.type_ref()
    }

    fn undeclared_type(&mut self) -> Parsed<Type> {
        let start = self.token().span;
        let path = self.path("a type")?;
        self.nested(|p| p.type_arguments_of(path, start))
    }

    /// `<T, U>` after a declared name; the names are types from here on.
    pub(super) fn type_parameters(&mut self) -> Parsed<Vec<Name>> {
        if !self.eat("<") {
            return Ok(Vec::new());
        }
        let names = self.comma_list(">", false, |p| p.name("a type parameter"))?;
        if names.is_empty() {
            let span = self.previous_span();
            return Err(self.error(span, "expected a type parameter"));
        }
        for name in &names {
            self.scopes.declare_type(&name.text);
        }
        Ok(names)
    }

    /// Two names in a row: a declaration whose type is not known.
    pub(super) fn at_unknown_type(&self) -> bool {
        let name_after = |n: usize| {
            self.is_name_ahead(n) && matches!(self.ahead(n).kind, TokenKind::Identifier(_))
        };
        self.is_name_ahead(0) && name_after(1)
    }
}
