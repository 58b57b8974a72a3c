// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of externs, parsers, controls and packages.

use super::arguments::CallKind;
use super::call::TypeArgs;
use super::constant::constant;
use super::function::Owner;
use super::names::hierarchical;
use super::place::{Body, ObjectKind};
use super::scope::Entity;
use super::types::type_params;
use super::Checker;
use crate::ast::{self, DeclKind};
use crate::ir::{
    self, ControlId, Expr, ExprKind, ExternId, PackageInstance, ParserId, Type, Value, VarKind,
};
use crate::span::Span;

/// How an instance is made.
struct Making<'a> {
    /// Control-plane name.
    name: String,
    annotations: ir::Annotations,
    /// Whether a declaration gives it a name.
    declared: bool,
    /// Implementations of abstract methods.
    methods: &'a [ast::Decl],
    span: Span,
}

impl<'a> Checker<'a, '_> {
    /// `T(args) name;`
    pub(super) fn instance_decl(
        &mut self,
        decl: &'a ast::Decl,
        ty: &'a ast::Type,
        args: &'a [ast::Argument],
        methods: &'a [ast::Decl],
    ) -> Option<Expr> {
        let (object, written) = self.constructed(ty)?;
        let name = hierarchical(&self.place.prefix, &decl.name.text, &decl.annotations);
        let making = Making {
            name,
            annotations: decl.annotations.clone(),
            declared: true,
            methods,
            span: decl.span,
        };
        self.instantiate(object, written, args, making, ty.span)
    }

    /// `T(args)` as an expression.
    pub(super) fn constructor_call(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let making = Making {
            name: hierarchical(&self.place.prefix, &object.name.text, &object.annotations),
            annotations: object.annotations.clone(),
            declared: false,
            methods: &[],
            span,
        };
        self.instantiate(object, written, args, making, span)
    }

    /// A call that, if it is of a constructor, makes an instance of the given name.
    pub(super) fn named_call(
        &mut self,
        call: &'a ast::Expr,
        name: String,
        annotations: &[ast::Annotation],
    ) -> Option<Expr> {
        let ast::ExprKind::Call {
            callee,
            type_args,
            args,
        } = &call.kind
        else {
            return self.expr(call, None);
        };
        let (object, written) = match &callee.kind {
            ast::ExprKind::Type(ty) => self.constructed(ty)?,
            ast::ExprKind::Path(path) => match self.find(path) {
                Some(Entity::Object(decl)) => (decl, TypeArgs::written(type_args)),
                _ => return self.expr(call, None),
            },
            _ => return self.expr(call, None),
        };
        let making = Making {
            name,
            annotations: annotations.to_vec(),
            declared: false,
            methods: &[],
            span: call.span,
        };
        self.instantiate(object, written, args, making, call.span)
    }

    /// `T.apply(args)`: an instance of its own for this call.
    pub(super) fn direct_apply(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<ir::Call> {
        if !matches!(
            object.kind,
            DeclKind::Parser { .. } | DeclKind::Control { .. }
        ) {
            return self.error(
                span,
                format!(
                    "`{}` cannot be applied: it is neither a parser nor a control",
                    object.name.text
                ),
            );
        }
        let instance = self.constructor_call(object, written, &[], span)?;
        let method = ast::Name {
            text: "apply".to_string(),
            span,
        };
        self.apply_object(instance, object, &method, args, span)
    }

    fn instantiate(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        making: Making<'a>,
        span: Span,
    ) -> Option<Expr> {
        let what = object.name.text.clone();
        if matches!(self.place.body, Body::Action | Body::Function) {
            let body = self.place.body.describe();
            return self.error(span, format!("`{what}` cannot be instantiated in {body}"));
        }
        let misplaced = match (&object.kind, self.place.object) {
            (DeclKind::Control { .. }, Some(ObjectKind::Parser)) => {
                Some("a control cannot be instantiated in a parser")
            }
            (DeclKind::Parser { .. }, Some(ObjectKind::Control)) => {
                Some("a parser cannot be instantiated in a control")
            }
            (DeclKind::Parser { .. } | DeclKind::Control { .. }, None) if making.declared => {
                Some("a parser or control cannot be declared at the top level: make it an argument of a package")
            }
            (DeclKind::Package(_), Some(_)) => {
                Some("a package can be instantiated only at the top level")
            }
            (DeclKind::ParserType(_) | DeclKind::ControlType(_), _) => {
                Some("a type of parsers or controls has no instances")
            }
            _ => None,
        };
        if let Some(message) = misplaced {
            return self.error(span, message);
        }
        if !matches!(object.kind, DeclKind::Extern { .. }) {
            if let Some(method) = making.methods.first() {
                return self.error(
                    method.span,
                    "only instances of externs have methods of their own",
                );
            }
        }
        match &object.kind {
            DeclKind::Extern { methods, .. } => {
                self.extern_instance(object, methods, written, args, making, span)
            }
            DeclKind::Package(signature) => {
                self.package_instance(object, signature, written, args, span)
            }
            DeclKind::Parser {
                constructor_params, ..
            }
            | DeclKind::Control {
                constructor_params, ..
            } => {
                let names = type_params(object);
                let variables = self.type_arguments(names, written, span, &what)?;
                let bound = names.iter().zip(variables.iter().cloned()).collect();
                let position = self.position_of(object);
                let signature = self.signature(position, bound, constructor_params, None)?;
                let args = self.arguments(&signature, args, CallKind::Constructor, span, &what)?;
                let type_args = self.inferred(names, &variables, false, span, &what)?;
                let args: Vec<Expr> = args.into_iter().map(|arg| arg.expr).collect();
                let is_parser = matches!(object.kind, DeclKind::Parser { .. });
                let value = match (is_parser, self.dry) {
                    (true, true) => Value::Parser(self.parser_shell(object, making.name)),
                    (false, true) => Value::Control(self.control_shell(object, making.name)),
                    (true, false) => {
                        Value::Parser(self.parser(object, &type_args, &args, making.name)?)
                    }
                    (false, false) => {
                        Value::Control(self.control(object, &type_args, &args, making.name)?)
                    }
                };
                if let (Value::Control(id), Some(ObjectKind::Control)) = (&value, self.place.object)
                {
                    self.place.members.controls.push(*id);
                }
                Some(constant(value, Type::Extern(what, type_args), span))
            }
            _ => self.error(span, format!("`{what}` cannot be instantiated")),
        }
    }

    fn extern_instance(
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
        let variables = self.type_arguments(names, written, span, what)?;
        let position = self.position_of(object);
        let bound = names.iter().zip(variables.iter().cloned()).collect();
        let signature = self.signature(position, bound, &prototype.params, None)?;
        let args = self.arguments(&signature, args, CallKind::Constructor, span, what)?;
        let type_args = self.inferred(names, &variables, false, span, what)?;
        let ty = Type::Extern(what.clone(), type_args.clone());
        let args = self.named_values(args)?;
        let id = ExternId(self.ir.externs.len() as u32);
        self.ir.externs.push(ir::ExternInstance {
            type_name: what.clone(),
            type_args,
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
        self.ir.externs[id.index()].methods = implemented;
        Some(instance)
    }

    /// Arguments by name, with their values; what only a real run knows is left out in a dry run.
    fn named_values(&mut self, args: Vec<ir::Argument>) -> Option<Vec<(String, Value)>> {
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
        for method in methods.iter().filter(|method| method.is_abstract) {
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
        let position = self.position_of(object);
        let bound = type_params(object)
            .iter()
            .zip(type_args.iter().cloned())
            .collect();
        let signature =
            self.signature(position, bound, &declared.params, declared.result.as_ref())?;
        let same_params = signature.params.len() == function.params.len()
            && signature
                .params
                .iter()
                .zip(&function.params)
                .all(|(param, var)| {
                    let var = self.var(*var);
                    var.ty == param.ty && var.kind == VarKind::Param(param.decl.direction)
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

    fn package_instance(
        &mut self,
        object: &'a ast::Decl,
        declared: &'a ast::Signature,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let what = &object.name.text;
        let variables = self.type_arguments(&declared.type_params, written, span, what)?;
        let bound = declared
            .type_params
            .iter()
            .zip(variables.iter().cloned())
            .collect();
        let position = self.position_of(object);
        let signature = self.signature(position, bound, &declared.params, None)?;
        let args = self.arguments(&signature, args, CallKind::Constructor, span, what)?;
        let type_args = self.inferred(&declared.type_params, &variables, true, span, what)?;
        let args = self.named_values(args)?;
        let ty = Type::Extern(what.clone(), type_args.clone());
        let package = PackageInstance {
            type_name: what.clone(),
            type_args,
            args,
        };
        Some(constant(Value::Package(Box::new(package)), ty, span))
    }

    /// A control whose inside a dry run does not look at.
    fn control_shell(&mut self, decl: &ast::Decl, name: String) -> ControlId {
        let id = ControlId(self.ir.controls.len() as u32);
        self.ir.controls.push(ir::Control {
            name,
            type_name: decl.name.text.clone(),
            params: Vec::new(),
            locals: Vec::new(),
            tables: Vec::new(),
            actions: Vec::new(),
            externs: Vec::new(),
            controls: Vec::new(),
            body: Vec::new(),
            span: decl.span,
        });
        id
    }

    fn parser_shell(&mut self, decl: &ast::Decl, name: String) -> ParserId {
        let id = ParserId(self.ir.parsers.len() as u32);
        self.ir.parsers.push(ir::Parser {
            name,
            type_name: decl.name.text.clone(),
            params: Vec::new(),
            locals: Vec::new(),
            states: Vec::new(),
            span: decl.span,
        });
        id
    }

    /// Stand-ins for the arguments of constructor parameters, for a dry run.
    pub(super) fn opaque_args(&mut self, params: &'a [ast::Parameter]) -> Option<Vec<Expr>> {
        let types = self.param_types(params, Owner::Constructor)?;
        let mut result = Vec::new();
        for (param, ty) in params.iter().zip(types) {
            let span = param.name.span;
            let value = match &ty {
                Type::Extern(name, type_args) => {
                    let Some(decl) = self.object_decl(name) else {
                        return self.error(span, format!("`{name}` is not declared"));
                    };
                    match &decl.kind {
                        DeclKind::Extern { .. } => {
                            let id = ExternId(self.ir.externs.len() as u32);
                            self.ir.externs.push(ir::ExternInstance {
                                type_name: name.clone(),
                                type_args: type_args.clone(),
                                args: Vec::new(),
                                name: param.name.text.clone(),
                                annotations: Vec::new(),
                                methods: Vec::new(),
                                span,
                            });
                            Value::Extern(id)
                        }
                        DeclKind::Parser { .. } | DeclKind::ParserType(_) => {
                            Value::Parser(self.parser_shell(decl, param.name.text.clone()))
                        }
                        DeclKind::Package(_) => Value::Package(Box::new(PackageInstance {
                            type_name: name.clone(),
                            type_args: type_args.clone(),
                            args: Vec::new(),
                        })),
                        _ => Value::Control(self.control_shell(decl, param.name.text.clone())),
                    }
                }
                _ => {
                    let id =
                        self.new_var(&param.name, ty, VarKind::Local, &param.annotations, None);
                    self.opaque.insert(id);
                    result.push(self.var_expr(id, span));
                    continue;
                }
            };
            result.push(constant(value, ty, span));
        }
        Some(result)
    }
}
