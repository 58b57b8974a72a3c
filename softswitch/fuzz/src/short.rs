// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A target without coverage: the committed corpus, then mutants of it and of the seeds.
//!
//! The mutants are few, and the same in every run: `make fuzz` makes others, guided by coverage. An input that ends
//! the process is left in the file that is named. `QUENCH_FUZZ_SECONDS` makes mutants for so long, from the seed
//! `QUENCH_TEST_SEED`: they are twice as many a second as those of libFuzzer.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Once;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::{setrlimit, Resource, Rlimit};

use crate::patience::{processor_time, PATIENCE};
use crate::target::Target;

const SEED: u64 = 1;
/// The limit of all memory that the process writes to, stacks included.
const MAX_MEMORY_BYTES: u64 = 2 << 30;

static INPUTS: AtomicU64 = AtomicU64::new(0);

/// Runs a target of the crate in a folder; a file with the input that is running is in another one.
pub fn holds(target: &Target, mutants: u64, crate_folder: &str, temporary: &str) {
    static LIMITS: Once = Once::new();
    LIMITS.call_once(|| {
        let limit = Rlimit {
            current: Some(MAX_MEMORY_BYTES),
            maximum: Some(MAX_MEMORY_BYTES),
        };
        setrlimit(Resource::Data, limit).expect("a lower limit is allowed");
        std::thread::spawn(watch);
    });
    let running = Path::new(temporary).join(format!("fuzz-{}", target.name));
    let corpus = Path::new(crate_folder).join("corpus").join(target.name);
    let accepted = match number("QUENCH_FUZZ_SECONDS").map(Duration::from_secs) {
        Some(time) => {
            let start = Instant::now();
            run(target, &running, &corpus, seed(), |_| {
                start.elapsed() < time
            })
        }
        None => run(target, &running, &corpus, SEED, |made| made < mutants),
    };
    assert!(accepted > 0, "{}: no input was accepted", target.name);
}

/// A variable of the environment.
pub fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    let parsed = value.parse();
    Some(parsed.unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// The place where a run of other inputs begins: another one in each, unless the environment repeats one.
pub fn seed() -> u64 {
    number("QUENCH_TEST_SEED").unwrap_or_else(|| fastrand::u64(..))
}

/// Makes mutants while `goes_on` says so of their number. Gives how many inputs were accepted.
fn run(
    target: &Target,
    running: &Path,
    corpus: &Path,
    seed: u64,
    goes_on: impl Fn(u64) -> bool,
) -> u64 {
    eprintln!(
        "{}: QUENCH_TEST_SEED={seed}; what ends the process is in {}",
        target.name,
        running.display()
    );
    let file = File::create(running).expect("the folder of temporary files takes a file");
    let mut rng = Rng::with_seed(seed);
    let mut tried: u64 = 0;
    let mut accepted: u64 = 0;
    let mut try_one = |input: &[u8]| {
        keep(&file, input).expect("the input is written");
        INPUTS.fetch_add(1, Ordering::Relaxed);
        tried += 1;
        accepted += u64::from((target.run)(input));
    };
    let seeds: Vec<Vec<u8>> = (target.seeds)().into_iter().map(|(_, seed)| seed).collect();
    let mut origins = files(corpus);
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

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("each target has a corpus");
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
