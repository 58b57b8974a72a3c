// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: names that the control plane sees: `@name`, hierarchical names, names of keys.

use crate::ast::{
    Annotation, AnnotationBody, AnnotationTokenKind, BinaryOp, Expr, ExprKind, UnaryOp,
};
use crate::check::checker::Checker;
use crate::ir::{self, TypeDefKind};

/// The string in `@name("...")`, if there is one; `++` joins strings.
pub fn name_annotation(annotations: &[Annotation]) -> Option<String> {
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

pub fn has_annotation(annotations: &[Annotation], name: &str) -> bool {
    annotations.iter().any(|a| a.name.text == name)
}

/// The hierarchical name of an object inside the instance `prefix`: `prefix.name`, or with an absolute `@name(".x")` just `x`.
pub fn hierarchical(prefix: &str, name: &str, annotations: &[Annotation]) -> String {
    let own = name_annotation(annotations).unwrap_or_else(|| name.to_string());
    match own.strip_prefix('.') {
        Some(absolute) => absolute.to_string(),
        None if prefix.is_empty() => own,
        None => format!("{prefix}.{own}"),
    }
}

impl<'a> Checker<'a, '_> {
    /// Reports a `@name` that is no string, and values in structured annotations that are no constants.
    pub fn check_annotations(&mut self, annotations: &'a [Annotation]) {
        for annotation in annotations {
            if annotation.name.text == "name" && annotation_text(annotation).is_none() {
                self.error::<()>(annotation.span, "`@name` takes one string");
            }
            match &annotation.body {
                // A list of numbers with rules of its own.
                AnnotationBody::Expressions(_) if annotation.name.text == "field_list" => {}
                AnnotationBody::Expressions(values) => {
                    values.iter().for_each(|v| self.check_annotation_value(v));
                }
                AnnotationBody::KeyValues(pairs) => {
                    pairs
                        .iter()
                        .for_each(|(_, v)| self.check_annotation_value(v));
                }
                AnnotationBody::Unstructured(_) | AnnotationBody::None => {}
            }
        }
    }

    fn check_annotation_value(&mut self, value: &'a Expr) {
        let Some(checked) = self.expr(value, None) else {
            return;
        };
        let is_simple = self.types.is_numeric(&checked.ty)
            || matches!(checked.ty, ir::Type::Bool | ir::Type::String);
        if !is_simple {
            let shown = self.types.show(&checked.ty);
            self.error::<()>(
                value.span,
                format!(
                    "a structured annotation has numbers, strings and truth values, not `{shown}`"
                ),
            );
            return;
        }
        self.compile_time(checked, "a value in an annotation");
    }

    /// The name of a table key as the specification derives it from its expression; `None` where it needs a `@name`.
    /// A field has the name in its `@name`, and `@name(".x")` is the whole name; `h.isValid()` is `h.$valid$`, as for p4c and the controllers of its programs.
    /// `typed` is the same expression after checking, as far as it has the same shape.
    pub fn key_name(&self, expr: &Expr, typed: Option<&ir::Expr>) -> Option<String> {
        let typed_kind = typed.map(|typed| &typed.kind);
        Some(match &expr.kind {
            ExprKind::Path(path) if path.absolute => format!(".{}", path.name.text),
            ExprKind::Path(path) => path.name.text.clone(),
            ExprKind::Member(base, member) => match typed_kind {
                Some(ir::ExprKind::Field(record, index)) => {
                    let given = self.annotations_of_field(&record.ty, *index);
                    let name = given.and_then(name_annotation);
                    let name = name.unwrap_or_else(|| member.text.clone());
                    match name.strip_prefix('.') {
                        Some(absolute) => absolute.to_owned(),
                        None => format!("{}.{name}", self.key_name(base, Some(record))?),
                    }
                }
                _ => format!("{}.{}", self.key_name(base, None)?, member.text),
            },
            ExprKind::Index(base, index) => {
                let stack = match typed_kind {
                    Some(ir::ExprKind::Index(stack, _) | ir::ExprKind::Field(stack, _)) => {
                        Some(&**stack)
                    }
                    _ => None,
                };
                format!(
                    "{}[{}]",
                    self.key_name(base, stack)?,
                    self.key_name(index, None)?
                )
            }
            ExprKind::Integer { value, .. } => value.to_string(),
            ExprKind::Binary(BinaryOp::BitAnd, field, mask) => match &mask.kind {
                ExprKind::Integer { value, .. } => {
                    let left = match typed_kind {
                        Some(ir::ExprKind::Binary(_, left, _)) => Some(&**left),
                        _ => None,
                    };
                    format!("{} & {value:#x}", self.key_name(field, left)?)
                }
                _ => return None,
            },
            ExprKind::Slice { base, hi, lo } => {
                let whole = match typed_kind {
                    Some(ir::ExprKind::Slice { base, .. }) => Some(&**base),
                    _ => None,
                };
                format!(
                    "{}[{}:{}]",
                    self.key_name(base, whole)?,
                    self.key_name(hi, None)?,
                    self.key_name(lo, None)?
                )
            }
            ExprKind::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
                ExprKind::Member(base, method) if method.text == "isValid" => {
                    let header = match typed_kind {
                        Some(ir::ExprKind::IsValid(header)) => Some(&**header),
                        _ => None,
                    };
                    format!("{}.$valid$", self.key_name(base, header)?)
                }
                _ => return None,
            },
            ExprKind::Unary(UnaryOp::Plus, inner) => self.key_name(inner, typed)?,
            _ => return None,
        })
    }

    fn annotations_of_field(&self, ty: &ir::Type, index: u32) -> Option<&[Annotation]> {
        let fields = match self.types.def(ty)? {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => fields,
            _ => return None,
        };
        fields
            .get(index as usize)
            .map(|field| field.annotations.as_slice())
    }
}
