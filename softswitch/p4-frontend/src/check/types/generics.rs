// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: copies of generic structs, headers and header unions; the table of types and their limits.

use std::collections::HashSet;

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::state::entity::Entity;
use crate::check::state::types::Origin;
use crate::check::types::kinds::Container;
use crate::ir::{Field, Type, TypeDef, TypeDefKind, Value};
use crate::limits::MAX_FIELDS;
use crate::limits::MAX_TYPE_DEPTH;
use crate::limits::MAX_TYPE_NAME_BYTES;
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// The generic type `decl` for the type arguments `args`.
    pub fn copy_generic(
        &mut self,
        decl: &'a ast::Decl,
        args: Vec<Type>,
        span: Span,
    ) -> Option<Type> {
        let key = (decl.name.text.clone(), args.clone());
        if let Some(id) = self.types.copies.get(&key) {
            return Some(Type::Named(*id));
        }
        if args
            .iter()
            .any(|arg| self.types.depth(arg) > MAX_TYPE_DEPTH)
        {
            return self.error(span, "the type is nested too deeply");
        }
        for arg in &args {
            if matches!(arg, Type::Void | Type::Extern(..) | Type::MatchKind) {
                let found = self.types.show(arg);
                return self.error(
                    span,
                    format!(
                        "`{found}` cannot be a type argument of `{}`",
                        decl.name.text
                    ),
                );
            }
        }
        let position = self.scope.position_of(decl);
        let kind = self.at_top(position, |c| {
            c.bind_type_params(decl, &args);
            c.composite(decl)
        })?;
        let shown = args
            .iter()
            .map(|arg| self.types.show(arg))
            .collect::<Vec<_>>()
            .join(", ");
        if shown.len() > MAX_TYPE_NAME_BYTES {
            return self.error(span, "the type is nested too deeply");
        }
        let def = TypeDef {
            name: format!("{}<{shown}>", decl.name.text),
            annotations: decl.annotations.clone(),
            kind,
            span: decl.span,
        };
        let id = self.types.add(def, Some(Origin { decl, args }));
        self.types.copies.insert(key, id);
        Some(Type::Named(id))
    }

    /// Puts the type parameters of a declaration in scope.
    pub fn bind_type_params(&mut self, decl: &'a ast::Decl, args: &[Type]) {
        for (param, arg) in type_params(decl).iter().zip(args) {
            self.declare(param, Entity::Type(arg.clone()));
        }
    }

    /// The body of a struct, header or header union, with its type parameters in scope.
    pub fn composite(&mut self, decl: &'a ast::Decl) -> Option<TypeDefKind> {
        Some(match &decl.kind {
            DeclKind::Struct { fields, .. } => {
                TypeDefKind::Struct(self.fields(Container::Struct, fields)?)
            }
            DeclKind::Header { fields, .. } => {
                TypeDefKind::Header(self.fields(Container::Header, fields)?)
            }
            DeclKind::HeaderUnion { fields, .. } => {
                TypeDefKind::HeaderUnion(self.fields(Container::HeaderUnion, fields)?)
            }
            _ => unreachable!("only structs, headers and header unions have fields"),
        })
    }

    fn fields(&mut self, container: Container, fields: &'a [ast::Field]) -> Option<Vec<Field>> {
        let mut result: Vec<Field> = Vec::new();
        let mut failed = false;
        let mut names = HashSet::new();
        for field in fields {
            if !names.insert(&field.name.text) {
                self.error::<()>(
                    field.name.span,
                    format!("there are two fields `{}`", field.name.text),
                );
                failed = true;
            }
            let resolved = self
                .resolve_type(&field.ty)
                .filter(|ty| self.check_nesting(container, ty, field.ty.span).is_some());
            let Some(ty) = resolved else {
                failed = true;
                continue;
            };
            result.push(Field {
                name: field.name.text.clone(),
                ty,
                annotations: self.folded_annotations(&field.annotations),
                declared_as: self.scope.declared_as(&field.ty),
            });
        }
        let types: Vec<Type> = result.iter().map(|field| field.ty.clone()).collect();
        let span = fields
            .first()
            .map_or(Span::default(), |field| field.ty.span);
        self.check_size(&types, span)?;
        (!failed).then_some(result)
    }

    /// Reports an error where the types together have too many parts.
    pub fn check_size(&mut self, types: &[Type], span: Span) -> Option<()> {
        if types
            .iter()
            .any(|ty| self.types.depth(ty) >= MAX_TYPE_DEPTH)
        {
            return self.error(
                span,
                format!("the type has more than {MAX_TYPE_DEPTH} types in each other"),
            );
        }
        if self.types.leaf_count(types.iter()) <= MAX_FIELDS {
            return Some(());
        }
        self.error(
            span,
            format!("the type has more than {MAX_FIELDS} fields in all"),
        )
    }

    /// A field's annotations; the numbers in `@field_list`, which are the indices that v1model's externs take, as literals.
    fn folded_annotations(&mut self, annotations: &'a [ast::Annotation]) -> Vec<ast::Annotation> {
        annotations
            .iter()
            .map(|annotation| match &annotation.body {
                ast::AnnotationBody::Expressions(numbers)
                    if annotation.name.text == "field_list" =>
                {
                    let body = numbers.iter().filter_map(|e| self.field_list_number(e));
                    ast::Annotation {
                        body: ast::AnnotationBody::Expressions(body.collect()),
                        ..annotation.clone()
                    }
                }
                _ => annotation.clone(),
            })
            .collect()
    }

    fn field_list_number(&mut self, e: &'a ast::Expr) -> Option<ast::Expr> {
        let number = self.expr(e, None)?;
        let value = match self.known_value(number, "a number in @field_list")?? {
            Value::Int(value) => value,
            _ => return self.error(e.span, "@field_list takes integers"),
        };
        Some(ast::Expr {
            kind: ast::ExprKind::Integer { value, width: None },
            span: e.span,
        })
    }
}
