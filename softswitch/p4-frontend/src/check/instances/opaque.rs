// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: stand-ins that a dry run uses in place of instances and constructor arguments.

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::declarations::function::Owner;
use crate::check::values::constant::constant;
use crate::ir::{self, ControlId, Expr, ExternId, PackageInstance, ParserId, Type, Value, VarKind};

impl<'a> Checker<'a, '_> {
    /// A control without its contents, as a dry run does not need them.
    pub fn control_shell(&mut self, decl: &ast::Decl, name: String) -> ControlId {
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

    pub fn parser_shell(&mut self, decl: &ast::Decl, name: String) -> ParserId {
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
    pub fn opaque_args(&mut self, params: &'a [ast::Parameter]) -> Option<Vec<Expr>> {
        let types = self.param_types(params, Owner::Constructor)?;
        let mut result = Vec::new();
        for (param, ty) in params.iter().zip(types) {
            let span = param.name.span;
            let value = match &ty {
                Type::Extern(name, type_args) => {
                    let Some(decl) = self.scope.object_decl(name) else {
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
                    self.instances.opaque.insert(id);
                    result.push(self.var_expr(id, span));
                    continue;
                }
            };
            result.push(constant(value, ty, span));
        }
        Some(result)
    }
}
