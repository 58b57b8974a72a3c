// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names that the control plane sees.

use super::Checker;
use crate::ast::{
    Annotation, AnnotationBody, AnnotationTokenKind, BinaryOp, Expr, ExprKind, UnaryOp,
};

/// The string in `@name("...")`, if there is one.
pub(super) fn name_annotation(annotations: &[Annotation]) -> Option<&str> {
    let annotation = annotations.iter().find(|a| a.name.text == "name")?;
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
            [token] if token.kind == AnnotationTokenKind::String => Some(&token.text),
            _ => None,
        },
        AnnotationBody::Expressions(items) => match items.as_slice() {
            [Expr {
                kind: ExprKind::String(text),
                ..
            }] => Some(text),
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
    let own = name_annotation(annotations).unwrap_or(name);
    match own.strip_prefix('.') {
        Some(absolute) => absolute.to_string(),
        None if prefix.is_empty() => own.to_string(),
        None => format!("{prefix}.{own}"),
    }
}

impl Checker<'_, '_> {
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
