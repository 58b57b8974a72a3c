// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: declarations at the top level.

use super::{Parsed, Parser};
use crate::ast::{
    Annotation, Decl, DeclKind, Direction, Field, Name, Parameter, Program, Signature, Type,
    TypeKind,
};

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut decls = Vec::new();
        while !self.at_end() {
            if self.eat(";") {
                continue;
            }
            let (start, depth, in_state) = (self.at, self.scopes.depth(), self.in_state);
            if self.at_punct("}") {
                self.expected("a declaration");
                self.advance();
                continue;
            }
            if self.declaration(&mut decls).is_err() {
                self.scopes.leave_to(depth);
                self.nesting = 0;
                self.in_state = in_state;
                self.recover(start);
                if self.at == start {
                    self.advance();
                }
            }
        }
        Program { decls }
    }

    /// One declaration; a typedef of a type declared in place gives two.
    fn declaration(&mut self, decls: &mut Vec<Decl>) -> Parsed<()> {
        let annotations = self.annotations()?;
        let start = self.token().span;
        let word = self.word_ahead(0).unwrap_or_default().to_owned();
        let decl = match word.as_str() {
            "const" => self.constant(annotations)?,
            "action" => self.action(annotations)?,
            "parser" => self.parser(annotations)?,
            "control" => self.control(annotations)?,
            "package" => self.package(annotations)?,
            "struct" | "header" | "header_union" => self.struct_like(annotations)?,
            "enum" => self.enumeration(annotations)?,
            "typedef" => return self.typedef(annotations, decls),
            "type" if !self.ahead(1).is("<") => self.newtype(annotations)?,
            "error" | "match_kind" if self.ahead(1).is("{") => {
                self.members_declaration(annotations)?
            }
            "extern" => {
                decls.extend(self.external(annotations)?);
                return Ok(());
            }
            _ if !self.at_type() && !self.is_name_ahead(0) => {
                return Err(self.expected("a declaration"))
            }
            _ if self.ahead(1).is("{") => {
                let message = format!("expected 'struct', 'header' or 'enum' in front of '{word}'");
                self.scopes.declare_global_type(&word);
                return Err(self.error(start, message));
            }
            _ => {
                let ty = self.result_type()?;
                if self.at_punct("(") {
                    self.instance(annotations, ty, start)?
                } else {
                    self.function(annotations, ty, start)?
                }
            }
        };
        decls.push(decl);
        Ok(())
    }

    fn package(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("package")?;
        let (name, signature) = self.container_head("the package's name")?;
        self.scopes.leave();
        self.expect(";")?;
        let kind = DeclKind::Package(signature);
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    /// `name<T>(parameters)` of a parser, control or package. The name is a type from here on; a scope is left open.
    pub(super) fn container_head(&mut self, what: &str) -> Parsed<(Name, Signature)> {
        let name = self.name(what)?;
        self.scopes.declare_type(&name.text);
        self.scopes.enter();
        let type_params = self.type_parameters()?;
        let params = self.parameters()?;
        Ok((
            name,
            Signature {
                type_params,
                params,
            },
        ))
    }

    /// `(parameters)`, whose names are declared.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(")?;
        let params = self.comma_list(")", false, Self::parameter)?;
        for param in &params {
            self.scopes.declare_object(&param.name.text);
        }
        Ok(params)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.token().span;
        let annotations = self.annotations()?;
        let direction = match self.word_ahead(0) {
            Some("in") => Direction::In,
            Some("out") => Direction::Out,
            Some("inout") => Direction::InOut,
            _ => Direction::None,
        };
        if direction != Direction::None {
            self.advance();
        }
        let ty = self.type_ref()?;
        let name = self.name("the parameter's name")?;
        let ty = self.stack_suffixes(ty)?;
        let default = if self.eat("=") {
            Some(self.expression()?)
        } else {
            None
        };
        let span = self.span_from(start);
        Ok(Parameter {
            annotations,
            direction,
            ty,
            name,
            default,
            span,
        })
    }

    fn struct_like(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let keyword = self.advance();
        let name = self.name("the type's name")?;
        self.scopes.declare_type(&name.text);
        self.scopes.enter();
        let type_params = self.type_parameters()?;
        self.expect("{")?;
        let fields = self.fields();
        self.scopes.leave();
        self.expect("}")?;
        let kind = match keyword.text().as_str() {
            "struct" => DeclKind::Struct {
                type_params,
                fields,
            },
            "header" => DeclKind::Header {
                type_params,
                fields,
            },
            _ => DeclKind::HeaderUnion {
                type_params,
                fields,
            },
        };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(keyword.span),
        })
    }

    fn fields(&mut self) -> Vec<Field> {
        let mut fields = Vec::new();
        while !self.at_end() && !self.at_punct("}") {
            let (start, nesting) = (self.at, self.nesting);
            match self.field() {
                Ok(field) => fields.push(field),
                Err(_) => {
                    self.nesting = nesting;
                    self.recover(start);
                    if self.at == start {
                        break;
                    }
                }
            }
        }
        fields
    }

    fn field(&mut self) -> Parsed<Field> {
        let annotations = self.annotations()?;
        let ty = self.type_ref()?;
        let name = self.name("the field's name")?;
        let ty = self.stack_suffixes(ty)?;
        self.expect(";")?;
        Ok(Field {
            annotations,
            ty,
            name,
        })
    }

    fn enumeration(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("enum")?;
        let plain = self.is_name_ahead(0) && self.ahead(1).is("{");
        let ty = if plain { None } else { Some(self.type_ref()?) };
        let name = self.name("the enum's name")?;
        self.scopes.declare_type(&name.text);
        self.expect("{")?;
        let kind = match ty {
            None => DeclKind::Enum {
                members: self.members(true)?,
            },
            Some(ty) => {
                let members = self.comma_list("}", true, |p| {
                    let name = p.name("a member's name")?;
                    p.expect("=")?;
                    Ok((name, p.expression()?))
                })?;
                DeclKind::SerEnum { ty, members }
            }
        };
        self.not_empty(&kind)?;
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    fn not_empty(&mut self, kind: &DeclKind) -> Parsed<()> {
        let empty = match kind {
            DeclKind::Enum { members }
            | DeclKind::Error { members }
            | DeclKind::MatchKind { members } => members.is_empty(),
            DeclKind::SerEnum { members, .. } => members.is_empty(),
            _ => false,
        };
        if !empty {
            return Ok(());
        }
        let span = self.previous_span();
        Err(self.error(span, "expected a member's name, found '}'"))
    }

    /// Names up to `}`; the grammar allows a comma after the last one everywhere but in `error`.
    fn members(&mut self, trailing: bool) -> Parsed<Vec<Name>> {
        self.comma_list("}", trailing, |p| p.name("a member's name"))
    }

    /// `error { ... }` or `match_kind { ... }`.
    fn members_declaration(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let keyword = self.advance();
        if let Some(annotation) = annotations.first() {
            return Err(self.error(
                annotation.span,
                format!("'{}' cannot have annotations", keyword.text()),
            ));
        }
        self.expect("{")?;
        let members = self.members(!keyword.is_word("error"))?;
        let kind = match keyword.text().as_str() {
            "error" => DeclKind::Error { members },
            _ => DeclKind::MatchKind { members },
        };
        self.not_empty(&kind)?;
        let name = Name {
            text: String::new(),
            span: keyword.span,
        };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(keyword.span),
        })
    }

    fn typedef(&mut self, annotations: Vec<Annotation>, decls: &mut Vec<Decl>) -> Parsed<()> {
        let start = self.expect_word("typedef")?;
        let inner_annotations = self.annotations()?;
        let ty = match self.word_ahead(0) {
            Some("struct" | "header" | "header_union") => {
                self.declared_in_place(inner_annotations, decls, Self::struct_like)?
            }
            Some("enum") => self.declared_in_place(inner_annotations, decls, Self::enumeration)?,
            _ => self.type_ref()?,
        };
        let name = self.name("the new type's name")?;
        let ty = self.stack_suffixes(ty)?;
        self.expect(";")?;
        self.scopes.declare_type(&name.text);
        let kind = DeclKind::Typedef { ty };
        decls.push(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        });
        Ok(())
    }

    fn declared_in_place(
        &mut self,
        annotations: Vec<Annotation>,
        decls: &mut Vec<Decl>,
        parse: impl FnOnce(&mut Self, Vec<Annotation>) -> Parsed<Decl>,
    ) -> Parsed<Type> {
        let decl = parse(self, annotations)?;
        let path = crate::ast::Path {
            absolute: true,
            name: decl.name.clone(),
        };
        let ty = Type {
            kind: TypeKind::Named(path),
            span: decl.name.span,
        };
        decls.push(decl);
        Ok(ty)
    }

    fn newtype(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("type")?;
        let ty = self.type_ref()?;
        let name = self.name("the new type's name")?;
        let ty = self.stack_suffixes(ty)?;
        self.expect(";")?;
        self.scopes.declare_type(&name.text);
        let kind = DeclKind::Newtype { ty };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }
}
