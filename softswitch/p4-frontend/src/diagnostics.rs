// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors and warnings: collected while compiling, shown with the source line and a caret.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::source::SourceMap;
use crate::span::Span;
use crate::warnings::{Level, Levels, Warning};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    Error,
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// One finding about the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The kind of warning that this is, also where `--Werror` has made an error of it.
    pub kind: Option<Warning>,
    pub message: String,
    /// `None` where the finding has no place in a file: an option, or a file that cannot be read.
    pub span: Option<Span>,
    pub notes: Vec<Note>,
}

/// An addition to a diagnostic, such as `previous declaration here`.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub message: String,
    pub span: Option<Span>,
}

impl Diagnostic {
    /// Adds a note; a chain of calls adds several.
    pub fn note(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>) -> &mut Self {
        let note = Note {
            message: message.into(),
            span: span.into(),
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
        self
    }

    /// `file:line:column: error: message`, the source line, the caret; then the notes in the same form. No newline at the end.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut text = render_one(&self.severity, &self.labelled(), self.span, sources);
        for note in &self.notes {
            text.push('\n');
            text.push_str(&render_one(&"note", &note.message, note.span, sources));
        }
        text
    }
}

impl Diagnostic {
    /// The message; that of a warning with the option that changes what is done with it.
    fn labelled(&self) -> Cow<'_, str> {
        let option = match self.severity {
            Severity::Error => "--Werror",
            Severity::Warning => "--Wwarn",
        };
        match self.kind {
            None => Cow::Borrowed(&self.message),
            Some(kind) => Cow::Owned(format!("{} [{option}={}]", self.message, kind.name())),
        }
    }
}

fn render_one(
    label: &dyn fmt::Display,
    message: &str,
    span: Option<Span>,
    sources: &SourceMap,
) -> String {
    let Some(span) = span else {
        return format!("{label}: {message}");
    };
    let location = sources.location(span);
    let (line, underline) = sources.excerpt(span);
    format!(
        "{}:{}:{}: {label}: {message}\n{line}\n{underline}",
        location.path.display(),
        location.line,
        location.column
    )
}

/// Collects diagnostics in the order in which they are found; one that is there already is not added twice
/// (the copies of a generic declaration repeat each other).
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Positions in the list.
    known: HashMap<(Severity, Option<Span>, String), usize>,
    error_count: usize,
    levels: Levels,
}

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    /// The options `--Wdisable`, `--Wwarn` and `--Werror`.
    pub fn with_levels(levels: Levels) -> Self {
        Diagnostics {
            levels,
            ..Self::default()
        }
    }

    pub fn error(
        &mut self,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Error, None, span.into(), message.into())
    }

    /// `None` where warnings of the kind are disabled.
    pub fn warning(
        &mut self,
        kind: Warning,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Option<&mut Diagnostic> {
        let span = span.into();
        let severity = match self.levels.of(kind, span) {
            Level::Disabled => return None,
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        };
        Some(self.add(severity, Some(kind), span, message.into()))
    }

    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    pub(crate) fn levels_mut(&mut self) -> &mut Levels {
        &mut self.levels
    }

    /// The error for correct P4 that this compiler has no code for.
    pub fn not_supported(
        &mut self,
        span: impl Into<Option<Span>>,
        what: impl fmt::Display,
    ) -> &mut Diagnostic {
        self.error(span, format!("not supported: {what}"))
    }

    pub fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    pub fn error_count(&self) -> usize {
        self.error_count
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }

    fn add(
        &mut self,
        severity: Severity,
        kind: Option<Warning>,
        span: Option<Span>,
        message: String,
    ) -> &mut Diagnostic {
        let next = self.list.len();
        let index = *self
            .known
            .entry((severity, span, message.clone()))
            .or_insert(next);
        if index == next {
            self.error_count += usize::from(severity == Severity::Error);
            self.list.push(Diagnostic {
                severity,
                kind,
                message,
                span,
                notes: Vec::new(),
            });
        }
        &mut self.list[index]
    }
}

/// The diagnostics of a program without result. Displays as all of them, rendered, warnings included.
#[derive(Clone, Debug)]
pub struct Failure {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, diagnostic) in self.diagnostics.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&diagnostic.render(&self.sources))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// The ending of a word that counts things.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 {
        ""
    } else {
        "s"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    fn sources() -> (SourceMap, FileId) {
        let mut sources = SourceMap::new();
        let file = sources.add("dir/a.p4", "bit<8> x = y;\nbit<8> x;\n");
        (sources, file)
    }

    #[test]
    fn renders_place_line_caret_and_notes() {
        let (sources, file) = sources();
        let mut diagnostics = Diagnostics::new();
        diagnostics
            .error(
                Span {
                    file,
                    start: 21,
                    end: 22,
                },
                "'x' is declared twice",
            )
            .note(
                Span {
                    file,
                    start: 7,
                    end: 8,
                },
                "first declared here",
            )
            .note(None, "choose another name");
        let failure = Failure {
            sources,
            diagnostics: diagnostics.into_vec(),
        };
        assert_eq!(
            failure.to_string(),
            "dir/a.p4:2:8: error: 'x' is declared twice\n\
             bit<8> x;\n       ^\n\
             dir/a.p4:1:8: note: first declared here\n\
             bit<8> x = y;\n       ^\n\
             note: choose another name"
        );
    }

    #[test]
    fn the_same_diagnostic_is_kept_once() {
        let (_, file) = sources();
        let span = Span {
            file,
            start: 0,
            end: 6,
        };
        let mut diagnostics = Diagnostics::new();
        diagnostics.not_supported(span, "recursion");
        diagnostics.not_supported(span, "recursion");
        diagnostics.warning(Warning::Unsupported, span, "not supported: recursion");
        assert_eq!(diagnostics.error_count(), 1);
        assert_eq!(diagnostics.iter().count(), 2);
        assert_eq!(
            diagnostics.iter().next().map(|d| d.message.as_str()),
            Some("not supported: recursion")
        );
    }

    #[test]
    fn a_warning_says_its_kind_and_becomes_an_error_or_nothing() {
        let (sources, file) = sources();
        let span = Span {
            file,
            start: 7,
            end: 8,
        };
        let mut levels = Levels::default();
        levels.set("unused", Level::Error).expect("a kind");
        levels.set("shadow", Level::Disabled).expect("a kind");
        let mut diagnostics = Diagnostics::with_levels(levels);
        let shadow = diagnostics.warning(Warning::Shadow, span, "`x` hides another");
        assert!(shadow.is_none());
        diagnostics.warning(Warning::Overflow, span, "too large");
        assert!(!diagnostics.has_errors());
        diagnostics.warning(Warning::Unused, span, "`x` is unused");
        assert_eq!(diagnostics.error_count(), 1);
        let first_lines: Vec<String> = diagnostics
            .iter()
            .map(|found| found.render(&sources).lines().take(1).collect())
            .collect();
        assert_eq!(
            first_lines,
            [
                "dir/a.p4:1:8: warning: too large [--Wwarn=overflow]",
                "dir/a.p4:1:8: error: `x` is unused [--Werror=unused]",
            ]
        );
    }
}
