// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The test programs of the folder `../tests`.

use std::path::{Path, PathBuf};

/// The programs that stand in a folder itself, sorted.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder of test programs");
    let paths = entries.map(|entry| entry.expect("an entry of it").path());
    let mut found: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "p4"))
        .collect();
    found.sort();
    found
}

/// The correct programs of all topics, which are folders beside `include` and `errors`; sorted.
pub fn by_topic(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the folder of the topics");
    let topics = entries.map(|entry| entry.expect("an entry of it").path());
    let topics = topics.filter(|topic| !topic.ends_with("include") && !topic.ends_with("errors"));
    let mut found: Vec<_> = topics.flat_map(|topic| in_folder(&topic)).collect();
    found.sort();
    found
}
