// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Damaged programs: the loader refuses each or runs it, and machine code then does what the interpreter does.
//!
//! Mutants are made of the programs in `softswitch/tests/programs`, of one with TNA's units, and of `quench.p4`. Every run draws a new seed and
//! prints it. `QUENCH_SEED` repeats a run, `QUENCH_MUTANTS` sets how many there are, and `QUENCH_KEEP` names a folder
//! for the mutants that failed. A mutant has a seed of its own, so that `QUENCH_SEED=N QUENCH_MUTANTS=1` repeats one.

#[path = "../common/mod.rs"]
mod common;
mod drive;
mod mutate;
#[path = "../common/units.rs"]
mod units;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs};

use drive::Outcome;
use mutate::Draw;
use quench_dataplane::{Switch, SwitchConfig};
use quench_p4_frontend::Options;
use serde_json::Value;

/// A program with the packets of its own tests.
pub struct Seed {
    name: String,
    json: Value,
    packets: Vec<Vec<u8>>,
}

/// No single mutant may take longer; a generous bound for a slow and busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes = digits
        .chunks_exact(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8);
    let bytes: Vec<u8> = bytes.collect();
    (!bytes.is_empty()).then_some(bytes)
}

/// `packet PORT HEX` of a test in STF.
fn packets(stf: &str) -> Vec<Vec<u8>> {
    let lines = stf.lines().filter_map(|line| line.strip_prefix("packet "));
    let packets = lines.filter_map(|line| hex(line.split_once(' ')?.1));
    packets.collect()
}

fn compiled(path: &Path) -> Value {
    let compiled = quench_p4_bmv2::compile(path, &Options::default());
    let compiled = compiled.unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
    let mut json = serde_json::from_str(&compiled.json).expect("the compiler writes JSON");
    mutate::strip(&mut json);
    json
}

fn seeds() -> Vec<Seed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("softswitch/tests/programs");
    let files = fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<PathBuf> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "p4"))
        .collect();
    paths.sort();
    let mut seeds: Vec<Seed> = paths
        .iter()
        .map(|path| {
            let stf = fs::read_to_string(path.with_extension("stf"));
            Seed {
                name: path.file_name().expect("a file").to_string_lossy().into(),
                json: compiled(path),
                packets: packets(&stf.expect("a test beside the program")),
            }
        })
        .collect();
    seeds.push(Seed {
        name: "units".to_owned(),
        json: units::program().json,
        packets: (1..4)
            .map(|number| vec![number; 4 + units::U_BYTES])
            .collect(),
    });
    let ipv4 = "020000000001020000000009 0800 4502001c 12344000 40060000 0a000909 0a000107 1388005000000000";
    let ipv6 = "020000000001020000000009 86dd 60200000 0008063f 20010db8000900000000000000000001 \
                20010db8000100000000000000000001 1388005000000000";
    seeds.push(Seed {
        name: "quench.p4".to_owned(),
        json: compiled(&root.join("p4src/quench.p4")),
        packets: [ipv4, ipv6].map(|text| hex(text).expect("bytes")).into(),
    });
    seeds
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is no number: {text}")),
    )
}

/// The mutant of a seed, as JSON, and the packets for it.
fn mutant(seeds: &[Seed], seed: u64) -> (&Seed, String, Draw) {
    let mut draw = Draw::new(seed);
    // The large program takes the time of many small ones.
    let large = seeds.len() - 1;
    let of = match draw.one_in(40) {
        true => large,
        false => draw.below(large),
    };
    let mut json = seeds[of].json.clone();
    mutate::damage(&mut json, &mut draw);
    (&seeds[of], json.to_string(), draw)
}

fn keep(seed: u64, json: &str) {
    if let Some(folder) = env::var_os("QUENCH_KEEP") {
        let file = Path::new(&folder).join(format!("mutant-{seed}.json"));
        fs::write(&file, json).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

#[test]
fn machine_code_and_interpreter_agree_about_mutants() {
    let clock = || {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        time.expect("a time after 1970").as_nanos() as u64
    };
    let first = number("QUENCH_SEED").unwrap_or_else(clock);
    let count = number("QUENCH_MUTANTS").unwrap_or(1500);
    println!("QUENCH_SEED={first} QUENCH_MUTANTS={count}");
    let seeds = seeds();
    let (mut loaded, mut slowest) = (0, (Duration::ZERO, first));
    let mut failed = Vec::new();
    for seed in (0..count).map(|i| first.wrapping_add(i)) {
        let (of, json, mut draw) = mutant(&seeds, seed);
        let start = Instant::now();
        let run = AssertUnwindSafe(|| drive::compare(&json, &of.packets, &mut draw));
        match catch_unwind(run) {
            Ok(Outcome::Refused) => (),
            Ok(Outcome::Ran) => loaded += 1,
            Ok(Outcome::Differed(what)) => failed.push(format!("{seed} of {}: {what}", of.name)),
            Err(_) => failed.push(format!("{seed} of {}: a panic", of.name)),
        }
        if start.elapsed() > PATIENCE {
            failed.push(format!("{seed} of {}: {:?}", of.name, start.elapsed()));
        }
        slowest = slowest.max((start.elapsed(), seed));
        if failed
            .last()
            .is_some_and(|last| last.starts_with(&seed.to_string()))
        {
            println!("failed: {}", failed[failed.len() - 1]);
            keep(seed, &json);
        }
    }
    println!("{loaded} of {count} were loaded; the slowest took {slowest:?}");
    assert!(
        failed.is_empty(),
        "QUENCH_SEED and fault:\n{}",
        failed.join("\n")
    );
    assert!(count < 100 || loaded > count / 20, "too few are loaded");
}

/// Otherwise the test above, and the corpus in STF, compare the interpreter with itself.
#[test]
fn every_program_becomes_machine_code() {
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    for seed in seeds() {
        let mut switch = Switch::new(SwitchConfig::default());
        let done = switch.load_json(&seed.json.to_string());
        done.unwrap_or_else(|error| panic!("{}: {error}", seed.name));
        assert_eq!(switch.is_compiled(), native, "{}", seed.name);
    }
}
