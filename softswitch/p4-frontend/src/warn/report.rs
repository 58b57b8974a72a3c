// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Which warnings are given: those about the user's files, but where `@noWarn("KIND")` is at a declaration around.

use crate::ast::{self, AnnotationBody, AnnotationTokenKind, ExprKind};
use crate::preprocess::is_built_in;
use crate::span::Span;
use crate::suggest::closest;
use crate::{Diagnostics, SourceMap, Warning};

/// Of an expression in a message.
const MAX_TEXT_BYTES: usize = 60;

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

pub(super) struct Report<'d> {
    diagnostics: &'d mut Diagnostics,
    sources: &'d SourceMap,
    /// By number of the file.
    built_in: Vec<bool>,
    quiet: Vec<(Warning, Span)>,
}

impl<'d> Report<'d> {
    pub fn new(sources: &'d SourceMap, diagnostics: &'d mut Diagnostics) -> Self {
        Report {
            diagnostics,
            sources,
            built_in: sources.paths().map(is_built_in).collect(),
            quiet: Vec::new(),
        }
    }

    /// Whether the place is in a file that is part of the compiler.
    pub fn is_built_in(&self, span: Span) -> bool {
        let file = self.built_in.get(span.file.0 as usize);
        file.copied().unwrap_or(false)
    }

    pub fn warning(&mut self, kind: Warning, span: Span, message: String) {
        self.warning_with_note(kind, span, message, None);
    }

    /// `note` is about another place.
    pub fn warning_with_note(
        &mut self,
        kind: Warning,
        span: Span,
        message: String,
        note: Option<(Span, &str)>,
    ) {
        if self.is_built_in(span) || self.is_quiet(kind, span) {
            return;
        }
        let found = self.diagnostics.warning(kind, span, message);
        if let (Some(found), Some((place, note))) = (found, note) {
            found.note(place, note);
        }
    }

    /// What the source says there, for messages.
    pub fn text(&self, span: Span) -> &'d str {
        let text = self.sources.snippet(span);
        match text.len() <= MAX_TEXT_BYTES && !text.contains('\n') {
            true => text,
            false => "this",
        }
    }

    fn is_quiet(&self, kind: Warning, span: Span) -> bool {
        let around = |&(quiet, place): &(Warning, Span)| {
            quiet == kind
                && place.file == span.file
                && place.start <= span.start
                && span.end <= place.end
        };
        self.quiet.iter().any(around)
    }

    /// Those of a declaration that covers `span`.
    pub fn annotations(&mut self, annotations: &[ast::Annotation], span: Span) {
        for annotation in annotations {
            self.annotation(annotation, span);
        }
    }

    fn annotation(&mut self, annotation: &ast::Annotation, span: Span) {
        let name = annotation.name.text.as_str();
        if name != "noWarn" {
            // Annotations are free to name anything, so only those that look like a typing error are worth a word.
            if ANNOTATIONS.contains(&name) || self.is_built_in(span) {
                return;
            }
            if let Some(close) = closest(name, ANNOTATIONS) {
                let message =
                    format!("annotation `@{name}` is not known: did you mean `@{close}`?");
                self.warning(Warning::Unknown, annotation.name.span, message);
            }
            return;
        }
        let name = match &annotation.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [token] if token.kind == AnnotationTokenKind::String => Some(&token.text),
                _ => None,
            },
            AnnotationBody::Expressions(items) => match items.as_slice() {
                [ast::Expr {
                    kind: ExprKind::String(text),
                    ..
                }] => Some(text),
                _ => None,
            },
            _ => None,
        };
        match name.map(|name| name.parse()) {
            Some(Ok(kind)) => self.quiet.push((kind, span)),
            Some(Err(message)) => self.warning(Warning::Unknown, annotation.span, message),
            None => {
                let message = "`@noWarn` needs the name of a warning: `@noWarn(\"unused\")`";
                self.warning(Warning::Missing, annotation.span, message.to_owned());
            }
        }
    }
}
