// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Each target for a moment without coverage: the committed corpus, then mutants of it and of the seeds.
//!
//! The first line says the seed; `QUENCH_TEST_SEED` repeats it. An input that ends the process is left in the file that is named.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use quench_fuzz::{Target, FRAMES, LOADER, P4, PACKETS};
use rustix::process::{setrlimit, Resource, Rlimit};

const TIME: Duration = Duration::from_secs(2);
/// Of one input.
const PATIENCE_S: u64 = 10;
/// Of all that the process writes to, stacks included.
const MAX_MEMORY_BYTES: u64 = 2 << 30;

static INPUTS: AtomicU64 = AtomicU64::new(0);

#[test]
fn each_target_holds_for_a_moment() {
    let limit = Rlimit {
        current: Some(MAX_MEMORY_BYTES),
        maximum: Some(MAX_MEMORY_BYTES),
    };
    setrlimit(Resource::Data, limit).expect("a lower limit is allowed");
    std::thread::spawn(watch);
    let seed = std::env::var("QUENCH_TEST_SEED").map_or_else(
        |_| fastrand::u64(..),
        |seed| seed.parse().expect("QUENCH_TEST_SEED is a number"),
    );
    for target in [P4, LOADER, PACKETS, FRAMES] {
        let accepted = run(&target, seed);
        assert!(accepted > 0, "{}: no input was accepted", target.name);
    }
}

/// How many inputs were accepted.
fn run(target: &Target, seed: u64) -> u64 {
    let running = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
    eprintln!(
        "{}: QUENCH_TEST_SEED={seed}; what ends the process is in {}",
        target.name,
        running.display()
    );
    let mut rng = Rng::with_seed(seed);
    let mut accepted = 0;
    let mut try_one = |input: &[u8]| {
        std::fs::write(&running, input).expect("the input is written");
        INPUTS.fetch_add(1, Ordering::Relaxed);
        let taken = (target.run)(input);
        accepted += u64::from(taken);
        taken
    };
    let seeds: Vec<Vec<u8>> = (target.seeds)().into_iter().map(|(_, seed)| seed).collect();
    let mut origins = corpus(target);
    for input in origins.iter().chain(&seeds) {
        try_one(input);
    }
    origins.extend(seeds);
    let start = Instant::now();
    while start.elapsed() < TIME {
        let origin = &origins[rng.usize(..origins.len())];
        let donor = &origins[rng.usize(..origins.len())];
        try_one(&(target.mutate)(origin, donor, &mut rng));
    }
    accepted
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name);
    let entries = std::fs::read_dir(&folder).expect("each target has a corpus");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read(path).expect("a file of the corpus");
    paths.iter().map(read).collect()
}

/// Ends the process where one input takes too long.
fn watch() {
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_secs(PATIENCE_S));
        let now = INPUTS.load(Ordering::Relaxed);
        if now == before {
            eprintln!("input {now} takes more than {PATIENCE_S} s");
            std::process::abort();
        }
        before = now;
    }
}
