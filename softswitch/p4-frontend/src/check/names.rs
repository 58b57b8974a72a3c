// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names that the control plane sees.

use super::Checker;
use crate::ast::{
    Annotation, AnnotationBody, AnnotationTokenKind, BinaryOp, Expr, ExprKind, UnaryOp,
};

/// The string in `@name("...")`, if there is one; `++` joins strings.
pub(super) fn name_annotation(annotations: &[Annotation]) -> Option<String> {
    annotations
        .iter()
        .find(|a| a.name.text == "name")
        .and_then(annotation_text)
}

fn annotation_text(annotation: &Annotation) -> Option<String> {
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => {
            let joins = tokens.iter().skip(1).step_by(2);
            let parts = tokens.iter().step_by(2);
            let well_formed = tokens.len() % 2 == 1
                && parts
                    .clone()
                    .all(|token| token.kind == AnnotationTokenKind::String)
                && joins.into_iter().all(|token| token.text == "++");
            well_formed.then(|| parts.map(|token| token.text.as_str()).collect())
        }
        AnnotationBody::Expressions(items) => match items.as_slice() {
            [Expr {
                kind: ExprKind::String(text),
                ..
            }] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn has_annotation(annotations: &[Annotation], name: &str) -> bool {
    annotations.iter().any(|a| a.name.text == name)
}

/// The hierarchical name of something inside the instance `prefix`: `prefix.name`, or with an absolute `@name(".x")` just `x`.
pub(super) fn hierarchical(prefix: &str, name: &str, annotations: &[Annotation]) -> String {
    let own = name_annotation(annotations).unwrap_or_else(|| name.to_string());
    match own.strip_prefix('.') {
        Some(absolute) => absolute.to_string(),
        None if prefix.is_empty() => own,
        None => format!("{prefix}.{own}"),
    }
}

impl Checker<'_, '_> {
    /// Reports a `@name` that is no string.
    pub(super) fn check_name(&mut self, annotations: &[Annotation]) {
        let names = annotations.iter().filter(|a| a.name.text == "name");
        for annotation in names.filter(|a| annotation_text(a).is_none()) {
            self.error::<()>(annotation.span, "`@name` takes one string");
        }
    }

    /// The name of a table key as the specification derives it from its expression; `None` where it needs a `@name`.
    /// `h.isValid()` is `h.$valid$`, as p4c and the controllers of its programs have it.
    pub(super) fn key_name(&self, expr: &Expr) -> Option<String> {
        Some(match &expr.kind {
            ExprKind::Path(path) if path.absolute => format!(".{}", path.name.text),
            ExprKind::Path(path) => path.name.text.clone(),
            ExprKind::Member(base, member) => format!("{}.{}", self.key_name(base)?, member.text),
            ExprKind::Index(base, index) => {
                format!("{}[{}]", self.key_name(base)?, self.key_name(index)?)
            }
            ExprKind::Integer { value, .. } => value.to_string(),
            ExprKind::Binary(BinaryOp::BitAnd, field, mask) => match &mask.kind {
                ExprKind::Integer { value, .. } => {
                    format!("{} & {value:#x}", self.key_name(field)?)
                }
                _ => return None,
            },
            ExprKind::Slice { base, hi, lo } => format!(
                "{}[{}:{}]",
                self.key_name(base)?,
                self.key_name(hi)?,
                self.key_name(lo)?
            ),
            ExprKind::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
                ExprKind::Member(base, method) if method.text == "isValid" => {
                    format!("{}.$valid$", self.key_name(base)?)
                }
                _ => return None,
            },
            ExprKind::Unary(UnaryOp::Plus, inner) => self.key_name(inner)?,
            _ => return None,
        })
    }
}
