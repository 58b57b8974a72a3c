// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: method calls: of externs, headers and stacks; `apply`; sizes of types.

use crate::ast::{self, DeclKind};
use crate::check::calls::arguments::CallKind;
use crate::check::calls::call::{some_omitted, Called, TypeArgs};
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::state::entity::Entity;
use crate::check::state::place::Body;
use crate::check::values::constant::number;
use crate::ir::{self, BuiltinMethod, Callee, Expr, ExprKind, Type, TypeDefKind, Value};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn method_call(
        &mut self,
        base: &'a ast::Expr,
        method: &'a ast::Name,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Called> {
        if let ast::ExprKind::Path(path) = &base.kind {
            match self.scope.find(path) {
                Some(Entity::Table(id)) => {
                    return self.table_apply(id, method, args, span).map(Called::Table)
                }
                Some(Entity::Object(decl)) if method.text == "apply" => {
                    return self
                        .direct_apply(decl, TypeArgs::Inferred, args, span)
                        .map(Called::Call)
                }
                _ => {}
            }
        }
        if let ast::ExprKind::Type(ty) = &base.kind {
            if method.text == "apply" {
                let (decl, type_args) = self.constructed(ty)?;
                return self
                    .direct_apply(decl, type_args, args, span)
                    .map(Called::Call);
            }
        }
        if let Some(ty) = self.type_base(base) {
            let ty = ty?;
            return self.size_method(&ty, method, args, span).map(Called::Value);
        }
        let object = self.expr(base, None)?;
        match object.ty.clone() {
            Type::Extern(name, object_args) => {
                let Some(decl) = self.scope.object_decl(&name) else {
                    return self.error(
                        method.span,
                        format!("`{name}` has no method `{}`", method.text),
                    );
                };
                match decl.kind {
                    DeclKind::Extern { .. } => self
                        .extern_method(object, decl, object_args, method, type_args, args, span)
                        .map(Called::Call),
                    _ => self
                        .apply_object(object, decl, method, args, span)
                        .map(Called::Call),
                }
            }
            ty => {
                self.no_type_args(type_args, &method.text)?;
                self.builtin_method(object, &ty, method, args, span)
            }
        }
    }

    fn table_apply(
        &mut self,
        id: ir::TableId,
        method: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Option<ir::Call> {
        if method.text != "apply" {
            let message = format!("a table has no method `{}`", method.text);
            return self.unknown(method, message, ["apply"]);
        }
        if let Some(arg) = args.first() {
            return self.error(arg.span, "`apply` of a table takes no arguments");
        }
        if self.place.body != Body::ControlApply {
            let body = self.place.body.describe();
            return self.error(span, format!("a table cannot be applied in {body}"));
        }
        Some(ir::Call {
            callee: Callee::Table(id),
            args: Vec::new(),
            result: Type::Void,
            span,
        })
    }

    /// `apply` of an instance of a parser or control.
    pub fn apply_object(
        &mut self,
        object: Expr,
        decl: &'a ast::Decl,
        method: &ast::Name,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<ir::Call> {
        let name = &decl.name.text;
        let (signature, needed, kind) = match &decl.kind {
            DeclKind::Parser { signature, .. } | DeclKind::ParserType(signature) => {
                (signature, Body::ParserState, "parser")
            }
            DeclKind::Control { signature, .. } | DeclKind::ControlType(signature) => {
                (signature, Body::ControlApply, "control")
            }
            _ => {
                return self.error(
                    method.span,
                    format!("`{name}` has no method `{}`", method.text),
                )
            }
        };
        if method.text != "apply" {
            let message = format!("a {kind} has no method `{}`", method.text);
            return self.unknown(method, message, ["apply"]);
        }
        if self.place.body != needed {
            let body = self.place.body.describe();
            return self.error(span, format!("a {kind} cannot be applied in {body}"));
        }
        let Type::Extern(_, type_args) = &object.ty else {
            unreachable!("parsers and controls have object types");
        };
        let bound = type_params(decl)
            .iter()
            .zip(type_args.iter().cloned())
            .collect();
        let position = self.scope.position_of(decl);
        let signature = self.signature(position, bound, &signature.params, None)?;
        let args = self.arguments(&signature, args, CallKind::Ordinary, span, name)?;
        let callee = match object.kind {
            ExprKind::Const(Value::Parser(id)) => Callee::Parser(id),
            ExprKind::Const(Value::Control(id)) => Callee::Control(id),
            _ => return self.error(span, "only an instance can be applied"),
        };
        Some(ir::Call {
            callee,
            args,
            result: Type::Void,
            span,
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn extern_method(
        &mut self,
        object: Expr,
        decl: &'a ast::Decl,
        object_args: Vec<Type>,
        method: &'a ast::Name,
        written: &'a [ast::Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<ir::Call> {
        let DeclKind::Extern {
            type_params,
            methods,
        } = &decl.kind
        else {
            unreachable!("checked by the caller");
        };
        let extern_name = &decl.name.text;
        let what = format!("{extern_name}.{}", method.text);
        let candidates: Vec<&'a ast::Method> = methods
            .iter()
            .filter(|m| m.prototype.name.text == method.text && m.prototype.result.is_some())
            .collect();
        if candidates.is_empty() {
            let message = format!("`{extern_name}` has no method `{}`", method.text);
            let known = methods.iter().map(|m| m.prototype.name.text.as_str());
            return self.unknown(method, message, known);
        }
        let parameters: Vec<_> = candidates
            .iter()
            .map(|m| (m.prototype.params.as_slice(), m.prototype.name.span))
            .collect();
        let prototype = &candidates[self.overload(&parameters, args, span, &what)?].prototype;
        let written = TypeArgs::written(written);
        let variables = self.type_arguments(&prototype.type_params, written, span, &what)?;
        // Each call finds anew the type arguments that the instance leaves open.
        let pairs = type_params.iter().zip(object_args);
        let object_args: Vec<_> = pairs
            .map(|(name, ty)| match ty {
                Type::Unknown => self.types.fresh(&name.text, false),
                ty => ty,
            })
            .collect();
        let bound = type_params
            .iter()
            .zip(object_args.iter().cloned())
            .chain(prototype.type_params.iter().zip(variables.iter().cloned()))
            .collect();
        let position = self.scope.position_of(decl);
        let mut signature = self.signature(
            position,
            bound,
            &prototype.params,
            prototype.result.as_ref(),
        )?;
        signature.open = object_args;
        let args = self.arguments(&signature, args, CallKind::Ordinary, span, &what)?;
        let omitted = some_omitted(&args);
        let type_args = self.inferred(&prototype.type_params, &variables, omitted, span, &what)?;
        self.check_widths(&prototype.type_params, &type_args, span, &what)?;
        let result = self.closed(&signature.result);
        self.check_core_method(extern_name, &method.text, &args, &type_args, span)?;
        let method = method.text.clone();
        let callee = match object.kind {
            ExprKind::Const(Value::Extern(instance)) => Callee::ExternMethod {
                instance,
                method,
                type_args,
            },
            ExprKind::Var(param) => Callee::ParamMethod {
                param,
                extern_type: extern_name.clone(),
                method,
                type_args,
            },
            _ => return self.not_supported(span, "an extern object that a function makes"),
        };
        Some(ir::Call {
            callee,
            args,
            result,
            span,
        })
    }

    fn builtin_method(
        &mut self,
        object: Expr,
        ty: &Type,
        method: &ast::Name,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Called> {
        let is_header = matches!(self.types.def(ty), Some(TypeDefKind::Header(_)));
        let is_union = matches!(self.types.def(ty), Some(TypeDefKind::HeaderUnion(_)));
        let is_stack = self.types.is_header_stack(ty);
        let builtin = match method.text.as_str() {
            "isValid" if is_header || is_union => {
                self.no_args(method, args)?;
                return Some(Called::Value(Expr {
                    kind: ExprKind::IsValid(Box::new(object)),
                    ty: Type::Bool,
                    span,
                }));
            }
            "setValid" if is_header => BuiltinMethod::SetValid,
            "setInvalid" if is_header => BuiltinMethod::SetInvalid,
            "push_front" if is_stack => BuiltinMethod::PushFront,
            "pop_front" if is_stack => BuiltinMethod::PopFront,
            _ => return self.size_method(ty, method, args, span).map(Called::Value),
        };
        self.check_lvalue(&object)?;
        let args = match builtin {
            BuiltinMethod::SetValid | BuiltinMethod::SetInvalid => {
                self.no_args(method, args)?;
                Vec::new()
            }
            _ => vec![self.stack_count(method, args, span)?],
        };
        Some(Called::Call(ir::Call {
            callee: Callee::Builtin {
                object: Box::new(object),
                method: builtin,
            },
            args,
            result: Type::Void,
            span,
        }))
    }

    pub fn no_args(&mut self, method: &ast::Name, args: &[ast::Argument]) -> Option<()> {
        match args.first() {
            None => Some(()),
            Some(arg) => self.error(arg.span, format!("`{}` takes no arguments", method.text)),
        }
    }

    /// The argument of `push_front` and `pop_front`.
    fn stack_count(
        &mut self,
        method: &ast::Name,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<ir::Argument> {
        let [ast::Argument {
            value: Some(value), ..
        }] = args
        else {
            return self.error(
                span,
                format!(
                    "`{}` takes one argument: the number of elements",
                    method.text
                ),
            );
        };
        let count = self.constant_int(value, "the number of elements")?;
        if num_traits::Signed::is_negative(&count) {
            return self.error(
                value.span,
                format!("the number of elements cannot be negative: {count}"),
            );
        }
        Some(ir::Argument {
            name: "count".to_string(),
            direction: ast::Direction::None,
            expr: number(count, Type::InfInt, value.span),
        })
    }
}
