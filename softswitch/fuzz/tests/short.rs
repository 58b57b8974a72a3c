// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Each target for a moment without coverage: the committed corpus, then mutants of it and of the seeds.
//!
//! The first line says the seed; `QUENCH_TEST_SEED` repeats it. An input that ends the process is left in the file that is named.
//! `QUENCH_FUZZ_SECONDS` makes mutants for longer: they are twice as many a second as those of libFuzzer.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Once;
use std::time::{Duration, Instant};

use fastrand::Rng;
use quench_fuzz::{processor_time, Target, FRAMES, LOADER, P4, PACKETS, PATIENCE, TNA};
use rustix::process::{setrlimit, Resource, Rlimit};

const SECONDS: u64 = 2;
/// Of all that the process writes to, stacks included.
const MAX_MEMORY_BYTES: u64 = 2 << 30;

static INPUTS: AtomicU64 = AtomicU64::new(0);

#[test]
fn p4_text_holds_for_a_moment() {
    holds(&P4);
}

#[test]
fn json_holds_for_a_moment() {
    holds(&LOADER);
}

#[test]
fn json_and_packets_hold_for_a_moment() {
    holds(&PACKETS);
}

#[test]
fn frames_hold_for_a_moment() {
    holds(&FRAMES);
}

#[test]
fn programs_for_tofino_hold_for_a_moment() {
    holds(&TNA);
}

fn holds(target: &Target) {
    static LIMITS: Once = Once::new();
    LIMITS.call_once(|| {
        let limit = Rlimit {
            current: Some(MAX_MEMORY_BYTES),
            maximum: Some(MAX_MEMORY_BYTES),
        };
        setrlimit(Resource::Data, limit).expect("a lower limit is allowed");
        std::thread::spawn(watch);
    });
    let seed = number("QUENCH_TEST_SEED").unwrap_or_else(|| fastrand::u64(..));
    let time = Duration::from_secs(number("QUENCH_FUZZ_SECONDS").unwrap_or(SECONDS));
    let accepted = run(target, seed, time);
    assert!(accepted > 0, "{}: no input was accepted", target.name);
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is a number")),
    )
}

/// How many inputs were accepted.
fn run(target: &Target, seed: u64, time: Duration) -> u64 {
    let running = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
    eprintln!(
        "{}: QUENCH_TEST_SEED={seed}; what ends the process is in {}",
        target.name,
        running.display()
    );
    let file = File::create(&running).expect("the folder of temporary files takes a file");
    let mut rng = Rng::with_seed(seed);
    let mut tried: u64 = 0;
    let mut accepted: u64 = 0;
    let mut try_one = |input: &[u8]| {
        keep(&file, input).expect("the input is written");
        INPUTS.fetch_add(1, Ordering::Relaxed);
        tried += 1;
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
    while start.elapsed() < time {
        let origin = &origins[rng.usize(..origins.len())];
        let donor = &origins[rng.usize(..origins.len())];
        try_one(&(target.mutate)(origin, donor, &mut rng));
    }
    eprintln!("{}: {tried} inputs, {accepted} correct", target.name);
    accepted
}

/// One file for all inputs: to make a file anew for each takes a sixth of the time.
fn keep(file: &File, input: &[u8]) -> std::io::Result<()> {
    file.write_all_at(input, 0)?;
    file.set_len(input.len() as u64)
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

/// Ends the process where one input takes too long: by processor time, as other work may keep the machine busy.
fn watch() {
    let (mut before, mut since) = (0, Duration::ZERO);
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let time = processor_time();
        let now = INPUTS.load(Ordering::Relaxed);
        if now != before {
            (before, since) = (now, time);
        } else if now > 0 && time - since > PATIENCE {
            eprintln!("input {now} takes more than {PATIENCE:?}");
            std::process::abort();
        }
    }
}
