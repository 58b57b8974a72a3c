// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Finding, reading and leaving files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::built_in::{self, BUILT_IN_DIR};
use super::state::{OpenFile, Origin, Preprocessor};
use crate::lexer::{tokenize, StringPart, Token, TokenKind};
use crate::limits::{MAX_FILE_BYTES, MAX_INCLUDE_DEPTH};
use crate::span::{FileId, Span};
use crate::warnings::Warning;

fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read '{shown}': {error}");
    // Before it is opened, for a pipe would be waited for; and again, for it may be another file by then.
    let is_file = std::fs::metadata(path).map_err(cannot)?.is_file();
    let file = is_file
        .then(|| File::open(path))
        .transpose()
        .map_err(cannot)?;
    let Some(file) = file.filter(|file| file.metadata().is_ok_and(|found| found.is_file())) else {
        return Err(format!("cannot read '{shown}': not a file"));
    };
    // However much it grows meanwhile.
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "cannot read '{shown}': larger than {MAX_FILE_BYTES} bytes"
        ));
    }
    // Comments may be in any encoding; elsewhere a character that is not UTF-8 is a stray one and reported as such.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Preprocessor<'_> {
    /// Opens the program (`text`, or the contents of its file), and the command line's definitions, to be read before it.
    pub fn open_main(&mut self, path: &Path, text: Option<&str>) -> bool {
        let text = match text.map_or_else(|| read(path), |text| Ok(text.to_owned())) {
            Ok(text) => text,
            Err(message) => {
                self.diagnostics.error(None, message);
                return false;
            }
        };
        self.open_text(path.to_owned(), text, directory_of(path));
        let mut command_line = self.predefined();
        for (name, value) in &self.options.defines {
            let value = value.as_deref().unwrap_or("1").replace('\n', " ");
            command_line.push_str(&format!("#define {name} {value}\n"));
        }
        for name in &self.options.undefines {
            command_line.push_str(&format!("#undef {name}\n"));
        }
        self.open_text(
            "<command line>".into(),
            command_line,
            Origin::Dir(PathBuf::new()),
        );
        true
    }

    /// Macros of the target; the command line can change them.
    fn predefined(&self) -> String {
        let mut lines = String::new();
        for (name, value) in self.options.arch.predefined() {
            if !self.options.defines.iter().any(|(given, _)| given == name) {
                lines.push_str(&format!("#define {name} {value}\n"));
            }
        }
        lines
    }

    fn open_text(&mut self, path: PathBuf, text: String, origin: Origin) {
        let file = self.sources.add(path.clone(), text);
        let lexed = tokenize(file, &self.sources.text(file));
        for span in lexed.blanks_at_line_ends {
            let message = "blanks stand between a backslash and its line end: the line goes on";
            self.diagnostics
                .warning(Warning::Preprocessor, span, message);
        }
        let tokens: Rc<[Token]> = lexed.tokens.into();
        self.known.insert(path, (file, Rc::clone(&tokens)));
        self.enter(file, tokens, origin);
    }

    fn enter(&mut self, file: FileId, tokens: Rc<[Token]>, origin: Origin) {
        self.open.push(OpenFile {
            file,
            origin,
            tokens,
            at: 0,
            conditionals: Vec::new(),
        });
    }

    /// `#include`: `name` as written, in quotes or angle brackets, at `span`.
    pub fn include(&mut self, name: &str, quoted: bool, span: Span) {
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            let message = format!(
                "files include each other more than {MAX_INCLUDE_DEPTH} deep: is there a cycle?"
            );
            self.stop(span, message);
            return;
        }
        self.count(1, span);
        match self.find(name, quoted) {
            Some(Found::Disk(path)) => self.include_file(path, span),
            Some(Found::BuiltIn(name, text)) => {
                let path = Path::new(BUILT_IN_DIR).join(name);
                if !self.enter_known(&path, &Origin::BuiltIn) {
                    self.open_text(path, text.to_owned(), Origin::BuiltIn);
                }
            }
            None if is_of_tofino_2(name) => self.stop(span, T2NA.to_owned()),
            None => {
                self.diagnostics
                    .error(span, format!("cannot find the file '{name}'"))
                    .note(
                        None,
                        "built in are core.p4, v1model.p4 and tna.p4; -I DIR adds a directory to search",
                    );
            }
        }
    }

    fn include_file(&mut self, path: PathBuf, span: Span) {
        let origin = directory_of(&path);
        if self.enter_known(&path, &origin) {
            return;
        }
        match read(&path) {
            Ok(text) => self.open_text(path, text, origin),
            Err(message) => {
                self.diagnostics.error(span, message);
            }
        }
    }

    /// Enters a file that was read before, unless it is to be read once.
    fn enter_known(&mut self, path: &Path, origin: &Origin) -> bool {
        let Some((file, tokens)) = self.known.get(path).cloned() else {
            return false;
        };
        if !self.once.contains(&file) {
            self.enter(file, tokens, origin.clone());
        }
        true
    }

    fn find(&self, name: &str, quoted: bool) -> Option<Found> {
        let built_in = || built_in::find(name).map(|(name, text)| Found::BuiltIn(name, text));
        if Path::new(name).is_absolute() {
            return Path::new(name).exists().then(|| Found::Disk(name.into()));
        }
        if quoted {
            match self.open.last().map(|open| &open.origin) {
                Some(Origin::Dir(dir)) if dir.join(name).exists() => {
                    return Some(Found::Disk(dir.join(name)))
                }
                Some(Origin::BuiltIn) => {
                    if let Some(found) = built_in() {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        let mut candidates = self.options.include_dirs.iter().map(|dir| dir.join(name));
        candidates
            .find(|path| path.exists())
            .map(Found::Disk)
            .or_else(built_in)
    }

    /// The next token outside directives and skipped groups.
    pub fn next_from_files(&mut self) -> Option<Token> {
        loop {
            let open = self.open.last_mut()?;
            let Some(token) = open.tokens.get(open.at).cloned() else {
                self.leave();
                continue;
            };
            open.at += 1;
            if token.line_start && token.is("#") {
                let line = open.take_line();
                self.directive(&token, &line);
            } else if open.skipping() {
                continue;
            } else if let TokenKind::StringParts(parts) = &token.kind {
                let kind = TokenKind::String(self.string(parts).into());
                return Some(Token { kind, ..token });
            } else if let TokenKind::Malformed(problem) = token.kind {
                self.diagnostics.error(token.span, problem);
            } else {
                return Some(token);
            }
        }
    }

    /// The spelling of a string with directives in it. These lines, and those that they skip, are left empty.
    fn string(&mut self, parts: &[StringPart]) -> String {
        let mut spelling = String::new();
        for part in parts {
            match part {
                StringPart::Directive(line) => self.directive(&line[0], &line[1..]),
                StringPart::Text(text) => {
                    if self.open.last().is_some_and(|open| open.skipping()) {
                        spelling.extend(text.chars().filter(|&c| c == '\n'));
                    } else {
                        spelling.push_str(text);
                    }
                }
            }
        }
        spelling
    }

    fn leave(&mut self) {
        let left = self.open.pop();
        for conditional in left.iter().flat_map(|open| &open.conditionals) {
            self.diagnostics
                .error(conditional.span, "this conditional has no #endif");
        }
    }
}

/// Another chip's architecture.
const T2NA: &str = "not supported: T2NA, the architecture of Tofino 2; only TNA (Tofino 1) is there, with --arch tna";

enum Found {
    Disk(PathBuf),
    BuiltIn(&'static str, &'static str),
}

/// Whether a file belongs to T2NA.
fn is_of_tofino_2(name: &str) -> bool {
    let file = Path::new(name).file_name().and_then(|file| file.to_str());
    file.is_some_and(|file| file == "t2na.p4" || file.starts_with("tofino2_"))
}

fn directory_of(path: &Path) -> Origin {
    Origin::Dir(path.parent().map(Path::to_owned).unwrap_or_default())
}
