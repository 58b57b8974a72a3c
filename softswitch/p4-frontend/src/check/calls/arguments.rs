// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: arguments of calls: matched with parameters, used to infer type arguments, converted.

use crate::ast::{self, Direction};
use crate::check::checker::Checker;
use crate::check::names::control_plane::has_annotation;
use crate::check::state::entity::Entity;
use crate::check::values::constant::Known;
use crate::diagnostics::plural;
use crate::ir::{self, Expr, ExprKind, Type};
use crate::span::Span;

/// The parameters of something that is called, with type arguments put in (they may still be open).
pub struct Signature<'a> {
    pub params: Vec<Param<'a>>,
    pub result: Type,
    /// The place where defaults are evaluated.
    position: usize,
    type_params: Vec<(&'a ast::Name, Type)>,
    /// Types that become `bit<32>` for a number without width.
    pub open: Vec<Type>,
}

#[derive(Clone)]
pub struct Param<'a> {
    pub decl: &'a ast::Parameter,
    pub ty: Type,
}

/// The kind of call that has the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Arguments of an extern function or method, function, parser or control: those without direction are
    /// compile-time known.
    Ordinary,
    /// Arguments of an action: a parameter without direction takes any value.
    Action,
    /// Arguments of a constructor: all are compile-time known.
    Constructor,
}

/// Pairs parameters with arguments; an error is its place and message.
pub fn match_arguments<'a>(
    params: &[ast::Parameter],
    args: &'a [ast::Argument],
    span: Span,
    what: &str,
) -> Result<Vec<Option<&'a ast::Argument>>, (Span, String)> {
    let mut matched: Vec<Option<&ast::Argument>> = vec![None; params.len()];
    let named = args.iter().filter(|arg| arg.name.is_some()).count();
    if named != 0 && named != args.len() {
        return Err((span, "either all arguments are named, or none".to_string()));
    }
    for (index, arg) in args.iter().enumerate() {
        let slot = match &arg.name {
            None if index >= params.len() => {
                return Err((
                    arg.span,
                    format!(
                        "`{what}` takes {} argument{}, not {}",
                        params.len(),
                        plural(params.len()),
                        args.len()
                    ),
                ))
            }
            None => index,
            Some(name) => match params.iter().position(|param| param.name.text == name.text) {
                Some(slot) => slot,
                None => {
                    return Err((
                        name.span,
                        format!("`{what}` has no parameter `{}`", name.text),
                    ))
                }
            },
        };
        if matched[slot].replace(arg).is_some() {
            return Err((
                arg.span,
                format!("parameter `{}` is given twice", params[slot].name.text),
            ));
        }
    }
    for (param, arg) in params.iter().zip(&matched) {
        if arg.is_none()
            && param.default.is_none()
            && !has_annotation(&param.annotations, "optional")
        {
            return Err((
                span,
                format!(
                    "no argument for parameter `{}` of `{what}`",
                    param.name.text
                ),
            ));
        }
    }
    Ok(matched)
}

impl<'a> Checker<'a, '_> {
    /// Resolves parameters and result as the declaration at `position` sees them.
    pub fn signature(
        &mut self,
        position: usize,
        type_params: Vec<(&'a ast::Name, Type)>,
        params: &'a [ast::Parameter],
        result: Option<&'a ast::Type>,
    ) -> Option<Signature<'a>> {
        self.at_top(position, |c| {
            for (name, ty) in &type_params {
                c.declare_quietly(name, ty.clone());
            }
            let outer = std::mem::replace(&mut c.wildcards, true);
            let params = c.all(params, |c, decl| {
                Some(Param {
                    decl,
                    ty: c.resolve_type(&decl.ty)?,
                })
            });
            c.wildcards = outer;
            let params = params?;
            let result = match result {
                Some(ty) => c.resolve_type(ty)?,
                None => Type::Void,
            };
            Some(Signature {
                params,
                result,
                position,
                type_params,
                open: Vec::new(),
            })
        })
    }

    /// A method's type parameter may hide its extern's.
    fn declare_quietly(&mut self, name: &ast::Name, ty: Type) {
        if let Some(scope) = self.scope.locals.last_mut() {
            scope.insert(name.text.clone(), Entity::Type(ty));
        }
    }

    /// Checks the arguments of a call, infers the open types of `signature`, converts: one argument per parameter.
    pub fn arguments(
        &mut self,
        signature: &Signature<'a>,
        args: &'a [ast::Argument],
        kind: CallKind,
        span: Span,
        what: &str,
    ) -> Option<Vec<ir::Argument>> {
        let decls: Vec<ast::Parameter> = signature
            .params
            .iter()
            .map(|param| param.decl.clone())
            .collect();
        let matched = match match_arguments(&decls, args, span, what) {
            Ok(matched) => matched,
            Err((span, message)) => return self.error(span, message),
        };
        let pairs: Vec<_> = signature.params.iter().zip(&matched).collect();
        let mut given = self.all(pairs, |c, (param, arg)| match arg {
            Some(arg) => c.argument(param, arg).map(Some),
            None => Some(None),
        })?;
        // Literals without width adapt to the types that the others determine.
        for only_inf_int in [false, true] {
            for (param, expr) in signature.params.iter().zip(&given) {
                let Some(expr) = expr else {
                    continue;
                };
                if self.types.has_inf_int(&expr.ty) == only_inf_int
                    && !matches!(expr.kind, ExprKind::DontCare)
                {
                    self.unify(&param.ty, &expr.ty);
                }
            }
        }
        for ty in &signature.open {
            if self.resolved(ty) == Type::InfInt {
                self.unify(ty, &Type::Bit(32));
            }
        }
        // Defaults come last: they may name type parameters.
        for (param, expr) in signature.params.iter().zip(&mut given) {
            if expr.is_none() {
                let default = self.default_argument(signature, param, span)?;
                if !matches!(default.kind, ExprKind::DontCare) {
                    self.unify(&param.ty, &default.ty);
                }
                *expr = Some(default);
            }
        }
        let exprs = given.into_iter().flatten();
        let converted = signature.params.iter().zip(exprs).collect::<Vec<_>>();
        self.all(converted, |c, (param, expr)| {
            let expr = c.passed(param, expr, kind, what)?;
            Some(ir::Argument {
                name: param.decl.name.text.clone(),
                direction: param.decl.direction,
                expr,
            })
        })
    }

    fn argument(&mut self, param: &Param<'a>, arg: &'a ast::Argument) -> Option<Expr> {
        match &arg.value {
            Some(value) if !matches!(value.kind, ast::ExprKind::DontCare) => {
                self.expr(value, Some(&param.ty))
            }
            _ => {
                self.dont_care_argument(param, arg.span)?;
                Some(dont_care(arg.span))
            }
        }
    }

    /// The value of an argument that is not given; an optional parameter gets none.
    fn default_argument(
        &mut self,
        signature: &Signature<'a>,
        param: &Param<'a>,
        span: Span,
    ) -> Option<Expr> {
        let Some(default) = &param.decl.default else {
            return Some(dont_care(span));
        };
        let ty = self.resolved(&param.ty);
        let value = self.at_top(signature.position, |c| {
            for (name, ty) in &signature.type_params {
                let ty = c.resolved(ty);
                c.declare_quietly(name, ty);
            }
            c.expr(default, Some(&ty))
        })?;
        Some(Expr { span, ..value })
    }

    fn dont_care_argument(&mut self, param: &Param, span: Span) -> Option<()> {
        match param.decl.direction {
            Direction::Out => Some(()),
            _ => self.error(
                span,
                format!(
                    "`_` can be the argument only of an `out` parameter: `{}` is none",
                    param.decl.name.text
                ),
            ),
        }
    }

    fn passed(
        &mut self,
        param: &Param<'a>,
        expr: Expr,
        kind: CallKind,
        what: &str,
    ) -> Option<Expr> {
        let ty = self.resolved(&param.ty);
        let name = &param.decl.name.text;
        if let ExprKind::DontCare = expr.kind {
            return Some(Expr { ty, ..expr });
        }
        match param.decl.direction {
            Direction::Out | Direction::InOut => {
                self.check_lvalue(&expr)?;
                if self.resolved(&expr.ty) != ty {
                    let (wanted, found) = (self.types.show(&ty), self.types.show(&expr.ty));
                    return self.error(
                        expr.span,
                        format!("parameter `{name}` of `{what}` needs an argument of exactly `{wanted}`, found `{found}`"),
                    );
                }
                Some(expr)
            }
            direction => {
                let expr = self.convert(expr, &ty)?;
                if direction == Direction::In && matches!(ty, Type::Extern(..)) {
                    let shown = self.types.show(&ty);
                    return self.error(
                        expr.span,
                        format!("parameter `{name}` of `{what}` cannot be a `{shown}`: it has a direction"),
                    );
                }
                if direction == Direction::In && ty == Type::String {
                    return self.error(
                        expr.span,
                        format!(
                            "parameter `{name}` of `{what}` cannot be a string: it has a direction"
                        ),
                    );
                }
                if direction == Direction::In && self.types.has_inf_int(&expr.ty) {
                    return self.error(
                        expr.span,
                        format!("the width of the argument for `{name}` of `{what}` cannot be inferred: cast it, or write the type argument"),
                    );
                }
                let constant_needed = direction == Direction::None
                    && kind != CallKind::Action
                    && !matches!(ty, Type::Extern(..));
                if constant_needed {
                    let what = format!("the argument for `{name}` of `{what}`");
                    return self.compile_time(expr, &what);
                }
                if kind == CallKind::Constructor && self.known(&expr) == Known::RunTime {
                    return self.error(
                        expr.span,
                        format!(
                            "the argument for `{name}` of `{what}` must be known at compile time"
                        ),
                    );
                }
                Some(expr)
            }
        }
    }
}

impl<'a> Checker<'a, '_> {
    /// A signature whose types are resolved already.
    pub fn typed_signature(&self, params: &'a [ast::Parameter], types: Vec<Type>) -> Signature<'a> {
        Signature {
            params: params
                .iter()
                .zip(types)
                .map(|(decl, ty)| Param { decl, ty })
                .collect(),
            result: Type::Void,
            position: self.scope.visible,
            type_params: Vec::new(),
            open: Vec::new(),
        }
    }
}

fn dont_care(span: Span) -> Expr {
    Expr {
        kind: ExprKind::DontCare,
        ty: Type::Unknown,
        span,
    }
}
