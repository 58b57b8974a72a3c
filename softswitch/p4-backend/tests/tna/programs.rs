// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The programs of `../tests/tna`, which the front end accepts: all but those with several pipelines or parsers compile.

use std::path::Path;

use quench_p4_backend::compile;
use quench_p4_frontend::{Arch, Options};

/// The JSON, or the first error.
fn compiled(path: &Path) -> Result<String, String> {
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    compile(path, &options)
        .map(|compiled| compiled.json)
        .map_err(|failure| {
            let text = failure.to_string();
            let error = text.lines().find(|line| line.contains(" error: "));
            error.unwrap_or(&text).to_owned()
        })
}

#[test]
fn every_program_with_one_pipeline_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tna");
    let several = ["four_pipelines", "two_pipelines", "parsers_by_port"];
    let mut count = 0;
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder of programs");
        entries.map(|entry| entry.expect("an entry of the folder").path())
    };
    let topics = entries(&folder);
    let topics = topics.filter(|topic| !topic.ends_with("include") && !topic.ends_with("errors"));
    for path in topics.flat_map(|topic| entries(&topic)) {
        if path.extension().is_none_or(|extension| extension != "p4") {
            continue;
        }
        let name = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        match compiled(&path) {
            Ok(json) => {
                assert!(!several.contains(&name), "{name} compiles");
                assert!(json.contains("\"architecture\": \"tna\""), "{name}");
            }
            Err(error) => {
                assert!(several.contains(&name), "{error}");
                assert!(error.contains("not supported: several p"), "{error}");
            }
        }
        count += 1;
    }
    assert!(count > 60, "only {count} programs");
}
