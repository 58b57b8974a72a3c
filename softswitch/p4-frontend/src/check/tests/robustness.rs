// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use std::path::Path;

use proptest::prelude::*;

use crate::{load_text, Options};

/// Has every construct, so that mutations of it reach every part of the checker.
const PROGRAM: &str = include_str!("everything.p4");

fn tokens() -> Vec<&'static str> {
    let mut tokens = Vec::new();
    let mut rest = PROGRAM;
    while let Some(first) = rest.chars().next() {
        let word = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        tokens.push(&rest[..word]);
        rest = &rest[word..];
    }
    tokens
}

#[test]
fn everything_is_accepted() {
    super::program(PROGRAM);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// A program with words exchanged, dropped or doubled is accepted or refused, and nothing else happens.
    #[test]
    fn mutated_programs_do_not_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3u8), 1..4)) {
        let mut words = tokens();
        for (at, from, how) in edits {
            let at = at.index(words.len());
            let other = words[from.index(words.len())];
            match how {
                0 => words[at] = other,
                1 => drop(words.remove(at)),
                _ => words.insert(at, other),
            }
        }
        let text = words.concat();
        if let Err(failure) = load_text(Path::new("mutated.p4"), &text, &Options::default()) {
            prop_assert!(!failure.diagnostics.is_empty());
            for found in &failure.diagnostics {
                prop_assert!(!found.render(&failure.sources).is_empty());
            }
        }
    }
}
