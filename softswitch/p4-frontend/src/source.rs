// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The texts that a program was read from, and the way from a [`Span`] back to file, line and column.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits::MAX_SHOWN_CHARS;
use crate::span::{FileId, Span};

/// The place that a diagnostic shows, in the form of an editor's "go to".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub path: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// `#line`: from a physical line on, lines are counted (and the file is named) differently.
#[derive(Clone, Debug)]
struct LineMark {
    physical_line: u32,
    line: u32,
    path: Option<PathBuf>,
}

#[derive(Clone, Debug)]
struct SourceFile {
    path: PathBuf,
    text: Arc<str>,
    /// Byte at which each line starts.
    line_starts: Vec<u32>,
    /// Bytes that are not the first of their character: columns count characters, and a line can be the whole file.
    continued: Vec<u32>,
    marks: Vec<LineMark>,
}

impl SourceFile {
    /// Physical line from 0.
    fn line_index(&self, byte: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= byte) - 1
    }

    fn line_text(&self, index: usize) -> &str {
        let start = self.line_starts[index] as usize;
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// Every file that was read, in the order of first use; [`FileId`] 0 is the main file.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under the name that diagnostics show.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|&(_, b)| b == b'\n')
                    .map(|(at, _)| at as u32 + 1),
            )
            .collect();
        let continued = (0..)
            .zip(text.bytes())
            .filter(|&(_, byte)| byte & 0xc0 == 0x80)
            .map(|(at, _)| at)
            .collect();
        self.files.push(SourceFile {
            path: path.into(),
            text,
            line_starts,
            continued,
            marks: Vec::new(),
        });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn path(&self, file: FileId) -> &Path {
        &self.files[file.0 as usize].path
    }

    pub fn text(&self, file: FileId) -> Arc<str> {
        Arc::clone(&self.files[file.0 as usize].text)
    }

    /// All files, in the order of first use: what a build system must watch.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// The text that a span covers.
    pub fn snippet(&self, span: Span) -> &str {
        let text = &self.files[span.file.0 as usize].text;
        text.get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// File, line and column of a span's first byte.
    pub fn location(&self, span: Span) -> Location {
        let file = &self.files[span.file.0 as usize];
        let start = span.start.min(file.text.len() as u32);
        let index = file.line_index(start);
        let line_start = file.line_starts[index];
        let continued = |byte| file.continued.partition_point(|&at| at < byte) as u32;
        let column = start - line_start - (continued(start) - continued(line_start)) + 1;
        let physical_line = index as u32 + 1;
        let marks = file
            .marks
            .partition_point(|mark| mark.physical_line <= physical_line);
        let mark = marks.checked_sub(1).map(|last| &file.marks[last]);
        Location {
            path: mark
                .and_then(|mark| mark.path.as_ref())
                .unwrap_or(&file.path)
                .clone(),
            line: mark.map_or(physical_line, |mark| {
                mark.line.saturating_add(physical_line - mark.physical_line)
            }),
            column,
        }
    }

    /// The first line that a span touches, and its underline: `^~~~`, indented as the line is. Of a long line only the part around
    /// the span.
    pub fn excerpt(&self, span: Span) -> (String, String) {
        let file = &self.files[span.file.0 as usize];
        let start = span.start.min(file.text.len() as u32);
        let index = file.line_index(start);
        let line = file.line_text(index);
        let offset = (start - file.line_starts[index]) as usize;
        let offset = offset.min(line.len());
        let end =
            (span.end.saturating_sub(file.line_starts[index]) as usize).clamp(offset, line.len());
        let before: usize = line[..offset]
            .chars()
            .rev()
            .take(MAX_SHOWN_CHARS / 2)
            .map(char::len_utf8)
            .sum();
        let after: usize = line[offset..]
            .chars()
            .take(MAX_SHOWN_CHARS / 2)
            .map(char::len_utf8)
            .sum();
        let (from, to) = (offset - before, offset + after);
        let (line, end) = (&line[from..to], end.min(to) - from);
        let offset = before;
        let indent: String = line[..offset]
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let marked = line
            .get(offset..end)
            .map_or(1, |text| text.chars().count())
            .max(1);
        (
            line.to_owned(),
            format!("{indent}^{}", "~".repeat(marked - 1)),
        )
    }

    /// `#line`: the physical line after that of `directive` is called `line` of `path`.
    pub(crate) fn mark_line(&mut self, directive: Span, line: u32, path: Option<PathBuf>) {
        let file = &mut self.files[directive.file.0 as usize];
        let physical_line = file.line_index(directive.start) as u32 + 2;
        let path = path.or_else(|| file.marks.last().and_then(|mark| mark.path.clone()));
        file.marks.push(LineMark {
            physical_line,
            line,
            path,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    #[test]
    fn columns_count_characters_from_one() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.p4", "first\n  é x\nlast");
        let at_x = sources.location(span(file, 11, 12));
        assert_eq!((at_x.line, at_x.column), (2, 5));
        let at_end = sources.location(span(file, 17, 17));
        assert_eq!((at_end.line, at_end.column), (3, 5));
    }

    #[test]
    fn underline_keeps_tabs_and_stops_at_the_line_end() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.p4", "\tabc\ndef");
        assert_eq!(
            sources.excerpt(span(file, 2, 7)),
            ("\tabc".into(), "\t ^~".into())
        );
        assert_eq!(
            sources.excerpt(span(file, 8, 8)),
            ("def".into(), "   ^".into())
        );
    }

    #[test]
    fn line_directive_renames_what_follows() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.p4", "#line 40 \"b.p4\"\nx\n");
        sources.mark_line(span(file, 0, 5), 40, Some("b.p4".into()));
        let location = sources.location(span(file, 16, 17));
        assert_eq!(
            (location.path, location.line, location.column),
            ("b.p4".into(), 40, 1)
        );
    }
}
