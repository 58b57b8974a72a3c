// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: declarations of the top level, one after the other.

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::declarations::function::Owner;
use crate::check::declared::{constructor_params, prototype, type_params};
use crate::check::names::control_plane::has_annotation;
use crate::check::state::entity::{Entity, Global};
use crate::check::types::kinds::Container;
use crate::ir::{Type, TypeDef, TypeDefKind, Value};

impl<'a> Checker<'a, '_> {
    pub fn program(&mut self, program: &'a ast::Program) {
        for (position, decl) in program.decls.iter().enumerate() {
            self.scope
                .globals
                .announce(&decl.name.text, position, decl.name.span);
            self.scope.positions.insert(decl, position);
        }
        for (position, decl) in program.decls.iter().enumerate() {
            self.scope.visible = position;
            let entity = self.at_top(position, |c| c.global(decl, position));
            self.add_global(decl, position, entity.unwrap_or(Entity::Broken));
        }
        self.scope.visible = program.decls.len();
        if !self.failed {
            self.evaluate(program);
        }
    }

    fn add_global(&mut self, decl: &'a ast::Decl, position: usize, entity: Entity<'a>) {
        if decl.name.text.is_empty()
            || matches!(
                decl.kind,
                DeclKind::Error { .. } | DeclKind::MatchKind { .. }
            )
        {
            return;
        }
        let name = &decl.name.text;
        let mut clash = None;
        for other in self.scope.globals.get(name) {
            clash = match (&entity, &other.entity) {
                (Entity::Function(a), Entity::Function(b))
                    if !same_names(&prototype(a).params, &prototype(b).params) =>
                {
                    clash
                }
                (Entity::Object(a), Entity::Object(b)) => {
                    match (constructor_params(a), constructor_params(b)) {
                        (Some(a), Some(b)) if !same_names(a, b) => clash,
                        _ => Some(other.span),
                    }
                }
                (_, Entity::Broken) => clash,
                _ => Some(other.span),
            };
        }
        if let Some(earlier) = clash {
            self.error_with_note::<()>(
                decl.name.span,
                format!("`{name}` is already declared"),
                earlier,
                "declared here",
            );
            return;
        }
        self.scope.globals.insert(
            name,
            Global {
                position,
                entity,
                span: decl.name.span,
            },
        );
    }

    /// Checks one declaration; the result is the meaning of its name.
    fn global(&mut self, decl: &'a ast::Decl, position: usize) -> Option<Entity<'a>> {
        self.check_annotations(&decl.annotations);
        match &decl.kind {
            DeclKind::Const { ty, value } => self.constant_decl(ty, value).map(Entity::Const),
            DeclKind::Variable { .. } => {
                self.error(decl.span, "a variable cannot be declared at the top level")
            }
            DeclKind::Instantiation { ty, args, body } => {
                let (object, _) = self.constructed(ty)?;
                if matches!(object.kind, DeclKind::Extern { .. }) {
                    return self.instance_decl(decl, ty, args, body).map(Entity::Const);
                }
                self.dry_run(|c| c.instance_decl(decl, ty, args, body))
                    .map(Entity::Const)
            }
            DeclKind::Struct { .. } | DeclKind::Header { .. } | DeclKind::HeaderUnion { .. } => {
                self.composite_decl(decl)
            }
            DeclKind::Enum { members } => {
                self.check_distinct(members.iter(), "enum member");
                let kind =
                    TypeDefKind::Enum(members.iter().map(|member| member.text.clone()).collect());
                Some(self.declared_type(decl, kind))
            }
            DeclKind::SerEnum { ty, members } => self.serializable_enum(decl, ty, members),
            DeclKind::Error { members } => {
                self.check_distinct(members.iter(), "error");
                for member in members {
                    if self.ir.errors.contains(&member.text) {
                        self.error::<()>(
                            member.span,
                            format!("error `{}` is already declared", member.text),
                        );
                    }
                    self.ir.errors.push(member.text.clone());
                }
                Some(Entity::Type(Type::Error))
            }
            DeclKind::MatchKind { members } => {
                for member in members {
                    if self.ir.match_kinds.contains(&member.text) {
                        self.error::<()>(
                            member.span,
                            format!("match_kind `{}` is already declared", member.text),
                        );
                    }
                    self.ir.match_kinds.push(member.text.clone());
                }
                Some(Entity::Type(Type::MatchKind))
            }
            DeclKind::Typedef { ty } => {
                let resolved = self.resolve_type(ty)?;
                if resolved == Type::Void {
                    return self.error(ty.span, "`void` cannot be named by a typedef");
                }
                self.scope.aliases.insert(decl.name.text.clone());
                Some(Entity::Type(resolved))
            }
            DeclKind::Newtype { ty } => {
                let resolved = self.resolve_type(ty)?;
                self.check_nesting(Container::Newtype, &resolved, ty.span)?;
                self.check_size(std::slice::from_ref(&resolved), ty.span)?;
                self.scope.aliases.insert(decl.name.text.clone());
                Some(self.declared_type(decl, TypeDefKind::Newtype(resolved)))
            }
            DeclKind::ParserType(signature) | DeclKind::ControlType(signature) => {
                self.check_distinct(signature.type_params.iter(), "type parameter");
                let args = self.types.fresh_params(&signature.type_params, true);
                self.bind_type_params(decl, &args);
                self.param_types(&signature.params, Owner::Apply)?;
                Some(Entity::Object(decl))
            }
            DeclKind::Package(signature) => {
                self.check_distinct(signature.type_params.iter(), "type parameter");
                let args = self.types.fresh_params(&signature.type_params, true);
                self.bind_type_params(decl, &args);
                self.param_types(&signature.params, Owner::Constructor)?;
                Some(Entity::Object(decl))
            }
            DeclKind::Parser {
                constructor_params, ..
            }
            | DeclKind::Control {
                constructor_params, ..
            } => {
                self.check_object(decl, constructor_params, position);
                Some(Entity::Object(decl))
            }
            DeclKind::Extern {
                type_params,
                methods,
            } => self.extern_decl(decl, type_params, methods),
            DeclKind::ExternFunction(prototype) => {
                self.check_prototype(decl, prototype)?;
                Some(Entity::Function(decl))
            }
            DeclKind::Function { .. } => {
                self.check_function(decl, position);
                Some(Entity::Function(decl))
            }
            DeclKind::Action { .. } => {
                self.check_global_action(decl, position);
                Some(Entity::GlobalAction(decl))
            }
            DeclKind::Table(_) => {
                self.error(decl.span, "a table can be declared only in a control")
            }
            DeclKind::ValueSet { .. } => {
                self.error(decl.span, "a value set can be declared only in a parser")
            }
        }
    }

    fn check_object(
        &mut self,
        decl: &'a ast::Decl,
        constructor_params: &'a [ast::Parameter],
        position: usize,
    ) {
        for param in constructor_params {
            if has_annotation(&param.annotations, "optional") {
                self.error::<()>(
                    param.span,
                    "a constructor parameter of a parser or control cannot be `@optional`",
                );
            }
        }
        self.dry_run(|c| {
            let type_args = c.types.fresh_params(type_params(decl), true);
            let args = c.at_top(position, |c| {
                c.bind_type_params(decl, &type_args);
                c.opaque_args(constructor_params)
            })?;
            let name = decl.name.text.clone();
            match decl.kind {
                DeclKind::Parser { .. } => c.parser(decl, &type_args, &args, name).map(|_| ()),
                _ => c.control(decl, &type_args, &args, name).map(|_| ()),
            }
        });
    }

    fn check_distinct<'n>(&mut self, names: impl Iterator<Item = &'n ast::Name>, what: &str) {
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.contains(&name.text.as_str()) {
                self.error::<()>(name.span, format!("{what} `{}` is there twice", name.text));
            }
            seen.push(&name.text);
        }
    }

    fn declared_type(&mut self, decl: &'a ast::Decl, kind: TypeDefKind) -> Entity<'a> {
        let def = TypeDef {
            name: decl.name.text.clone(),
            annotations: decl.annotations.clone(),
            kind,
            span: decl.span,
        };
        let id = self.types.add(def, None);
        self.ir.declared_types.push(id);
        Entity::Type(Type::Named(id))
    }

    fn composite_decl(&mut self, decl: &'a ast::Decl) -> Option<Entity<'a>> {
        let names = type_params(decl);
        self.check_distinct(names.iter(), "type parameter");
        let args = self.types.fresh_params(names, true);
        self.bind_type_params(decl, &args);
        let kind = self.composite(decl)?;
        Some(match names.is_empty() {
            true => self.declared_type(decl, kind),
            false => Entity::GenericType(decl),
        })
    }

    fn serializable_enum(
        &mut self,
        decl: &'a ast::Decl,
        ty: &'a ast::Type,
        members: &'a [(ast::Name, ast::Expr)],
    ) -> Option<Entity<'a>> {
        let repr = self.resolve_type(ty)?;
        if !matches!(repr, Type::Bit(_) | Type::Int(_)) {
            let shown = self.types.show(&repr);
            return self.error(
                ty.span,
                format!("an enum is represented by `bit<W>` or `int<W>`, not by `{shown}`"),
            );
        }
        self.check_distinct(members.iter().map(|(name, _)| name), "enum member");
        let values = self.all(members, |c, (name, value)| {
            match c.typed_value(value, &repr, "the value of an enum member")? {
                Some(Value::Int(number)) => Some((name.text.clone(), number)),
                _ => None,
            }
        })?;
        let kind = TypeDefKind::SerEnum {
            repr,
            members: values,
        };
        Some(self.declared_type(decl, kind))
    }

    fn extern_decl(
        &mut self,
        decl: &'a ast::Decl,
        type_params: &'a [ast::Name],
        methods: &'a [ast::Method],
    ) -> Option<Entity<'a>> {
        self.check_distinct(type_params.iter(), "type parameter");
        let name = &decl.name.text;
        for (index, method) in methods.iter().enumerate() {
            let prototype = &method.prototype;
            let is_constructor = prototype.result.is_none();
            if is_constructor != (prototype.name.text == *name) {
                self.error::<()>(
                    prototype.name.span,
                    format!("a constructor of extern `{name}` is named `{name}` and has no result type; nothing else is"),
                );
            }
            let clash = methods[..index].iter().find(|other| {
                other.prototype.name.text == prototype.name.text
                    && same_names(&other.prototype.params, &prototype.params)
            });
            if let Some(clash) = clash {
                self.error_with_note::<()>(
                    prototype.name.span,
                    format!(
                        "`{}` is already declared with the same parameters",
                        prototype.name.text
                    ),
                    clash.prototype.name.span,
                    "declared here",
                );
            }
        }
        // Methods may name the extern itself.
        self.add_self(decl);
        let args = self.types.fresh_params(type_params, true);
        self.bind_type_params(decl, &args);
        for method in methods {
            self.in_scope(|c| c.check_prototype(decl, &method.prototype));
        }
        Some(Entity::Object(decl))
    }

    fn add_self(&mut self, decl: &'a ast::Decl) {
        if let Some(scope) = self.scope.locals.first_mut() {
            scope.insert(decl.name.text.clone(), Entity::Object(decl));
        }
    }

    fn check_prototype(&mut self, decl: &ast::Decl, prototype: &'a ast::Prototype) -> Option<()> {
        self.check_distinct(prototype.type_params.iter(), "type parameter");
        let args = self.types.fresh_params(&prototype.type_params, true);
        for (name, arg) in prototype.type_params.iter().zip(args) {
            self.declare(name, Entity::Type(arg));
        }
        let is_constructor =
            prototype.result.is_none() && matches!(decl.kind, DeclKind::Extern { .. });
        let owner = if is_constructor {
            Owner::Constructor
        } else {
            Owner::Function
        };
        if let Some(result) = &prototype.result {
            self.resolve_type(result)?;
        }
        self.param_types(&prototype.params, owner)?;
        Some(())
    }
}

/// Two overloads must differ in the number or the names of their parameters.
fn same_names(a: &[ast::Parameter], b: &[ast::Parameter]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name.text == b.name.text)
}
