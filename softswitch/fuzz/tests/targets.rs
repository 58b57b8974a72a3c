// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Each target without coverage: the committed corpus, then mutants of it and of the seeds.
//!
//! The mutants are few, and the same in every run: `make fuzz` makes others, guided by coverage. An input that ends the process
//! is left in the file that is named. `QUENCH_FUZZ_SECONDS` makes mutants for so long, from the seed `QUENCH_TEST_SEED`: they
//! are twice as many a second as those of libFuzzer.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::Once;
use std::time::{Duration, Instant};

use crate::{number, seed};
use fastrand::Rng;
use quench_dataplane::{Switch, SwitchConfig};
use quench_fuzz::{processor_time, Target, COUNTS, FRAMES, LOADER, P4, PACKETS, PATIENCE, TNA};
use rustix::process::{setrlimit, Resource, Rlimit};

const SEED: u64 = 1;
/// Of all that the process writes to, stacks included.
const MAX_MEMORY_BYTES: u64 = 2 << 30;

#[test]
fn p4_text_holds() {
    holds(&P4, 100);
}

#[test]
fn json_holds() {
    holds(&LOADER, 100);
}

#[test]
fn json_and_packets_hold() {
    holds(&PACKETS, 100);
}

#[test]
fn frames_hold() {
    holds(&FRAMES, 1000);
}

#[test]
fn programs_for_tofino_hold() {
    holds(&TNA, 10);
}

/// Otherwise the target `packets`, and the programs with tests in STF, compare the interpreter with itself.
#[test]
fn every_seed_becomes_machine_code() {
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    for (name, json) in (LOADER.seeds)() {
        let json = String::from_utf8(json).expect("JSON is text");
        let mut switch = Switch::new(SwitchConfig::default());
        let loaded = switch.load_json(&json);
        loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(switch.is_compiled(), native, "{name}");
    }
}

fn holds(target: &Target, mutants: u64) {
    static LIMITS: Once = Once::new();
    LIMITS.call_once(|| {
        let limit = Rlimit {
            current: Some(MAX_MEMORY_BYTES),
            maximum: Some(MAX_MEMORY_BYTES),
        };
        setrlimit(Resource::Data, limit).expect("a lower limit is allowed");
        std::thread::spawn(watch);
    });
    let accepted = match number("QUENCH_FUZZ_SECONDS").map(Duration::from_secs) {
        Some(time) => {
            let start = Instant::now();
            run(target, seed(), |_| start.elapsed() < time)
        }
        None => run(target, SEED, |made| made < mutants),
    };
    assert!(accepted > 0, "{}: no input was accepted", target.name);
}

/// Makes mutants while `goes_on` says so of their number. Gives how many inputs were accepted.
fn run(target: &Target, seed: u64, goes_on: impl Fn(u64) -> bool) -> u64 {
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
        tried += 1;
        accepted += u64::from((target.run)(input));
    };
    let seeds: Vec<Vec<u8>> = (target.seeds)().into_iter().map(|(_, seed)| seed).collect();
    let mut origins = corpus(target);
    for input in &origins {
        try_one(input);
    }
    origins.extend(seeds);
    for _ in (0..).take_while(|&made| goes_on(made)) {
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
        let now = COUNTS.inputs.load(Ordering::Relaxed);
        if now != before {
            (before, since) = (now, time);
        } else if now > 0 && time - since > PATIENCE {
            eprintln!("input {now} takes more than {PATIENCE:?}");
            std::process::abort();
        }
    }
}
