// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: functions, and the parameters of everything that has them.

use crate::ast::{self, DeclKind, Direction};
use crate::check::checker::Checker;
use crate::check::declared::type_params;
use crate::check::names::control_plane::has_annotation;
use crate::check::state::entity::Entity;
use crate::check::state::place::{Body, Place};
use crate::ir::{self, FunctionId, Stmt, StmtKind, Type, VarId, VarKind};
use crate::limits::MAX_CALL_DEPTH;

/// The kind of declaration that has the parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A call of a parser or control, declared or only its type.
    Apply,
    Function,
    Action,
    /// A call of a constructor or package.
    Constructor,
}

impl<'a> Checker<'a, '_> {
    /// The copy of a function for the given type arguments.
    pub fn function(&mut self, decl: &'a ast::Decl, type_args: Vec<Type>) -> Option<FunctionId> {
        let position = self.scope.position_of(decl);
        let key = (position, type_args);
        if let Some(id) = self.instances.functions.get(&key) {
            return Some(*id);
        }
        let DeclKind::Function { prototype, body } = &decl.kind else {
            unreachable!("a function has a body");
        };
        if self.instances.failed_functions.contains(&key) {
            self.failed = true;
            return None;
        }
        if self.instances.function_depth >= MAX_CALL_DEPTH {
            self.instances.failed_functions.insert(key);
            let message = format!("functions call each other more than {MAX_CALL_DEPTH} deep");
            return self.error(prototype.name.span, message);
        }
        self.instances.function_depth += 1;
        let errors = self.diagnostics.error_count();
        let function = self.at_top(position, |c| {
            c.bind_type_params(decl, &key.1);
            c.function_body(prototype, body)
        });
        self.instances.function_depth -= 1;
        let correct = self.diagnostics.error_count() == errors;
        let Some(function) = function.filter(|_| correct) else {
            self.instances.failed_functions.insert(key);
            return None;
        };
        let id = self.add_function(function);
        self.instances.functions.insert(key, id);
        Some(id)
    }

    pub fn add_function(&mut self, function: ir::Function) -> FunctionId {
        let id = FunctionId(self.ir.functions.len() as u32);
        self.ir.functions.push(function);
        id
    }

    /// Checks a function with its type parameters left open.
    pub fn check_function(&mut self, decl: &'a ast::Decl, position: usize) {
        let DeclKind::Function { prototype, body } = &decl.kind else {
            unreachable!("checked by the caller");
        };
        self.dry_run(|c| {
            let args = c.types.fresh_params(type_params(decl), true);
            c.at_top(position, |c| {
                c.bind_type_params(decl, &args);
                c.function_body(prototype, body)
            })
        });
    }

    /// A function's parameters and body, in the scopes around it.
    pub fn function_body(
        &mut self,
        prototype: &'a ast::Prototype,
        body: &'a ast::Block,
    ) -> Option<ir::Function> {
        let result = match &prototype.result {
            Some(ty) => self.resolve_type(ty)?,
            None => Type::Void,
        };
        if matches!(result, Type::Extern(..) | Type::InfInt | Type::String) {
            let shown = self.types.show(&result);
            return self.error(
                prototype.name.span,
                format!("a function cannot give a value of the type `{shown}`"),
            );
        }
        let place = Place {
            body: Body::Function,
            result: Some(result.clone()),
            in_loop: false,
            ..self.place.clone()
        };
        let outer = std::mem::replace(&mut self.place, place);
        let function = self.in_scope(|c| {
            c.no_optional(&prototype.params);
            let params = c.declare_params(&prototype.params, Owner::Function)?;
            let errors = c.diagnostics.error_count();
            let statements = c.block(body);
            // A wrong `return` is no statement of `statements`.
            let complete = c.diagnostics.error_count() == errors;
            if complete && result != Type::Void && !always_returns(&statements) {
                let shown = c.types.show(&result);
                c.error::<()>(
                    prototype.name.span,
                    format!(
                        "`{}` must give a value of the type `{shown}` on every path",
                        prototype.name.text
                    ),
                );
            }
            Some(ir::Function {
                name: prototype.name.text.clone(),
                params,
                result,
                body: statements,
                span: prototype.name.span,
            })
        });
        self.place = outer;
        function
    }

    /// Only parameters of declarations without body can be optional: a body would read a value that the caller did
    /// not give.
    pub fn no_optional(&mut self, params: &[ast::Parameter]) {
        for param in params {
            if has_annotation(&param.annotations, "optional") {
                self.error::<()>(
                    param.span,
                    format!("parameter `{}` cannot be `@optional` here", param.name.text),
                );
            }
        }
    }

    /// Makes variables of parameters, in the current scope.
    pub fn declare_params(
        &mut self,
        params: &'a [ast::Parameter],
        owner: Owner,
    ) -> Option<Vec<VarId>> {
        let types = self.param_types(params, owner);
        let mut ids = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let Some(ty) = types.as_ref().map(|types| types[index].clone()) else {
                self.declare(&param.name, Entity::Broken);
                continue;
            };
            let declared_as = self.scope.declared_as(&param.ty);
            let kind = VarKind::Param(param.direction);
            let id = self.new_var(&param.name, ty, kind, &param.annotations, declared_as);
            self.declare(&param.name, Entity::Var(id));
            ids.push(id);
        }
        types.map(|_| ids)
    }

    /// Resolves and checks the types, directions and defaults of parameters.
    pub fn param_types(&mut self, params: &'a [ast::Parameter], owner: Owner) -> Option<Vec<Type>> {
        for (index, param) in params.iter().enumerate() {
            if params[..index]
                .iter()
                .any(|other| other.name.text == param.name.text)
            {
                self.error::<()>(
                    param.name.span,
                    format!("there are two parameters `{}`", param.name.text),
                );
            }
        }
        let mut directionless: Option<&ast::Parameter> = None;
        self.all(params, |c, param| {
            let name = &param.name.text;
            let outer = std::mem::replace(&mut c.wildcards, owner == Owner::Constructor);
            let ty = c.resolve_type(&param.ty);
            c.wildcards = outer;
            let ty = ty?;
            let shown = c.types.show(&ty);
            let directed = param.direction != Direction::None;
            match &ty {
                Type::Void | Type::MatchKind => {
                    return c.error(
                        param.ty.span,
                        format!("a parameter cannot have the type `{shown}`"),
                    )
                }
                Type::Extern(..) | Type::InfInt | Type::String if directed => {
                    return c.error(
                        param.span,
                        format!("parameter `{name}` of the type `{shown}` cannot have a direction"),
                    )
                }
                Type::Extern(type_name, _) => {
                    let allowed =
                        c.scope
                            .object_decl(type_name)
                            .is_some_and(|decl| match decl.kind {
                                DeclKind::Extern { .. } => owner != Owner::Action,
                                DeclKind::Parser { .. } | DeclKind::Control { .. } => false,
                                _ => owner == Owner::Constructor,
                            });
                    if !allowed {
                        return c.error(
                            param.ty.span,
                            format!("a parameter cannot have the type `{shown}` here"),
                        );
                    }
                }
                Type::InfInt | Type::String if owner == Owner::Action => {
                    return c.error(
                        param.ty.span,
                        format!("a parameter of an action cannot have the type `{shown}`"),
                    )
                }
                _ => {}
            }
            if owner == Owner::Constructor && directed {
                return c.error(
                    param.span,
                    format!("constructor parameter `{name}` cannot have a direction"),
                );
            }
            if owner == Owner::Action {
                match (directed, directionless) {
                    (false, _) => directionless = Some(param),
                    (true, Some(earlier)) => {
                        return c.error_with_note(
                            param.span,
                            format!(
                            "parameter `{name}` with a direction must stand before those without"
                        ),
                            earlier.span,
                            "this one has none",
                        )
                    }
                    _ => {}
                }
            }
            if let Some(default) = &param.default {
                if matches!(param.direction, Direction::Out | Direction::InOut) {
                    return c.error(
                        default.span,
                        format!("`out` or `inout` parameter `{name}` cannot have a default"),
                    );
                }
                let value = c.expr(default, Some(&ty))?;
                // The default of a generic parameter is converted where it is used.
                let value = match c.types.is_generic(&ty) {
                    true => value,
                    false => c.convert(value, &ty)?,
                };
                c.compile_time(value, "the default of a parameter")?;
            }
            Some(ty)
        })
    }
}

/// Whether control never reaches the end of the statements.
fn always_returns(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) | StmtKind::Exit => true,
        StmtKind::Block(inner) => always_returns(inner),
        StmtKind::If {
            then, otherwise, ..
        } => always_returns(then) && always_returns(otherwise),
        StmtKind::SwitchValue { cases, .. } => {
            cases.iter().any(|case| case.labels.is_empty())
                && cases.iter().all(|case| always_returns(&case.body))
        }
        StmtKind::SwitchTable { cases, .. } => {
            cases.iter().any(|case| case.actions.is_empty())
                && cases.iter().all(|case| always_returns(&case.body))
        }
        _ => false,
    })
}
