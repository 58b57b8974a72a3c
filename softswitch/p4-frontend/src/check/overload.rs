// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: which of several declarations of one name a call means.

use super::arguments::match_arguments;
use super::scope::Entity;
use super::types::plural;
use super::Checker;
use crate::ast;
use crate::ir::{Type, TypeDefKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// The only candidate that takes arguments of this number and these names; of several the one that takes values of
    /// enums where the arguments are some, and other values where they are not.
    pub(super) fn overload(
        &mut self,
        candidates: &[(&'a [ast::Parameter], Span)],
        args: &'a [ast::Argument],
        span: Span,
        what: &str,
    ) -> Option<usize> {
        let mut fitting: Vec<_> = (0..candidates.len())
            .filter(|index| match_arguments(candidates[*index].0, args, span, what).is_ok())
            .collect();
        if fitting.len() > 1 {
            let mut suiting = fitting.clone();
            suiting.retain(|index| self.enums_suit(candidates[*index].0, args, span, what));
            if let [one] = suiting[..] {
                fitting = vec![one];
            }
        }
        match (fitting.as_slice(), candidates) {
            ([one], _) => Some(*one),
            ([], []) => self.error(span, format!("`{what}` has no declaration that fits")),
            ([], [(params, _)]) => match match_arguments(params, args, span, what) {
                Err((span, message)) => self.error(span, message),
                Ok(_) => Some(0),
            },
            ([], [(_, first), ..]) => self.error_with_note(
                span,
                format!(
                    "none of the declarations of `{what}` takes these {} argument{}",
                    args.len(),
                    plural(args.len())
                ),
                *first,
                "one of them is here",
            ),
            ([first, ..], _) => {
                let first = candidates[*first].1;
                self.error_with_note(
                    span,
                    format!(
                        "{} declarations of `{what}` fit this call equally well",
                        fitting.len()
                    ),
                    first,
                    "one of them is here",
                )
            }
        }
    }

    /// Whether values of enums meet parameters of their type, and nothing else does. `Meter.execute` of Tofino takes a colour or a
    /// number at one place.
    fn enums_suit(
        &mut self,
        params: &'a [ast::Parameter],
        args: &'a [ast::Argument],
        span: Span,
        what: &str,
    ) -> bool {
        let Ok(matched) = match_arguments(params, args, span, what) else {
            return false;
        };
        params.iter().zip(matched).all(|(param, arg)| {
            let Some(value) = arg.and_then(|arg| arg.value.as_ref()) else {
                return true;
            };
            let found = self.dry_run(|c| c.expr(value, None)).map(|expr| expr.ty);
            let found = found.filter(|ty| self.is_enum(ty));
            found == self.declared_enum(&param.ty)
        })
    }

    /// The enum that a parameter is declared as, if it is one.
    fn declared_enum(&self, ty: &ast::Type) -> Option<Type> {
        let ast::TypeKind::Named(path) = &ty.kind else {
            return None;
        };
        let mut globals = self.visible_globals(&path.name.text);
        let ty = globals.find_map(|global| match &global.entity {
            Entity::Type(ty) => Some(ty.clone()),
            _ => None,
        });
        ty.filter(|ty| self.is_enum(ty))
    }

    fn is_enum(&self, ty: &Type) -> bool {
        matches!(
            self.def(ty),
            Some(TypeDefKind::SerEnum { .. } | TypeDefKind::Enum(_))
        )
    }
}
