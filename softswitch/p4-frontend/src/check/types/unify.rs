// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: inference of type arguments by unification.

use crate::ast::{self, DeclKind, Direction};
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::names::control_plane::has_annotation;
use crate::ir::{Type, TypeDefKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// The type with its variables replaced by the types that inference has found so far.
    pub fn resolved(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Variable(index) => match self.types.variables[*index as usize].bound.clone() {
                Some(bound) => self.resolved(&bound),
                None => ty.clone(),
            },
            Type::Stack(element, size) => Type::Stack(Box::new(self.resolved(element)), *size),
            Type::List(element) => Type::List(Box::new(self.resolved(element))),
            Type::Tuple(items) => Type::Tuple(items.iter().map(|ty| self.resolved(ty)).collect()),
            Type::Extern(name, args) => Type::Extern(
                name.clone(),
                args.iter().map(|ty| self.resolved(ty)).collect(),
            ),
            Type::Named(id) => {
                let Some(origin) = self.types.origins[id.index()].clone() else {
                    return ty.clone();
                };
                let args: Vec<_> = origin.args.iter().map(|arg| self.resolved(arg)).collect();
                if args == origin.args {
                    return ty.clone();
                }
                self.copy_generic(origin.decl, args, origin.decl.span)
                    .unwrap_or_else(|| ty.clone())
            }
            _ => ty.clone(),
        }
    }

    /// Makes two types equal by binding open variables. An `int` yields to the fixed-width type that it meets.
    /// Leaves what it has bound also when it fails: the conversion that follows reports the mismatch.
    pub fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.types.shallow(a), self.types.shallow(b));
        match (&a, &b) {
            (Type::Variable(x), Type::Variable(y)) if x == y => true,
            (Type::Variable(x), other) if !self.types.variables[*x as usize].rigid => {
                self.bind(*x, other)
            }
            (other, Type::Variable(y)) if !self.types.variables[*y as usize].rigid => {
                self.bind(*y, other)
            }
            (Type::InfInt, Type::Bit(_) | Type::Int(_))
            | (Type::Bit(_) | Type::Int(_), Type::InfInt) => true,
            (Type::Stack(x, n), Type::Stack(y, m)) => n == m && self.unify(x, y),
            (Type::List(x), Type::List(y)) => self.unify(x, y),
            (Type::List(x), Type::Tuple(items)) => items.iter().all(|item| self.unify(x, item)),
            (Type::Tuple(x), Type::Tuple(y)) => self.unify_all(x, y),
            (Type::Named(x), Type::Named(y)) if x == y => true,
            (Type::Named(x), Type::Named(y)) => {
                match (
                    self.types.origins[x.index()].clone(),
                    self.types.origins[y.index()].clone(),
                ) {
                    (Some(x), Some(y)) => {
                        x.decl.name.text == y.decl.name.text && self.unify_all(&x.args, &y.args)
                    }
                    _ => self.unify_unknown_struct(&a, &b),
                }
            }
            (Type::Named(_), Type::Tuple(items)) => match self.types.def(&a).cloned() {
                Some(TypeDefKind::Struct(fields) | TypeDefKind::Header(fields)) => {
                    fields.len() == items.len()
                        && fields
                            .iter()
                            .zip(items)
                            .all(|(field, item)| self.unify(&field.ty, item))
                }
                _ => false,
            },
            (Type::Extern(x, xs), Type::Extern(y, ys)) if x == y => self.unify_all(xs, ys),
            (Type::Extern(..), Type::Extern(..)) => self.unify_objects(&a, &b),
            _ => a == b,
        }
    }

    fn unify_all(&mut self, a: &[Type], b: &[Type]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| self.unify(x, y))
    }

    fn bind(&mut self, variable: u32, ty: &Type) -> bool {
        if let Some(Type::InfInt) = self.types.variables[variable as usize].bound {
            if matches!(ty, Type::Bit(_) | Type::Int(_)) {
                self.types.variables[variable as usize].bound = Some(ty.clone());
                return true;
            }
            return matches!(ty, Type::InfInt);
        }
        let ty = self.resolved(ty);
        if self.types.mentions(&ty, variable) {
            return false;
        }
        self.types.variables[variable as usize].bound = Some(ty);
        true
    }

    fn unify_unknown_struct(&mut self, a: &Type, b: &Type) -> bool {
        let (Type::Named(known), Type::Named(unknown)) = (a, b) else {
            return false;
        };
        if !self.types.unknown_structs.contains(unknown)
            || self.types.unknown_structs.contains(known)
        {
            return false;
        }
        let (
            Some(TypeDefKind::Struct(known) | TypeDefKind::Header(known)),
            Some(TypeDefKind::Struct(given)),
        ) = (self.types.def(a).cloned(), self.types.def(b).cloned())
        else {
            return false;
        };
        given.iter().all(|field| {
            known
                .iter()
                .find(|k| k.name == field.name)
                .is_some_and(|k| self.unify(&k.ty, &field.ty))
        })
    }

    /// A parser or control fits a parser or control type when their parameters do.
    fn unify_objects(&mut self, a: &Type, b: &Type) -> bool {
        let (Some((a_kind, a_params)), Some((b_kind, b_params))) =
            (self.object_params(a), self.object_params(b))
        else {
            return false;
        };
        let common = a_params.len().min(b_params.len());
        a_kind == b_kind
            && a_params
                .iter()
                .zip(&b_params)
                .all(|(x, y)| x.direction == y.direction && self.unify(&x.ty, &y.ty))
            && a_params[common..]
                .iter()
                .chain(&b_params[common..])
                .all(|param| param.optional)
    }

    /// The `apply` parameters of a parser, control, or type of such.
    fn object_params(&mut self, ty: &Type) -> Option<(bool, Vec<ObjectParam>)> {
        let Type::Extern(name, args) = ty else {
            return None;
        };
        let decl = self.scope.object_decl(name)?;
        let (is_parser, signature) = match &decl.kind {
            DeclKind::ParserType(signature) | DeclKind::Parser { signature, .. } => {
                (true, signature)
            }
            DeclKind::ControlType(signature) | DeclKind::Control { signature, .. } => {
                (false, signature)
            }
            _ => return None,
        };
        let args = match args.is_empty() {
            true => self.types.fresh_params(type_params(decl), false),
            false => args.clone(),
        };
        let position = self.scope.position_of(decl);
        let params = self.at_top(position, |c| {
            c.bind_type_params(decl, &args);
            signature
                .params
                .iter()
                .map(|param| {
                    Some(ObjectParam {
                        direction: param.direction,
                        ty: c.resolve_type(&param.ty)?,
                        optional: param.default.is_some()
                            || has_annotation(&param.annotations, "optional"),
                    })
                })
                .collect::<Option<Vec<_>>>()
        })?;
        Some((is_parser, params))
    }

    /// The type arguments that inference found; reports those that it did not. One that only an omitted argument
    /// would determine is `Unknown`.
    pub fn inferred(
        &mut self,
        names: &[ast::Name],
        variables: &[Type],
        some_omitted: bool,
        span: Span,
        what: &str,
    ) -> Option<Vec<Type>> {
        let mut result = Vec::new();
        for (name, variable) in names.iter().zip(variables) {
            let mut ty = self.resolved(variable);
            if some_omitted && matches!(ty, Type::Variable(_)) && self.types.is_open(&ty) {
                self.unify(&ty, &Type::Unknown);
                ty = Type::Unknown;
            }
            if self.types.is_open(&ty) || self.types.is_unknown_struct(&ty) {
                return self.error(
                    span,
                    format!(
                        "cannot infer the type argument `{}` of `{what}`: write it between `<` and `>`",
                        name.text
                    ),
                );
            }
            result.push(ty);
        }
        Some(result)
    }
}

struct ObjectParam {
    direction: Direction,
    ty: Type,
    optional: bool,
}
