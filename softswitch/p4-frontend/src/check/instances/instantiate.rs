// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: instances of externs, parsers, controls and packages: what may be instantiated where.

use crate::ast::{self, DeclKind};
use crate::check::calls::arguments::CallKind;
use crate::check::calls::call::TypeArgs;
use crate::check::checker::Checker;
use crate::check::declared::{constructor_params, type_params};
use crate::check::names::control_plane::hierarchical;
use crate::check::state::entity::Entity;
use crate::check::state::place::{Body, ObjectKind};
use crate::check::values::constant::constant;
use crate::ir::{self, Expr, PackageInstance, Type, Value};
use crate::limits::{MAX_INSTANCES, MAX_INSTANCE_DEPTH};
use crate::span::Span;

/// Properties of an instance that its declaration gives.
pub struct Making<'a> {
    /// Control-plane name.
    pub name: String,
    pub annotations: ir::Annotations,
    /// Whether the instance has a declaration with a name.
    declared: bool,
    /// Implementations of abstract methods.
    pub methods: &'a [ast::Decl],
    pub span: Span,
}

impl<'a> Checker<'a, '_> {
    /// `T(args) name;`
    pub fn instance_decl(
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

    /// `T(args)` as an expression. The instance has the name of its type; a `@name` of the type's declaration does not count, as
    /// in p4c.
    pub fn constructor_call(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let making = Making {
            name: hierarchical(&self.place.prefix, &object.name.text, &[]),
            annotations: Vec::new(),
            declared: false,
            methods: &[],
            span,
        };
        self.instantiate(object, written, args, making, span)
    }

    /// A call that, if it is of a constructor, makes an instance of the given name.
    pub fn named_call(
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
            ast::ExprKind::Path(path) => match self.scope.find(path) {
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
    pub fn direct_apply(
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
        let object = match &instance.ty {
            Type::Extern(name, _) => self.scope.object_decl(name)?,
            _ => object,
        };
        let method = ast::Name {
            text: "apply".to_string(),
            span,
        };
        self.apply_object(instance, object, &method, args, span)
    }

    /// The declaration of the same name whose constructor takes the arguments.
    fn constructor_overload(
        &mut self,
        object: &'a ast::Decl,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<&'a ast::Decl> {
        let name = &object.name.text;
        let candidates: Vec<&'a ast::Decl> = self
            .scope
            .visible_globals(name)
            .filter_map(|global| match global.entity {
                Entity::Object(decl) => Some(decl),
                _ => None,
            })
            .collect();
        if candidates.len() < 2 {
            return Some(object);
        }
        let parameters: Vec<_> = candidates
            .iter()
            .map(|decl| (constructor_params(decl).unwrap_or_default(), decl.name.span))
            .collect();
        Some(candidates[self.overload(&parameters, args, span, name)?])
    }

    fn instantiate(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        making: Making<'a>,
        span: Span,
    ) -> Option<Expr> {
        let object = self.constructor_overload(object, args, span)?;
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
                let prefix = self.package_prefix(&making);
                let outer = std::mem::replace(&mut self.place.prefix, prefix);
                let package = self.package_instance(object, signature, written, args, span);
                self.place.prefix = outer;
                package
            }
            DeclKind::Parser { .. } | DeclKind::Control { .. } => {
                self.object_instance(object, written, args, making.name, span)
            }
            _ => self.error(span, format!("`{what}` cannot be instantiated")),
        }
    }

    fn object_instance(
        &mut self,
        object: &'a ast::Decl,
        written: TypeArgs<'a>,
        args: &'a [ast::Argument],
        name: String,
        span: Span,
    ) -> Option<Expr> {
        let what = &object.name.text;
        let params = constructor_params(object).unwrap_or_default();
        let names = type_params(object);
        let variables = self.type_arguments(names, written, span, what)?;
        let bound = names.iter().zip(variables.iter().cloned()).collect();
        let position = self.scope.position_of(object);
        let signature = self.signature(position, bound, params, None)?;
        let args = self.arguments(&signature, args, CallKind::Constructor, span, what)?;
        let type_args = self.inferred(names, &variables, false, span, what)?;
        self.check_not_in_itself(object, &type_args, span)?;
        let args: Vec<Expr> = args.into_iter().map(|arg| arg.expr).collect();
        let is_parser = matches!(object.kind, DeclKind::Parser { .. });
        if self.instances.bodies >= MAX_INSTANCES {
            let message = format!("more than {MAX_INSTANCES} parsers and controls in all");
            return self.error(span, message);
        }
        if self.instances.depth >= MAX_INSTANCE_DEPTH {
            let message = format!(
                "parsers or controls are more than {MAX_INSTANCE_DEPTH} deep in each other"
            );
            return self.error(span, message);
        }
        self.instances.depth += 1;
        let value = self.instance_body(object, &type_args, &args, name, is_parser);
        self.instances.depth -= 1;
        let value = value?;
        if let (Value::Control(id), Some(ObjectKind::Control)) = (&value, self.place.object) {
            self.place.members.controls.push(*id);
        }
        let ty = Type::Extern(self.scope.object_name(object), type_args);
        Some(constant(value, ty, span))
    }

    fn instance_body(
        &mut self,
        object: &'a ast::Decl,
        type_args: &[Type],
        args: &[Expr],
        name: String,
        is_parser: bool,
    ) -> Option<Value> {
        Some(match (is_parser, self.instances.dry) {
            (true, true) => Value::Parser(self.parser_shell(object, name)),
            (false, true) => Value::Control(self.control_shell(object, name)),
            (true, false) => Value::Parser(self.parser(object, type_args, args, name)?),
            (false, false) => Value::Control(self.control(object, type_args, args, name)?),
        })
    }

    /// The prefix of the names of the instances in a package: empty in `main`. A package inside of another gets a name if it
    /// has none, so that the control plane can distinguish its tables from those of its neighbours.
    fn package_prefix(&mut self, making: &Making) -> String {
        if making.declared {
            return match making.name.as_str() {
                "main" => String::new(),
                name => name.to_string(),
            };
        }
        self.instances.packages += 1;
        format!("pipe{}", self.instances.packages - 1)
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
        let position = self.scope.position_of(object);
        let signature = self.signature(position, bound, &declared.params, None)?;
        let args = self.arguments(&signature, args, CallKind::Constructor, span, what)?;
        let type_args = self.inferred(&declared.type_params, &variables, true, span, what)?;
        let args = self.named_values(args)?;
        let ty = Type::Extern(self.scope.object_name(object), type_args.clone());
        let package = PackageInstance {
            type_name: what.clone(),
            type_args,
            args,
        };
        Some(constant(Value::Package(Box::new(package)), ty, span))
    }
}
