// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4 text: the compiler gives JSON that the data plane loads, or errors with their places.

use std::path::PathBuf;

use quench_dataplane::{Switch, SwitchConfig};
use quench_p4_bmv2::compile_text;
use quench_p4_frontend::{Failure, Options, Severity};

use crate::counts::COUNTS;
use crate::seeds;

/// Errors about the whole program, which have no place.
const WITHOUT_PLACE: [&str; 1] = ["the program has no `main`"];

pub(crate) fn run(data: &[u8]) -> bool {
    COUNTS.input();
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    // Where the seeds are, so that what they include is found.
    let path: PathBuf = seeds::programs().join("mutant.p4");
    match compile_text(&path, text, &Options::default()) {
        Ok(compiled) => {
            COUNTS.accept();
            let mut switch = Switch::new_interpreted(SwitchConfig::default());
            if let Err(error) = switch.load_json(&compiled.json) {
                panic!("the data plane does not load what the compiler made: {error}");
            }
            true
        }
        Err(failure) => {
            check(&failure);
            false
        }
    }
}

fn check(failure: &Failure) {
    let errors: Vec<_> = failure
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    assert!(!errors.is_empty(), "the compiler failed without an error");
    for error in errors {
        let whole = WITHOUT_PLACE
            .iter()
            .any(|text| error.message.contains(text));
        assert!(
            error.span.is_some() || whole,
            "an error without a place: {}",
            error.message
        );
    }
    // Rendering looks into the source.
    assert!(!failure.to_string().is_empty());
}
