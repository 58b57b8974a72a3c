// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arguments of annotations.

use num_traits::ToPrimitive;
use quench_p4_frontend::ast::{Annotation, AnnotationBody, AnnotationTokenKind, ExprKind};

pub fn find<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    annotations.iter().find(|a| a.name.text == name)
}

/// The first string in the annotation.
pub fn string(annotations: &[Annotation], name: &str) -> Option<String> {
    match &find(annotations, name)?.body {
        AnnotationBody::Unstructured(tokens) => tokens
            .iter()
            .find(|t| t.kind == AnnotationTokenKind::String)
            .map(|t| t.text.clone()),
        AnnotationBody::Expressions(items) => items.iter().find_map(|e| match &e.kind {
            ExprKind::String(text) => Some(text.clone()),
            _ => None,
        }),
        _ => None,
    }
}

/// The integers in the annotation; `None` where it holds anything else.
pub fn integers(annotation: &Annotation) -> Option<Vec<u64>> {
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => tokens
            .iter()
            .filter(|t| t.text != ",")
            .map(|t| match &t.kind {
                AnnotationTokenKind::Integer(value) => value.to_u64(),
                _ => None,
            })
            .collect(),
        AnnotationBody::Expressions(items) => items
            .iter()
            .map(|e| match &e.kind {
                ExprKind::Integer { value, .. } => value.to_u64(),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}
