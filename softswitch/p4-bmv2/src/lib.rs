// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 for BMv2: a typed program to the JSON that simple_switch loads, in the format of p4c.
//!
//! [`lower`] takes calls, aggregates and effects out of the program, [`emit`] writes what is left as parser states, tables,
//! conditionals and actions. [`json`] is the model of the file.

mod annotation;
mod emit;
mod error;
mod externs;
mod flat;
pub mod json;
mod layout;
mod lower;
mod place;
mod program;
mod simplify;

use std::path::Path;

use quench_p4_frontend::{span, Diagnostics, Failure, Loaded, Options, SourceMap};

pub use error::Error;
pub use program::translate;
/// What the compiler makes of a program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// BMv2's JSON.
    pub json: String,
    /// Rendered with their places, in the order of the compiler's passes.
    pub warnings: Vec<String>,
}

/// Compiles the program at `path` with all that it includes.
pub fn compile(path: &Path, options: &Options) -> Result<Compiled, Failure> {
    compile_loaded(quench_p4_frontend::load(path, options)?, path)
}

/// As [`compile`], of a program that is in memory; `path` is what diagnostics call it.
pub fn compile_text(path: &Path, text: &str, options: &Options) -> Result<Compiled, Failure> {
    compile_loaded(quench_p4_frontend::load_text(path, text, options)?, path)
}

fn compile_loaded(loaded: Loaded, path: &Path) -> Result<Compiled, Failure> {
    let sources = loaded.sources;
    let name = path.display().to_string();
    let mut warnings: Vec<String> = loaded
        .warnings
        .iter()
        .map(|warning| warning.render(&sources))
        .collect();
    let (program, more) = match translate(&loaded.program, &sources, &name) {
        Ok(result) => result,
        Err(error) => {
            let mut diagnostics = Diagnostics::new();
            diagnostics.error(error.place(), error.message);
            return Err(Failure {
                sources,
                diagnostics: loaded
                    .warnings
                    .into_iter()
                    .chain(diagnostics.into_vec())
                    .collect(),
            });
        }
    };
    warnings.extend(rendered(more, &sources));
    let json = serde_json::to_string_pretty(&program)
        .expect("the model has no maps with keys that are not strings");
    Ok(Compiled { json, warnings })
}

fn rendered(warnings: Vec<(span::Span, String)>, sources: &SourceMap) -> Vec<String> {
    let mut diagnostics = Diagnostics::new();
    for (span, message) in warnings {
        diagnostics.warning(span, message);
    }
    diagnostics.iter().map(|d| d.render(sources)).collect()
}
