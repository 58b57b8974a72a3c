// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From a file to everything that a switch and its controller load.

use std::path::Path;

use quench_p4_frontend::span::Span;
use quench_p4_frontend::{
    ir, with_stack, Arch, Diagnostics, Failure, Loaded, Options, SourceMap, Warning,
};

use crate::architectures::{self, Architecture};
use crate::error::Error;
use crate::p4info::{generate, P4Runtime};

/// The output of the compiler for a program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// BMv2's JSON.
    pub json: String,
    /// P4Info in protobuf's text format.
    pub p4info_text: String,
    /// The same message in protobuf's binary format.
    pub p4info_binary: Vec<u8>,
    /// The program's entries as a P4Runtime `WriteRequest`, in protobuf's text format.
    pub entries_text: String,
    /// The same message in protobuf's binary format.
    pub entries_binary: Vec<u8>,
    /// Rendered with their places, in the order of the compiler's passes.
    pub warnings: Vec<String>,
}

/// Compiles the program at `path` with all that it includes.
pub fn compile(path: &Path, options: &Options) -> Result<Compiled, Failure> {
    all_passes(path, options.arch, || {
        quench_p4_frontend::load(path, options)
    })
}

/// As [`compile`], of a program that is in memory; `path` is its name in diagnostics, and its includes are relative to it.
pub fn compile_text(path: &Path, text: &str, options: &Options) -> Result<Compiled, Failure> {
    all_passes(path, options.arch, || {
        quench_p4_frontend::load_text(path, text, options)
    })
}

/// Runs all passes on one large stack. The program is dropped there too, which recurses as deeply as a pass does.
fn all_passes(
    path: &Path,
    arch: Arch,
    load: impl FnOnce() -> Result<Loaded, Failure> + Send,
) -> Result<Compiled, Failure> {
    with_stack(|| compile_loaded(load()?, arch, path)).unwrap_or_else(|error| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.error(None, format!("cannot start a compiler thread: {error}"));
        Err(Failure {
            sources: SourceMap::new(),
            diagnostics: diagnostics.into_vec(),
        })
    })
}

fn compile_loaded(loaded: Loaded, arch: Arch, path: &Path) -> Result<Compiled, Failure> {
    let Loaded {
        program,
        sources,
        warnings,
        levels,
    } = loaded;
    let mut diagnostics = Diagnostics::with_levels(levels);
    let name = path.display().to_string();
    let output = write(&program, arch, &sources, &name, &mut diagnostics);
    let output = output.filter(|_| !diagnostics.has_errors());
    let all: Vec<_> = warnings.into_iter().chain(diagnostics.into_vec()).collect();
    match output {
        Some((json, P4Runtime { info, entries })) => Ok(Compiled {
            json,
            p4info_text: info.to_text(),
            p4info_binary: info.to_bytes(),
            entries_text: entries.to_text(),
            entries_binary: entries.to_bytes(),
            warnings: rendered(&all, &sources),
        }),
        None => Err(Failure {
            sources,
            diagnostics: all,
        }),
    }
}

/// JSON, and what P4Runtime knows; the errors of both.
fn write(
    program: &ir::Program,
    arch: Arch,
    sources: &SourceMap,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(String, P4Runtime)> {
    let Architecture { json, p4info } = architectures::of(arch);
    let json = match json.translate(program, sources, name) {
        Ok((program, warnings)) => {
            add_warnings(&warnings, diagnostics);
            Some(serde_json::to_string_pretty(&program).expect("all keys of the model are strings"))
        }
        Err(error) => {
            add_error(&error, diagnostics);
            None
        }
    };
    let control_plane = generate(program, p4info, diagnostics);
    json.zip(control_plane)
}

fn add_error(error: &Error, diagnostics: &mut Diagnostics) {
    diagnostics.error(error.place(), error.message.clone());
}

fn add_warnings(warnings: &[(Warning, Span, String)], diagnostics: &mut Diagnostics) {
    for (kind, span, message) in warnings {
        diagnostics.warning(*kind, *span, message.clone());
    }
}

fn rendered(warnings: &[quench_p4_frontend::Diagnostic], sources: &SourceMap) -> Vec<String> {
    warnings.iter().map(|w| w.render(sources)).collect()
}
