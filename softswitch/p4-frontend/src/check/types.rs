// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: types as they are written, and the rules for types inside types (section "Type nesting rules" of the
//! specification).

use num_traits::{Signed, ToPrimitive};

use super::checker::Checker;
use super::entity::Entity;
use crate::ast::{self, DeclKind, TypeKind};
use crate::ir::{Type, TypeDefKind, Value};
use crate::limits::MAX_STACK_ELEMENTS;
use crate::limits::MAX_WIDTH_BITS;
use crate::span::Span;

/// The construct that a type is to be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Struct,
    Header,
    HeaderUnion,
    Tuple,
    List,
    Stack,
    Newtype,
    ValueSet,
}

impl Container {
    fn describe(self) -> &'static str {
        match self {
            Container::Struct => "a struct",
            Container::Header => "a header",
            Container::HeaderUnion => "a header union",
            Container::Tuple => "a tuple",
            Container::List => "a list",
            Container::Stack => "an array",
            Container::Newtype => "a `type` declaration",
            Container::ValueSet => "a value set",
        }
    }
}

impl<'a> Checker<'a, '_> {
    /// Resolves a type; type arguments must all be there.
    pub(super) fn resolve_type(&mut self, ty: &'a ast::Type) -> Option<Type> {
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
            TypeKind::DontCare if c.wildcards => Some(c.fresh(&name.text, false)),
            _ => c.resolve_type(arg),
        })?;
        self.check_not_in_itself(decl, &args, span)?;
        match entity {
            Entity::GenericType(decl) => self.copy_generic(decl, args, span),
            _ => Some(Type::Extern(decl.name.text.clone(), args)),
        }
    }

    /// Reports a generic type or object in its own type arguments.
    pub(super) fn check_not_in_itself(
        &mut self,
        decl: &ast::Decl,
        args: &[Type],
        span: Span,
    ) -> Option<()> {
        if args.iter().any(|arg| self.contains_copy_of(arg, decl)) {
            return self.error(
                span,
                format!("`{}` cannot be its own type argument", decl.name.text),
            );
        }
        Some(())
    }

    fn contains_copy_of(&self, ty: &Type, decl: &ast::Decl) -> bool {
        match ty {
            Type::Stack(inner, _) | Type::List(inner) => self.contains_copy_of(inner, decl),
            Type::Tuple(items) => items.iter().any(|item| self.contains_copy_of(item, decl)),
            Type::Extern(name, args) => {
                *name == decl.name.text || args.iter().any(|arg| self.contains_copy_of(arg, decl))
            }
            Type::Named(id) => self.origins[id.index()].as_ref().is_some_and(|origin| {
                std::ptr::eq(origin.decl, decl)
                    || origin
                        .args
                        .iter()
                        .any(|arg| self.contains_copy_of(arg, decl))
            }),
            _ => false,
        }
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
    pub(super) fn constant_int(
        &mut self,
        expr: &'a ast::Expr,
        what: &str,
    ) -> Option<num_bigint::BigInt> {
        let checked = self.expr(expr, None)?;
        if !self.is_numeric(&checked.ty) && self.serializable(&checked.ty).is_none() {
            let found = self.show(&checked.ty);
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
    pub(super) fn value_type(&mut self, ty: &'a ast::Type) -> Option<Type> {
        let resolved = self.resolve_type(ty)?;
        match resolved {
            Type::Void | Type::MatchKind | Type::Extern(..) => {
                let found = self.show(&resolved);
                self.error(
                    ty.span,
                    format!("a variable cannot have the type `{found}`"),
                )
            }
            _ => Some(resolved),
        }
    }

    /// Reports an error where `inner` may not be part of `outer`.
    pub(super) fn check_nesting(
        &mut self,
        outer: Container,
        inner: &Type,
        span: Span,
    ) -> Option<()> {
        if self.may_nest(outer, inner) {
            return Some(());
        }
        let found = self.show(inner);
        self.error(
            span,
            format!("{} cannot contain `{found}`", outer.describe()),
        )
    }

    fn may_nest(&self, outer: Container, inner: &Type) -> bool {
        if matches!(inner, Type::Variable(_)) {
            return true;
        }
        let def = match inner {
            Type::Named(id) => Some(&self.ir.types[id.index()].kind),
            _ => None,
        };
        match outer {
            Container::Struct => !matches!(
                inner,
                Type::Void
                    | Type::MatchKind
                    | Type::InfInt
                    | Type::String
                    | Type::Extern(..)
                    | Type::Unknown
            ),
            Container::Tuple => !matches!(inner, Type::Void | Type::Extern(..) | Type::Unknown),
            Container::List => !matches!(inner, Type::Void | Type::Extern(..) | Type::Unknown),
            Container::Header => match def {
                _ if matches!(inner, Type::Stack(element, _) if self.may_nest(outer, element)) => {
                    true
                }
                Some(TypeDefKind::SerEnum { .. }) => true,
                Some(TypeDefKind::Newtype(ty)) => self.may_nest(outer, ty),
                Some(TypeDefKind::Struct(fields)) => fields
                    .iter()
                    .all(|f| !matches!(f.ty, Type::Varbit(_)) && self.may_nest(outer, &f.ty)),
                _ => matches!(
                    inner,
                    Type::Bit(_) | Type::Int(_) | Type::Varbit(_) | Type::Bool
                ),
            },
            Container::HeaderUnion => matches!(def, Some(TypeDefKind::Header(_))),
            Container::Stack => {
                !matches!(inner, Type::Varbit(_)) && self.may_nest(Container::Struct, inner)
            }
            Container::Newtype => match def {
                Some(TypeDefKind::Newtype(_) | TypeDefKind::SerEnum { .. }) => true,
                _ => matches!(inner, Type::Bit(_) | Type::Int(_) | Type::Bool),
            },
            Container::ValueSet => match def {
                Some(TypeDefKind::Struct(fields)) => {
                    fields.iter().all(|f| self.may_nest(outer, &f.ty))
                }
                Some(TypeDefKind::SerEnum { .. } | TypeDefKind::Enum(_)) => true,
                Some(TypeDefKind::Newtype(ty)) => self.may_nest(outer, ty),
                _ => match inner {
                    Type::Tuple(items) => items.iter().all(|ty| self.may_nest(outer, ty)),
                    _ => matches!(
                        inner,
                        Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error
                    ),
                },
            },
        }
    }

    /// The name of the typedef or newtype that a declaration is written with.
    pub(super) fn declared_as(&self, ty: &ast::Type) -> Option<String> {
        let TypeKind::Named(path) = &ty.kind else {
            return None;
        };
        let name = &path.name.text;
        let shadowed = !path.absolute && self.locals.iter().any(|scope| scope.contains_key(name));
        (!shadowed && self.aliases.contains(name)).then(|| name.clone())
    }

    /// `bit`, `int` or arbitrary precision.
    pub(super) fn is_numeric(&self, ty: &Type) -> bool {
        matches!(ty, Type::Bit(_) | Type::Int(_) | Type::InfInt)
    }

    /// A stack, as opposed to an array of anything but headers.
    pub(super) fn is_header_stack(&self, ty: &Type) -> bool {
        match ty {
            Type::Stack(element, _) => matches!(
                self.def(element),
                Some(TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_))
            ),
            _ => false,
        }
    }

    pub(super) fn def(&self, ty: &Type) -> Option<&TypeDefKind> {
        match ty {
            Type::Named(id) => Some(&self.ir.types[id.index()].kind),
            _ => None,
        }
    }
}

pub(super) fn plural(count: usize) -> &'static str {
    if count == 1 {
        ""
    } else {
        "s"
    }
}

/// The type parameters of a declaration.
pub(super) fn type_params(decl: &ast::Decl) -> &[ast::Name] {
    match &decl.kind {
        DeclKind::Struct { type_params, .. }
        | DeclKind::Header { type_params, .. }
        | DeclKind::HeaderUnion { type_params, .. }
        | DeclKind::Extern { type_params, .. } => type_params,
        DeclKind::ParserType(signature)
        | DeclKind::ControlType(signature)
        | DeclKind::Package(signature)
        | DeclKind::Parser { signature, .. }
        | DeclKind::Control { signature, .. } => &signature.type_params,
        DeclKind::ExternFunction(prototype) | DeclKind::Function { prototype, .. } => {
            &prototype.type_params
        }
        _ => &[],
    }
}
