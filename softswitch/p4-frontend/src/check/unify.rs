// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: inference of type arguments by unification.

use super::checker::{Checker, TypeVariable};
use super::entity::Entity;
use super::types::type_params;
use crate::ast::{self, DeclKind, Direction};
use crate::ir::{Type, TypeDefKind};
use crate::span::Span;

/// Between the name and the place of an overloaded object; no part of an identifier.
pub(super) const OVERLOAD: char = '#';

impl<'a> Checker<'a, '_> {
    pub(super) fn fresh(&mut self, name: &str, rigid: bool) -> Type {
        let index = self.bindings.len() as u32;
        self.bindings.push(TypeVariable {
            name: name.to_string(),
            bound: None,
            rigid,
        });
        Type::Variable(index)
    }

    pub(super) fn fresh_params(&mut self, names: &[ast::Name], rigid: bool) -> Vec<Type> {
        names
            .iter()
            .map(|name| self.fresh(&name.text, rigid))
            .collect()
    }

    /// The type with its variables replaced by the types that inference has found so far.
    pub(super) fn resolved(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Variable(index) => match self.bindings[*index as usize].bound.clone() {
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
                let Some(origin) = self.origins[id.index()].clone() else {
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

    /// Whether inference still has to find a part of the (resolved) type.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        match ty {
            Type::Variable(index) => !self.bindings[*index as usize].rigid,
            Type::Stack(inner, _) | Type::List(inner) => self.is_open(inner),
            Type::Tuple(items) | Type::Extern(_, items) => items.iter().any(|ty| self.is_open(ty)),
            Type::Named(id) => self.origins[id.index()]
                .as_ref()
                .is_some_and(|origin| origin.args.iter().any(|arg| self.is_open(arg))),
            _ => false,
        }
    }

    /// Whether a type parameter or open variable is part of the type.
    pub(super) fn is_generic(&self, ty: &Type) -> bool {
        match ty {
            Type::Variable(_) => true,
            Type::Stack(inner, _) | Type::List(inner) => self.is_generic(inner),
            Type::Tuple(items) | Type::Extern(_, items) => {
                items.iter().any(|ty| self.is_generic(ty))
            }
            Type::Named(id) => self.origins[id.index()]
                .as_ref()
                .is_some_and(|origin| origin.args.iter().any(|arg| self.is_generic(arg))),
            _ => false,
        }
    }

    /// Whether the type has a compile-time-only integer in it.
    pub(super) fn has_inf_int(&self, ty: &Type) -> bool {
        match ty {
            Type::InfInt => true,
            Type::Stack(inner, _) | Type::List(inner) => self.has_inf_int(inner),
            Type::Tuple(items) => items.iter().any(|ty| self.has_inf_int(ty)),
            Type::Named(id) if self.unknown_structs.contains(id) => match self.def(ty) {
                Some(TypeDefKind::Struct(fields)) => fields.iter().any(|f| self.has_inf_int(&f.ty)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Makes two types equal by binding open variables. An `int` yields to the fixed-width type that it meets.
    /// Leaves what it has bound also when it fails: the conversion that follows reports the mismatch.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (&a, &b) {
            (Type::Variable(x), Type::Variable(y)) if x == y => true,
            (Type::Variable(x), other) if !self.bindings[*x as usize].rigid => self.bind(*x, other),
            (other, Type::Variable(y)) if !self.bindings[*y as usize].rigid => self.bind(*y, other),
            (Type::InfInt, Type::Bit(_) | Type::Int(_))
            | (Type::Bit(_) | Type::Int(_), Type::InfInt) => true,
            (Type::Stack(x, n), Type::Stack(y, m)) => n == m && self.unify(x, y),
            (Type::List(x), Type::List(y)) => self.unify(x, y),
            (Type::List(x), Type::Tuple(items)) => items.iter().all(|item| self.unify(x, item)),
            (Type::Tuple(x), Type::Tuple(y)) => self.unify_all(x, y),
            (Type::Named(x), Type::Named(y)) if x == y => true,
            (Type::Named(x), Type::Named(y)) => {
                match (
                    self.origins[x.index()].clone(),
                    self.origins[y.index()].clone(),
                ) {
                    (Some(x), Some(y)) => {
                        x.decl.name.text == y.decl.name.text && self.unify_all(&x.args, &y.args)
                    }
                    _ => self.unify_unknown_struct(&a, &b),
                }
            }
            (Type::Named(_), Type::Tuple(items)) => match self.def(&a).cloned() {
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

    fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Variable(index) = ty {
            match &self.bindings[*index as usize].bound {
                // A fixed-width type can still replace it.
                Some(Type::InfInt) | None => break,
                Some(bound) => ty = bound,
            }
        }
        ty.clone()
    }

    fn bind(&mut self, variable: u32, ty: &Type) -> bool {
        if let Some(Type::InfInt) = self.bindings[variable as usize].bound {
            if matches!(ty, Type::Bit(_) | Type::Int(_)) {
                self.bindings[variable as usize].bound = Some(ty.clone());
                return true;
            }
            return matches!(ty, Type::InfInt);
        }
        let ty = self.resolved(ty);
        if self.mentions(&ty, variable) {
            return false;
        }
        self.bindings[variable as usize].bound = Some(ty);
        true
    }

    fn mentions(&self, ty: &Type, variable: u32) -> bool {
        match ty {
            Type::Variable(index) => *index == variable,
            Type::Stack(inner, _) | Type::List(inner) => self.mentions(inner, variable),
            Type::Tuple(items) | Type::Extern(_, items) => {
                items.iter().any(|item| self.mentions(item, variable))
            }
            Type::Named(id) => self.origins[id.index()]
                .as_ref()
                .is_some_and(|origin| origin.args.iter().any(|arg| self.mentions(arg, variable))),
            _ => false,
        }
    }

    fn unify_unknown_struct(&mut self, a: &Type, b: &Type) -> bool {
        let (Type::Named(known), Type::Named(unknown)) = (a, b) else {
            return false;
        };
        if !self.unknown_structs.contains(unknown) || self.unknown_structs.contains(known) {
            return false;
        }
        let (
            Some(TypeDefKind::Struct(known) | TypeDefKind::Header(known)),
            Some(TypeDefKind::Struct(given)),
        ) = (self.def(a).cloned(), self.def(b).cloned())
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
        let decl = self.object_decl(name)?;
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
            true => self.fresh_params(type_params(decl), false),
            false => args.clone(),
        };
        let position = self.position_of(decl);
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
                            || super::names::has_annotation(&param.annotations, "optional"),
                    })
                })
                .collect::<Option<Vec<_>>>()
        })?;
        Some((is_parser, params))
    }

    /// The declaration of an extern, parser, control, their types, or package.
    pub(super) fn object_decl(&self, name: &str) -> Option<&'a ast::Decl> {
        let (name, position) = match name.split_once(OVERLOAD) {
            Some((name, position)) => (name, position.parse::<usize>().ok()),
            None => (name, None),
        };
        self.globals
            .get(name)
            .iter()
            .find_map(|global| match global.entity {
                Entity::Object(decl) if position.is_none_or(|p| p == global.position) => Some(decl),
                _ => None,
            })
    }

    /// The name under which [`Type::Extern`] knows a declaration: with its place, where it overloads an earlier one.
    pub(super) fn object_name(&self, decl: &ast::Decl) -> String {
        let name = &decl.name.text;
        let position = self.position_of(decl);
        match self.globals.get(name).first() {
            Some(first) if first.position != position => format!("{name}{OVERLOAD}{position}"),
            _ => name.clone(),
        }
    }

    /// The type arguments that inference found; reports those that it did not. One that only an omitted argument
    /// would determine is `Unknown`.
    pub(super) fn inferred(
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
            if some_omitted && matches!(ty, Type::Variable(_)) && self.is_open(&ty) {
                self.unify(&ty, &Type::Unknown);
                ty = Type::Unknown;
            }
            if self.is_open(&ty) || self.is_unknown_struct(&ty) {
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
