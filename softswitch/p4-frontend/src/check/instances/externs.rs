// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: instances of externs, and the abstract methods that they implement.

use crate::ast::{self, DeclKind};
use crate::check::calls::arguments::CallKind;
use crate::check::calls::call::TypeArgs;
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::instances::instantiate::Making;
use crate::check::names::control_plane::has_annotation;
use crate::check::state::place::ObjectKind;
use crate::check::values::constant::constant;
use crate::ir::{self, Expr, ExprKind, ExternId, Type, Value, VarKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn extern_instance(
        &mut self,
        object: &'a ast::Decl,
        methods: &'a [ast::Method],
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        making: Making<'a>,
        span: Span,
    ) -> Option<Expr> {
        let what = &object.name.text;
        let constructors: Vec<&'a ast::Method> = methods
            .iter()
            .filter(|method| method.prototype.result.is_none())
            .collect();
        if constructors.is_empty() {
            return self.error(
                span,
                format!("extern `{what}` has no constructor: it cannot be instantiated"),
            );
        }
        let parameters: Vec<_> = constructors
            .iter()
            .map(|method| {
                (
                    method.prototype.params.as_slice(),
                    method.prototype.name.span,
                )
            })
            .collect();
        let prototype = &constructors[self.overload(&parameters, args, span, what)?].prototype;
        let names = type_params(object);
        let any: Vec<bool> = (0..names.len())
            .map(|n| self.rules.open_type_arguments && written.is_any(n))
            .collect();
        let variables = self.type_arguments(names, written, span, what)?;
        let position = self.scope.position_of(object);
        let bound = names.iter().zip(variables.iter().cloned()).collect();
        let signature = self.signature(position, bound, &prototype.params, None)?;
        let args = self.arguments(&signature, args, CallKind::Constructor, span, what)?;
        // A type argument `_` may follow from the implementation of an abstract method, or stay open.
        let type_args = self.all(0..names.len(), |c, n| match any[n] {
            true => Some(variables[n].clone()),
            false => {
                let one = c.inferred(&names[n..=n], &variables[n..=n], false, span, what)?;
                one.into_iter().next()
            }
        })?;
        self.check_not_in_itself(object, &type_args, span)?;
        let ty = Type::Extern(what.clone(), type_args.clone());
        let args = self.named_values(args)?;
        let id = ExternId(self.ir.externs.len() as u32);
        self.ir.externs.push(ir::ExternInstance {
            type_name: what.clone(),
            type_args: Vec::new(),
            args,
            name: making.name,
            annotations: making.annotations,
            methods: Vec::new(),
            span: making.span,
        });
        if self.place.object == Some(ObjectKind::Control) {
            self.place.members.externs.push(id);
        }
        let instance = constant(Value::Extern(id), ty, span);
        let implemented =
            self.abstract_methods(object, methods, &instance, making.methods, span)?;
        let type_args = type_args.iter().map(|ty| self.closed(ty)).collect();
        let ty = self.resolved(&instance.ty);
        let made = &mut self.ir.externs[id.index()];
        made.methods = implemented;
        made.type_args = type_args;
        Some(constant(Value::Extern(id), ty, span))
    }

    /// The type, or `Unknown` where inference has not found it: then each use finds its own.
    pub fn closed(&mut self, ty: &Type) -> Type {
        let ty = self.resolved(ty);
        match self.types.is_open(&ty) {
            true => {
                self.unify(&ty, &Type::Unknown);
                self.resolved(&ty)
            }
            false => ty,
        }
    }

    /// Arguments by name, with their values; a dry run omits those that it does not know.
    pub fn named_values(&mut self, args: Vec<ir::Argument>) -> Option<Vec<(String, Value)>> {
        let values = self.all(args, |c, arg| {
            if let ExprKind::DontCare = arg.expr.kind {
                return Some(None);
            }
            let value = c.known_value(arg.expr, "a constructor argument")?;
            Some(value.map(|value| (arg.name, value)))
        })?;
        Some(values.into_iter().flatten().collect())
    }

    fn abstract_methods(
        &mut self,
        object: &'a ast::Decl,
        methods: &'a [ast::Method],
        instance: &Expr,
        implementations: &'a [ast::Decl],
        span: Span,
    ) -> Option<Vec<(String, ir::FunctionId)>> {
        let what = &object.name.text;
        let Type::Extern(_, type_args) = &instance.ty else {
            unreachable!("an extern instance has an extern type");
        };
        let mut result: Vec<(String, ir::FunctionId)> = Vec::new();
        let outer = self.place.this.replace(instance.clone());
        let implemented = self.in_scope(|c| {
            let mut helpers = Vec::new();
            for decl in implementations {
                let DeclKind::Function { prototype, body } = &decl.kind else {
                    c.local_decl(decl, &mut helpers);
                    continue;
                };
                let name = &prototype.name.text;
                let declared = methods
                    .iter()
                    .find(|m| m.is_abstract && m.prototype.name.text == *name);
                let Some(declared) = declared else {
                    return c.error(
                        prototype.name.span,
                        format!("extern `{what}` has no abstract method `{name}`"),
                    );
                };
                let function = c.function_body(prototype, body)?;
                c.check_implementation(
                    object,
                    type_args,
                    &declared.prototype,
                    prototype,
                    &function,
                )?;
                let id = c.add_function(function);
                result.push((name.clone(), id));
            }
            Some(())
        });
        self.place.this = outer;
        implemented?;
        let needed = |method: &&ast::Method| {
            method.is_abstract && !has_annotation(&method.annotations, "optional")
        };
        for method in methods.iter().filter(needed) {
            let name = &method.prototype.name.text;
            if !result.iter().any(|(other, _)| other == name) {
                return self.error_with_note(
                    span,
                    format!("abstract method `{name}` of extern `{what}` is not implemented"),
                    method.prototype.name.span,
                    "declared here",
                );
            }
        }
        Some(result)
    }

    /// An implementation has the types and directions of the abstract method.
    fn check_implementation(
        &mut self,
        object: &'a ast::Decl,
        type_args: &[Type],
        declared: &'a ast::Prototype,
        implementation: &ast::Prototype,
        function: &ir::Function,
    ) -> Option<()> {
        let position = self.scope.position_of(object);
        let bound = type_params(object)
            .iter()
            .zip(type_args.iter().cloned())
            .collect();
        let signature =
            self.signature(position, bound, &declared.params, declared.result.as_ref())?;
        // An implementation may leave out optional parameters, the last ones first.
        let given = &function.params;
        let (wanted, rest) = signature
            .params
            .split_at(given.len().min(signature.params.len()));
        let same_params = given.len() == wanted.len()
            && rest
                .iter()
                .all(|param| has_annotation(&param.decl.annotations, "optional"))
            && wanted.iter().zip(given).all(|(param, var)| {
                let (ty, kind) = (self.var(*var).ty.clone(), self.var(*var).kind);
                self.unify(&param.ty, &ty);
                self.resolved(&param.ty) == ty && kind == VarKind::Param(param.decl.direction)
            });
        if same_params && signature.result == function.result {
            return Some(());
        }
        self.error_with_note(
            implementation.name.span,
            format!(
                "`{}` differs in its types from the abstract method",
                implementation.name.text
            ),
            declared.name.span,
            "declared here",
        )
    }
}
