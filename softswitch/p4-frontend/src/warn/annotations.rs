// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations that say which warnings are given: `@noWarn("KIND")` leaves out those in a declaration, and
//! `@diagnostic("KIND", "LEVEL")` is an option of the whole program. So this pass is before all others that warn.

use super::report::Report;
use crate::ast::{
    self, Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, Block, Decl, DeclKind,
    ExprKind, PropertyValue, Stmt, StmtKind,
};
use crate::span::Span;
use crate::suggest::closest;
use crate::warnings::{Level, Warning};

/// Those that P4-16, P4Runtime, BMv2 and p4c give a meaning.
const ANNOTATIONS: [&str; 42] = [
    "action_restriction",
    "alias",
    "atomic",
    "brief",
    "controller_header",
    "defaultonly",
    "deprecated",
    "description",
    "diagnostic",
    "disable_optimization",
    "entry_restriction",
    "field_list",
    "format",
    "globalname",
    "hidden",
    "id",
    "likely",
    "match",
    "max_group_size",
    "max_member_weight",
    "metadata",
    "name",
    "noSideEffects",
    "noWarn",
    "nounroll",
    "optional",
    "p4runtime_translation",
    "p4runtime_translation_mappings",
    "pkginfo",
    "platform_property",
    "priority",
    "proto_tag",
    "pure",
    "recirculate",
    "referenced_by",
    "refers_to",
    "selector_size_semantics",
    "symmetric",
    "synchronous",
    "tableonly",
    "unlikely",
    "unroll",
];

/// The second argument of `@diagnostic`.
const LEVELS: [(&str, Level); 3] = [
    ("disable", Level::Disabled),
    ("warn", Level::Warning),
    ("error", Level::Error),
];

pub(super) fn check(tree: &ast::Program, report: &mut Report) {
    let mut walk = Walk { report };
    walk.decls(&tree.decls);
}

/// The strings that an annotation consists of.
pub(super) fn strings(annotation: &Annotation) -> Option<Vec<&str>> {
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => {
            let is_comma = |token: &AnnotationToken| {
                token.kind == AnnotationTokenKind::Punctuation && token.text == ","
            };
            let string = |argument: &'_ [AnnotationToken]| matches!(argument, [token] if token.kind == AnnotationTokenKind::String);
            if !tokens.split(is_comma).all(string) {
                return None;
            }
            let strings = tokens.iter().filter(|token| !is_comma(token));
            Some(strings.map(|token| token.text.as_str()).collect())
        }
        AnnotationBody::Expressions(items) => items
            .iter()
            .map(|item| match &item.kind {
                ExprKind::String(text) => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        AnnotationBody::None | AnnotationBody::KeyValues(_) => None,
    }
}

struct Walk<'r, 'd> {
    report: &'r mut Report<'d>,
}

impl Walk<'_, '_> {
    fn decls(&mut self, decls: &[Decl]) {
        decls.iter().for_each(|decl| self.decl(decl));
    }

    fn decl(&mut self, decl: &Decl) {
        if self.report.is_built_in(decl.span) {
            return;
        }
        self.all(&decl.annotations, decl.span);
        match &decl.kind {
            DeclKind::Instantiation { body, .. } => self.decls(body),
            DeclKind::Struct { fields, .. }
            | DeclKind::Header { fields, .. }
            | DeclKind::HeaderUnion { fields, .. } => {
                for field in fields {
                    self.all(&field.annotations, field.ty.span.to(field.name.span));
                }
            }
            DeclKind::ParserType(signature)
            | DeclKind::ControlType(signature)
            | DeclKind::Package(signature) => self.params(&signature.params),
            DeclKind::Parser {
                signature,
                constructor_params,
                locals,
                states,
            } => {
                self.params(&signature.params);
                self.params(constructor_params);
                self.decls(locals);
                for state in states {
                    self.all(&state.annotations, state.span);
                    self.statements(&state.statements);
                }
            }
            DeclKind::Control {
                signature,
                constructor_params,
                locals,
                body,
            } => {
                self.params(&signature.params);
                self.params(constructor_params);
                self.decls(locals);
                self.block(body);
            }
            DeclKind::Extern { methods, .. } => {
                for method in methods {
                    self.all(&method.annotations, method.prototype.name.span);
                    self.params(&method.prototype.params);
                }
            }
            DeclKind::ExternFunction(prototype) => self.params(&prototype.params),
            DeclKind::Function { prototype, body } => {
                self.params(&prototype.params);
                self.block(body);
            }
            DeclKind::Action { params, body } => {
                self.params(params);
                self.block(body);
            }
            DeclKind::Table(properties) => properties.iter().for_each(|p| self.property(p)),
            DeclKind::Const { .. }
            | DeclKind::Variable { .. }
            | DeclKind::Enum { .. }
            | DeclKind::SerEnum { .. }
            | DeclKind::Error { .. }
            | DeclKind::MatchKind { .. }
            | DeclKind::Typedef { .. }
            | DeclKind::Newtype { .. }
            | DeclKind::ValueSet { .. } => {}
        }
    }

    fn params(&mut self, params: &[ast::Parameter]) {
        for param in params {
            self.all(&param.annotations, param.span);
        }
    }

    fn property(&mut self, property: &ast::TableProperty) {
        self.all(&property.annotations, property.span);
        match &property.value {
            PropertyValue::Key(keys) => {
                for key in keys {
                    self.all(&key.annotations, key.expr.span);
                }
            }
            PropertyValue::Actions(actions) => {
                for action in actions {
                    self.all(&action.annotations, action.span);
                }
            }
            PropertyValue::Entries(entries) => {
                for entry in entries {
                    self.all(&entry.annotations, entry.span);
                }
            }
            PropertyValue::Expr(_) => {}
        }
    }

    fn block(&mut self, block: &Block) {
        self.all(&block.annotations, block.span);
        self.statements(&block.statements);
    }

    fn statements(&mut self, statements: &[Stmt]) {
        statements.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.statement(then);
                otherwise.iter().for_each(|stmt| self.statement(stmt));
            }
            StmtKind::Switch { cases, .. } => {
                let bodies = cases.iter().filter_map(|case| case.body.as_ref());
                bodies.for_each(|body| self.block(body));
            }
            StmtKind::For {
                annotations, body, ..
            }
            | StmtKind::ForIn {
                annotations, body, ..
            } => {
                self.all(annotations, stmt.span);
                self.statement(body);
            }
            StmtKind::Empty
            | StmtKind::Assign { .. }
            | StmtKind::Call(_)
            | StmtKind::DirectApply { .. }
            | StmtKind::Return(_)
            | StmtKind::Exit
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    /// Those of what is at `span`.
    fn all(&mut self, annotations: &[Annotation], span: Span) {
        for annotation in annotations {
            match annotation.name.text.as_str() {
                "noWarn" => self.no_warn(annotation, span),
                "diagnostic" => self.diagnostic(annotation),
                name => self.spelling(name, annotation.name.span),
            }
        }
    }

    fn no_warn(&mut self, annotation: &Annotation, span: Span) {
        let names = strings(annotation).unwrap_or_default();
        let &[name] = names.as_slice() else {
            let message = "`@noWarn` needs the name of a warning: `@noWarn(\"unused\")`";
            return self.warning(Warning::Missing, annotation.span, message);
        };
        match name.parse() {
            Ok(kind) => self.report.levels().silence(kind, span),
            Err(message) => self.warning(Warning::Unknown, annotation.span, message),
        }
    }

    fn diagnostic(&mut self, annotation: &Annotation) {
        let arguments = strings(annotation).unwrap_or_default();
        let &[name, wanted] = arguments.as_slice() else {
            let message = "`@diagnostic` needs the name of a warning and a level: \
                           `@diagnostic(\"unused\", \"disable\")`";
            return self.warning(Warning::Missing, annotation.span, message);
        };
        let level = LEVELS.iter().find(|(name, _)| *name == wanted);
        let Some(&(_, level)) = level else {
            let message = format!("`{wanted}` is no level of warnings: disable, warn or error");
            return self.warning(Warning::Mismatch, annotation.span, message);
        };
        match name.parse() {
            Ok(kind) => self.report.levels().set_kind(kind, level),
            Err(message) => self.warning(Warning::Unknown, annotation.span, message),
        }
    }

    /// Annotations are free to name anything, so only those that look like a typing error are worth a word.
    fn spelling(&mut self, name: &str, span: Span) {
        if ANNOTATIONS.contains(&name) {
            return;
        }
        if let Some(close) = closest(name, ANNOTATIONS) {
            let message = format!("annotation `@{name}` is not known: did you mean `@{close}`?");
            self.warning(Warning::Unknown, span, message);
        }
    }

    fn warning(&mut self, kind: Warning, span: Span, message: impl Into<String>) {
        self.report.warning(kind, span, message.into());
    }
}
