// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The preprocessor's state: macros, and the files that are open.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::definition::{Hidden, Macro};
use crate::diagnostics::Diagnostics;
use crate::lexer::Token;
use crate::options::Options;
use crate::source::SourceMap;
use crate::span::{FileId, Span};

/// A token, and the macros whose expansion it came from: they are not expanded again in it.
#[derive(Clone, Debug)]
pub(super) struct PpToken {
    pub token: Token,
    pub hidden: Hidden,
}

impl From<Token> for PpToken {
    fn from(token: Token) -> Self {
        PpToken {
            token,
            hidden: Hidden::default(),
        }
    }
}

pub(super) struct Preprocessor<'a> {
    pub options: &'a Options,
    pub sources: &'a mut SourceMap,
    pub diagnostics: &'a mut Diagnostics,
    pub macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The files that are being read, innermost last.
    pub open: Vec<OpenFile>,
    /// Files that were read before, by the name that they were opened under.
    pub known: HashMap<PathBuf, (FileId, Rc<[Token]>)>,
    /// `#pragma once`.
    pub once: HashSet<FileId>,
    pub main_path: PathBuf,
    /// Tokens to be read before the files go on, next one last.
    pub pending: Vec<PpToken>,
    /// Inside an argument or a directive: the end of `pending` is the end.
    pub isolated: usize,
    pub counter: u64,
    pub token_count: usize,
    /// A limit was hit: no more is read.
    pub stopped: bool,
}

/// An `#if` that is not closed yet.
pub(super) struct Conditional {
    pub span: Span,
    /// The current group is read, not skipped.
    pub active: bool,
    /// A group of it was read already, or none may be since all around is skipped.
    pub done: bool,
    pub seen_else: bool,
}

/// The place where `#include "..."` looks first.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    Dir(PathBuf),
    BuiltIn,
}

pub(super) struct OpenFile {
    pub file: FileId,
    pub origin: Origin,
    pub tokens: Rc<[Token]>,
    pub at: usize,
    pub conditionals: Vec<Conditional>,
}

impl OpenFile {
    pub fn skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|c| !c.active)
    }

    /// The rest of the line after a directive's `#`.
    pub fn take_line(&mut self) -> Vec<Token> {
        let rest = &self.tokens[self.at..];
        let length = rest.iter().position(|t| t.line_start).unwrap_or(rest.len());
        let line = rest[..length].to_vec();
        self.at += length;
        line
    }
}
