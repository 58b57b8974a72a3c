// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: types as they are written, and the rules for types inside types (section "Type nesting rules" of the
//! specification).

use num_traits::{Signed, ToPrimitive};

use crate::ast::{self, TypeKind};
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::state::entity::Entity;
use crate::check::types::kinds::Container;
use crate::diagnostics::plural;
use crate::ir::{Type, Value};
use crate::limits::MAX_STACK_ELEMENTS;
use crate::limits::MAX_WIDTH_BITS;
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// Resolves a type; type arguments must all be there.
    pub fn resolve_type(&mut self, ty: &'a ast::Type) -> Option<Type> {
        match &ty.kind {
            TypeKind::Void => Some(Type::Void),
            TypeKind::Bool => Some(Type::Bool),
            TypeKind::Error => Some(Type::Error),
            TypeKind::MatchKind => Some(Type::MatchKind),
            TypeKind::String => Some(Type::String),
            TypeKind::InfInt => Some(Type::InfInt),
            TypeKind::Bit(None) => Some(Type::Bit(1)),
            TypeKind::Bit(Some(width)) => Some(Type::Bit(self.width(width)?)),
            TypeKind::Int(width) => match self.width(width)? {
                0 => self.error(
                    width.span,
                    "`int<0>` is not a type: a signed integer has at least one bit",
                ),
                width => Some(Type::Int(width)),
            },
            TypeKind::Varbit(width) => Some(Type::Varbit(self.width(width)?)),
            TypeKind::Named(path) => match self.lookup(path)? {
                Entity::Type(ty) => Some(ty),
                Entity::GenericType(decl) => self.missing_arguments(ty.span, decl),
                Entity::Object(decl) if type_params(decl).is_empty() => {
                    Some(Type::Extern(decl.name.text.clone(), Vec::new()))
                }
                Entity::Object(decl) => self.missing_arguments(ty.span, decl),
                other => self.error(
                    ty.span,
                    format!(
                        "expected a type, but `{}` is {}",
                        path.name.text,
                        other.describe()
                    ),
                ),
            },
            TypeKind::Specialized(path, args) => {
                let entity = self.lookup(path)?;
                self.specialize(path, entity, args, ty.span)
            }
            TypeKind::Stack(element, size) => {
                let element_type = self.resolve_type(element)?;
                self.check_nesting(Container::Stack, &element_type, element.span)?;
                let count = self.constant_int(size, "the number of elements")?;
                match count.to_u32() {
                    Some(count) if count <= MAX_STACK_ELEMENTS => {
                        let array = Type::Stack(Box::new(element_type), count);
                        self.check_size(std::slice::from_ref(&array), ty.span)?;
                        Some(array)
                    }
                    _ => self.error(
                        size.span,
                        format!("the number of elements must be from 0 to {MAX_STACK_ELEMENTS}, not {count}"),
                    ),
                }
            }
            TypeKind::Tuple(items) => {
                let mut types = Vec::new();
                for item in items {
                    let resolved = self.resolve_type(item)?;
                    self.check_nesting(Container::Tuple, &resolved, item.span)?;
                    types.push(resolved);
                }
                self.check_size(&types, ty.span)?;
                Some(Type::Tuple(types))
            }
            TypeKind::List(element) => {
                let resolved = self.resolve_type(element)?;
                self.check_nesting(Container::List, &resolved, element.span)?;
                Some(Type::List(Box::new(resolved)))
            }
            TypeKind::DontCare => self.error(
                ty.span,
                "`_` stands for a type only among the type arguments of a call or instantiation",
            ),
        }
    }

    fn missing_arguments(&mut self, span: Span, decl: &ast::Decl) -> Option<Type> {
        let count = type_params(decl).len();
        self.error(
            span,
            format!(
                "`{}` is generic: it needs {count} type argument{}",
                decl.name.text,
                plural(count)
            ),
        )
    }

    fn specialize(
        &mut self,
        path: &ast::Path,
        entity: Entity<'a>,
        args: &'a [ast::Type],
        span: Span,
    ) -> Option<Type> {
        let (Entity::GenericType(decl) | Entity::Object(decl)) = entity else {
            return self.error(
                span,
                format!(
                    "`{}` is not generic: it takes no type arguments",
                    path.name.text
                ),
            );
        };
        let expected = type_params(decl).len();
        if expected != args.len() {
            return self.error(
                span,
                format!(
                    "`{}` takes {expected} type argument{}, not {}",
                    decl.name.text,
                    plural(expected),
                    args.len()
                ),
            );
        }
        let pairs: Vec<_> = type_params(decl).iter().zip(args).collect();
        let args = self.all(pairs, |c, (name, arg)| match arg.kind {
            TypeKind::DontCare if c.wildcards => Some(c.types.fresh(&name.text, false)),
            _ => c.resolve_type(arg),
        })?;
        self.check_not_in_itself(decl, &args, span)?;
        match entity {
            Entity::GenericType(decl) => self.copy_generic(decl, args, span),
            _ => Some(Type::Extern(decl.name.text.clone(), args)),
        }
    }

    /// Reports a generic type or object in its own type arguments.
    pub fn check_not_in_itself(
        &mut self,
        decl: &ast::Decl,
        args: &[Type],
        span: Span,
    ) -> Option<()> {
        if args
            .iter()
            .any(|arg| self.types.contains_copy_of(arg, decl))
        {
            return self.error(
                span,
                format!("`{}` cannot be its own type argument", decl.name.text),
            );
        }
        Some(())
    }

    fn width(&mut self, expr: &'a ast::Expr) -> Option<u32> {
        let width = self.constant_int(expr, "a width")?;
        if width.is_negative() {
            return self.error(expr.span, format!("a width cannot be negative: {width}"));
        }
        match width.to_u32() {
            Some(bits) if bits <= MAX_WIDTH_BITS => Some(bits),
            _ => self.error(
                expr.span,
                format!(
                    "a width of {width} bits is too large: at most {MAX_WIDTH_BITS} are supported"
                ),
            ),
        }
    }

    /// A compile-time integer that does not depend on constructor arguments.
    pub fn constant_int(&mut self, expr: &'a ast::Expr, what: &str) -> Option<num_bigint::BigInt> {
        let checked = self.expr(expr, None)?;
        if !self.types.is_numeric(&checked.ty) && self.types.serializable(&checked.ty).is_none() {
            let found = self.types.show(&checked.ty);
            return self.error(
                expr.span,
                format!("{what} must be an integer, not `{found}`"),
            );
        }
        match self.value_of(&checked) {
            Some(Value::Int(value)) => Some(value),
            _ => self.error(expr.span, format!("{what} must be known at compile time")),
        }
    }

    /// A type of variables, parameters and fields: not `void`, and no objects.
    pub fn value_type(&mut self, ty: &'a ast::Type) -> Option<Type> {
        let resolved = self.resolve_type(ty)?;
        match resolved {
            Type::Void | Type::MatchKind | Type::Extern(..) => {
                let found = self.types.show(&resolved);
                self.error(
                    ty.span,
                    format!("a variable cannot have the type `{found}`"),
                )
            }
            _ => Some(resolved),
        }
    }

    /// Reports an error where `inner` may not be part of `outer`.
    pub fn check_nesting(&mut self, outer: Container, inner: &Type, span: Span) -> Option<()> {
        if self.types.may_nest(outer, inner) {
            return Some(());
        }
        let found = self.types.show(inner);
        self.error(
            span,
            format!("{} cannot contain `{found}`", outer.describe()),
        )
    }
}
