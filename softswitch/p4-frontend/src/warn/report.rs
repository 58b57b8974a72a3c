// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The place where the passes report: warnings are about the user's files only.

use crate::diagnostics::Diagnostics;
use crate::preprocess::built_in::is_built_in;
use crate::source::SourceMap;
use crate::span::Span;
use crate::warnings::{Levels, Warning};

/// The length of an expression in a message.
const MAX_TEXT_BYTES: usize = 60;

pub(super) struct Report<'d> {
    diagnostics: &'d mut Diagnostics,
    sources: &'d SourceMap,
    /// Flags by number of the file.
    built_in: Vec<bool>,
}

impl<'d> Report<'d> {
    pub fn new(sources: &'d SourceMap, diagnostics: &'d mut Diagnostics) -> Self {
        Report {
            diagnostics,
            sources,
            built_in: sources.paths().map(is_built_in).collect(),
        }
    }

    /// Whether the place is in a file that is part of the compiler.
    pub fn is_built_in(&self, span: Span) -> bool {
        let file = self.built_in.get(span.file.0 as usize);
        file.copied().unwrap_or(false)
    }

    pub fn levels(&mut self) -> &mut Levels {
        self.diagnostics.levels_mut()
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
        if self.is_built_in(span) {
            return;
        }
        let found = self.diagnostics.warning(kind, span, message);
        if let (Some(found), Some((place, note))) = (found, note) {
            found.note(place, note);
        }
    }

    /// The source's text there, for messages.
    pub fn text(&self, span: Span) -> &'d str {
        let text = self.sources.snippet(span);
        match text.len() <= MAX_TEXT_BYTES && !text.contains('\n') {
            true => text,
            false => "this",
        }
    }
}
