// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: calls of functions, extern functions, actions and constructors, by name.

use crate::ast::{self, DeclKind};
use crate::check::calls::arguments::CallKind;
use crate::check::checker::Checker;
use crate::check::declared::prototype;
use crate::check::state::entity::Entity;
use crate::check::state::place::{Body, ObjectKind};
use crate::check::values::constant::constant;
use crate::diagnostics::plural;
use crate::ir::{self, Callee, Expr, Type, Value};
use crate::span::Span;

/// The result of checking a call.
pub enum Called {
    /// A call without effect at run time, or with an expression of its own: `isValid`, `minSizeInBits`, a constructor.
    Value(Expr),
    Call(ir::Call),
    /// `t.apply()`.
    Table(ir::Call),
}

/// Type arguments of a call or instantiation.
#[derive(Clone)]
pub enum TypeArgs<'a> {
    /// None are written: all are inferred.
    Inferred,
    Written(&'a [ast::Type]),
    /// A typedef contains them.
    Resolved(Vec<Type>),
}

impl<'a> TypeArgs<'a> {
    pub fn written(types: &'a [ast::Type]) -> Self {
        match types {
            [] => TypeArgs::Inferred,
            _ => TypeArgs::Written(types),
        }
    }

    /// Whether argument number `index` is written `_`.
    pub fn is_any(&self, index: usize) -> bool {
        let TypeArgs::Written(types) = self else {
            return false;
        };
        types
            .get(index)
            .is_some_and(|ty| matches!(ty.kind, ast::TypeKind::DontCare))
    }
}

impl<'a> Checker<'a, '_> {
    pub fn call(
        &mut self,
        callee: &'a ast::Expr,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Called> {
        match &callee.kind {
            ast::ExprKind::Path(path) => match self.lookup(path)? {
                Entity::Function(_) => self.function_call(path, type_args, args, span),
                Entity::Action(id, decl) => {
                    self.no_type_args(type_args, &path.name.text)?;
                    self.action_call(id, decl, args, span).map(Called::Call)
                }
                Entity::GlobalAction(decl) => {
                    self.no_type_args(type_args, &path.name.text)?;
                    let id = self.global_action(decl)?;
                    self.action_call(id, decl, args, span).map(Called::Call)
                }
                Entity::Object(decl) => {
                    let type_args = TypeArgs::written(type_args);
                    self.constructor_call(decl, type_args, args, span)
                        .map(Called::Value)
                }
                other => self.error(
                    callee.span,
                    format!(
                        "`{}` is {}: it cannot be called",
                        path.name.text,
                        other.describe()
                    ),
                ),
            },
            ast::ExprKind::Type(ty) => {
                let (decl, type_args) = self.constructed(ty)?;
                self.constructor_call(decl, type_args, args, span)
                    .map(Called::Value)
            }
            ast::ExprKind::Member(base, method) => {
                self.method_call(base, method, type_args, args, span)
            }
            _ => self.error(callee.span, "this cannot be called"),
        }
    }

    /// The declaration and type arguments of a type that is to be instantiated.
    pub fn constructed(&mut self, ty: &'a ast::Type) -> Option<(&'a ast::Decl, TypeArgs<'a>)> {
        let (path, args) = match &ty.kind {
            ast::TypeKind::Named(path) => (path, TypeArgs::Inferred),
            ast::TypeKind::Specialized(path, args) => (path, TypeArgs::Written(args)),
            ast::TypeKind::Stack(..) => {
                return self.not_supported(ty.span, "an array of instances")
            }
            _ => return self.error(ty.span, "this type has no constructor"),
        };
        match self.lookup(path)? {
            Entity::Object(decl) => Some((decl, args)),
            // A typedef.
            Entity::Type(Type::Extern(name, type_args)) => match self.scope.object_decl(&name) {
                Some(decl) if type_args.is_empty() => Some((decl, args)),
                Some(_) if matches!(args, TypeArgs::Written(_)) => self.error(
                    ty.span,
                    format!("`{}` has its type arguments already", path.name.text),
                ),
                Some(decl) => Some((decl, TypeArgs::Resolved(type_args))),
                None => self.error(ty.span, format!("`{name}` has no constructor")),
            },
            other => self.error(
                ty.span,
                format!(
                    "`{}` is {}: it has no constructor",
                    path.name.text,
                    other.describe()
                ),
            ),
        }
    }

    pub fn no_type_args(&mut self, type_args: &[ast::Type], what: &str) -> Option<()> {
        match type_args.first() {
            None => Some(()),
            Some(first) => self.error(first.span, format!("`{what}` takes no type arguments")),
        }
    }

    /// Type arguments as written, or open variables to be inferred where none are written or `_` stands.
    pub fn type_arguments(
        &mut self,
        names: &[ast::Name],
        written: TypeArgs<'a>,
        span: Span,
        what: &str,
    ) -> Option<Vec<Type>> {
        let written = match written {
            TypeArgs::Inferred => return Some(self.types.fresh_params(names, false)),
            TypeArgs::Resolved(types) => return Some(types),
            TypeArgs::Written(written) => written,
        };
        if written.len() != names.len() {
            return self.error(
                span,
                format!(
                    "`{what}` takes {} type argument{}, not {}",
                    names.len(),
                    plural(names.len()),
                    written.len()
                ),
            );
        }
        let pairs: Vec<_> = names.iter().zip(written).collect();
        self.all(pairs, |c, (name, ty)| match ty.kind {
            ast::TypeKind::DontCare => Some(c.types.fresh(&name.text, false)),
            _ => c.resolve_type(ty),
        })
    }

    fn function_call(
        &mut self,
        path: &ast::Path,
        written: &'a [ast::Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Called> {
        let name = path.name.text.as_str();
        let candidates: Vec<&'a ast::Decl> = self
            .scope
            .visible_globals(name)
            .filter_map(|global| match global.entity {
                Entity::Function(decl) => Some(decl),
                _ => None,
            })
            .collect();
        let parameters: Vec<_> = candidates
            .iter()
            .map(|decl| (prototype(decl).params.as_slice(), decl.name.span))
            .collect();
        let decl = candidates[self.overload(&parameters, args, span, name)?];
        let prototype = prototype(decl);
        let written = TypeArgs::written(written);
        let variables = self.type_arguments(&prototype.type_params, written, span, name)?;
        let bound = prototype
            .type_params
            .iter()
            .zip(variables.iter().cloned())
            .collect();
        let position = self.scope.position_of(decl);
        let signature = self.signature(
            position,
            bound,
            &prototype.params,
            prototype.result.as_ref(),
        )?;
        let args = self.arguments(&signature, args, CallKind::Ordinary, span, name)?;
        let omitted = some_omitted(&args);
        let type_args = self.inferred(&prototype.type_params, &variables, omitted, span, name)?;
        self.check_widths(&prototype.type_params, &type_args, span, name)?;
        let result = self.resolved(&signature.result);
        let callee = match decl.kind {
            DeclKind::Function { .. } => Callee::Function(self.function(decl, type_args)?),
            _ if name == "static_assert" => {
                return self.static_assert(&args, span).map(Called::Value)
            }
            _ => {
                if name == "verify" && self.place.object == Some(ObjectKind::Control) {
                    return self.error(span, "`verify` can be called only in a parser");
                }
                Callee::ExternFunction {
                    name: name.to_string(),
                    type_args,
                }
            }
        };
        Some(Called::Call(ir::Call {
            callee,
            args,
            result,
            span,
        }))
    }

    /// Values at run time have a width.
    pub fn check_widths(
        &mut self,
        names: &[ast::Name],
        type_args: &[Type],
        span: Span,
        what: &str,
    ) -> Option<()> {
        let open = names
            .iter()
            .zip(type_args)
            .find(|(_, ty)| self.types.has_inf_int(ty));
        match open {
            None => Some(()),
            Some((name, _)) => self.error(
                span,
                format!(
                    "the width of the type argument `{}` of `{what}` cannot be inferred: cast the argument, or write the type argument",
                    name.text
                ),
            ),
        }
    }

    fn static_assert(&mut self, args: &[ir::Argument], span: Span) -> Option<Expr> {
        if let Some(Value::Bool(false)) = args.first().and_then(|arg| self.value_of(&arg.expr)) {
            let message = match args.get(1).and_then(|arg| self.value_of(&arg.expr)) {
                Some(Value::String(message)) => format!("static_assert failed: {message}"),
                _ => "static_assert failed".to_string(),
            };
            return self.error(span, message);
        }
        Some(constant(Value::Bool(true), Type::Bool, span))
    }

    fn action_call(
        &mut self,
        id: ir::ActionId,
        decl: &'a ast::Decl,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<ir::Call> {
        let name = &decl.name.text;
        if !matches!(self.place.body, Body::ControlApply | Body::Action) {
            let body = self.place.body.describe();
            return self.error(span, format!("action `{name}` cannot be called in {body}"));
        }
        let DeclKind::Action { params, .. } = &decl.kind else {
            unreachable!("an action entity has an action declaration");
        };
        let types: Vec<Type> = self.ir.actions[id.index()]
            .params
            .iter()
            .map(|var| self.ir.vars[var.index()].ty.clone())
            .collect();
        let signature = self.typed_signature(params, types);
        let args = self.arguments(&signature, args, CallKind::Action, span, name)?;
        Some(ir::Call {
            callee: Callee::Action(id),
            args,
            result: Type::Void,
            span,
        })
    }
}

/// Whether an optional argument is left out.
pub fn some_omitted(args: &[ir::Argument]) -> bool {
    args.iter().any(|arg| {
        matches!(arg.expr.kind, ir::ExprKind::DontCare) && arg.direction != ast::Direction::Out
    })
}
