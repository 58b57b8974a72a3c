// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One mistake is one error, or few: programs of which a brace, a semicolon or a field was deleted.

use std::path::{Path, PathBuf};

use quench_p4_frontend::{load_text, Options, Severity};

use crate::programs::by_topic;

fn programs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs");
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a program");
        (path, text)
    };
    by_topic(&folder).into_iter().map(text).collect()
}

/// Byte ranges of what can be deleted: each `what` outside of comments and directives.
fn places(text: &str, what: char) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        if !code.starts_with('#') && !code.contains(['"', '*']) {
            let found = code.match_indices(what);
            places.extend(found.map(|(at, _)| (start + at, start + at + 1)));
        }
        start += line.len();
    }
    places
}

/// Lines that declare a field with a width.
fn fields(text: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        let declares = code.starts_with("bit<") && code.ends_with(';');
        if declares && line.starts_with(' ') && !code.contains(['=', '(']) {
            places.push((start, start + line.len()));
        }
        start += line.len();
    }
    places
}

fn errors(path: &Path, text: &str) -> Vec<String> {
    let Err(failure) = load_text(path, text, &Options::default()) else {
        return Vec::new();
    };
    let errors = failure.diagnostics.iter();
    errors
        .filter(|found| found.severity == Severity::Error)
        .map(|found| found.render(&failure.sources))
        .collect()
}

/// Deletes one of the places of each program, by its length, so that other programs do not move it, and counts.
fn check(what: &str, find: impl Fn(&str) -> Vec<(usize, usize)>, at_most: usize, sum_at_most: f64) {
    let (mut mutants, mut sum) = (0, 0);
    for (path, text) in programs() {
        let places = find(&text);
        let Some(&(start, end)) = places.get(text.len() % places.len().max(1)) else {
            continue;
        };
        let found = errors(&path, &[&text[..start], &text[end..]].concat());
        mutants += 1;
        sum += found.len();
        assert!(
            found.len() <= at_most,
            "{}: {what} at byte {start}: {} errors\n{}",
            path.display(),
            found.len(),
            found.join("\n")
        );
    }
    assert!(mutants >= 20, "{mutants} programs with {what}");
    let mean = sum as f64 / f64::from(mutants);
    assert!(mean <= sum_at_most, "{what}: {mean} errors for a mistake");
}

#[test]
fn a_missing_brace_is_one_error() {
    check("an opening brace", |text| places(text, '{'), 1, 1.0);
    check("a closing brace", |text| places(text, '}'), 1, 1.0);
}

#[test]
fn a_missing_semicolon_is_hardly_more_than_one_error() {
    check("a semicolon", |text| places(text, ';'), 3, 1.2);
}

#[test]
fn a_missing_field_is_hardly_more_than_one_error() {
    check("a field", fields, 4, 1.3);
}

#[test]
fn a_parameter_without_type_or_with_another_word_is_one_error() {
    for wrong in ["in x", "inotu bit<8> x", "out hdr"] {
        let text = format!(
            "control c(in bool ok, {wrong}) {{ apply {{ }} }}\ncontrol d() {{ apply {{ }} }}\n"
        );
        let found = errors(Path::new("t.p4"), &text);
        assert_eq!(found.len(), 1, "{wrong}: {found:?}");
    }
}

#[test]
fn a_missing_keyword_is_one_error() {
    for text in [
        "control c() { { } }\n",
        "H { bit<8> x; }\nstruct S { H h; }\n",
    ] {
        let found = errors(Path::new("t.p4"), text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}
